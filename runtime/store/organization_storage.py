"""How many bytes an organization stores: what is in its spaces, versions, specifications, PDFs, uploads to import."""

from __future__ import annotations

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from runtime.store.tables.blobs import BlobRow
from runtime.store.tables.content import ContentSizeRow
from runtime.store.tables.imports import ImportRow
from runtime.store.tables.integrations import IntegrationRow, VersionRow
from runtime.store.tables.openapi_specs import OpenApiSpecRow, OpenApiVersionRow
from runtime.store.tables.pdfs import PdfRow
from runtime.store.tables.spaces import SpaceRow


def size_of(session: Session, organization_id: str) -> int:
    """Return the bytes that an organization stores, with deleted spaces until they are removed for good."""
    return sum(max(0, int(session.scalar(each) or 0)) for each in _sums(organization_id))


def _sums(organization_id: str) -> tuple[Select[int], ...]:
    content = (
        select(func.sum(ContentSizeRow.size + ContentSizeRow.files + ContentSizeRow.comments))
        .join(SpaceRow, SpaceRow.id == ContentSizeRow.space_id)
        .where(SpaceRow.organization_id == organization_id)
    )
    versions = (
        select(func.sum(VersionRow.size))
        .join(IntegrationRow, IntegrationRow.id == VersionRow.integration_id)
        .where(IntegrationRow.organization_id == organization_id)
    )
    specifications = (
        select(func.sum(OpenApiVersionRow.size))
        .join(OpenApiSpecRow, OpenApiSpecRow.id == OpenApiVersionRow.spec_id)
        .where(OpenApiSpecRow.organization_id == organization_id)
    )
    pdfs = (
        select(func.sum(PdfRow.size))
        .join(SpaceRow, SpaceRow.id == PdfRow.space_id)
        .where(SpaceRow.organization_id == organization_id, PdfRow.blob.is_not(None))
    )
    uploads = (
        select(func.sum(BlobRow.size))
        .join(ImportRow, ImportRow.blob == BlobRow.name)
        .join(SpaceRow, SpaceRow.id == ImportRow.space_id)
        .where(SpaceRow.organization_id == organization_id, ImportRow.blob.is_not(None))
    )
    sources = (
        select(func.sum(BlobRow.size))
        .join(OpenApiSpecRow, OpenApiSpecRow.source_blob == BlobRow.name)
        .where(OpenApiSpecRow.organization_id == organization_id)
    )
    return content, versions, specifications, pdfs, uploads, sources
