"""How many bytes an organization stores: what is in its spaces, versions, specifications, PDFs, uploads to import."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Integer, Select, case, func, literal_column, select
from sqlalchemy.orm import Session

from runtime.store.blobs.store import GRACE
from runtime.store.database import now
from runtime.store.tables.blobs import BlobRow
from runtime.store.tables.content import ContentSizeRow
from runtime.store.tables.imports import ImportRow
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow, VersionRow
from runtime.store.tables.openapi_specs import OpenApiSpecRow, OpenApiVersionRow
from runtime.store.tables.pdfs import PdfRow
from runtime.store.tables.spaces import SpaceRow

BLOCK = 4096
"""Bytes that a file takes on a disk at least."""


def size_of(session: Session, organization_id: str) -> int:
    """Return the bytes that an organization stores, with deleted spaces until they are removed for good."""
    return sum(max(0, int(session.scalar(each) or 0)) for each in _sums(organization_id))


def sent_lately(session: Session, organization_id: str) -> int:
    """Return the bytes of the files that an organization stored within the last `GRACE`, needed or not.

    Each counts as a block of a disk at least.
    """
    lately = BlobRow.sent_at > now() - GRACE
    size = case((BlobRow.size < BLOCK, BLOCK), else_=BlobRow.size)
    query = select(func.sum(size)).where(BlobRow.organization_id == organization_id, lately)
    return int(session.scalar(query) or 0)


def _sums(organization_id: str) -> tuple[Select[Any], ...]:
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
    zero = literal_column("0", Integer)  # literal, as in the partial indexes of these tables
    of_organization = InstallationRow.organization_id == organization_id
    configurations = (
        select(func.sum(InstallationRow.size)).where(of_organization, InstallationRow.size > zero),
        *(
            select(func.sum(part.size))
            .join(InstallationRow, InstallationRow.id == part.installation_id)
            .where(of_organization, part.size > zero)
            for part in (SpaceInstallationRow, SiteInstallationRow)
        ),
    )
    return content, versions, specifications, pdfs, uploads, sources, *configurations
