"""API specifications and their versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import MISSING

from runtime.contract.addresses import shown_address
from runtime.contract.openapi_specs import (
    ErrorCode,
    OpenApiSpec,
    OpenApiSpecVersion,
    ProcessingState,
    SpecError,
    SpecUrls,
    VersionUrls,
)
from runtime.contract.permissions import OPENAPI_SPEC, permissions
from runtime.serializers.view import View
from runtime.store.tables.openapi_specs import OpenApiSpecRow, OpenApiVersionRow


def specs(view: View, rows: Sequence[OpenApiSpecRow]) -> list[OpenApiSpec]:
    """Show specifications."""
    promises = [permissions(OPENAPI_SPEC, level) for level in view.levels(rows)]
    return [
        OpenApiSpec(
            id=row.id,
            created_at=row.created_at,
            updated_at=row.updated_at,
            slug=row.slug,
            source_url=_source(row.source_url, promised) if row.source_url is not None else MISSING,
            processing_state=cast(ProcessingState, row.state),
            visibility="private",
            last_version=row.last_version if row.last_version is not None else MISSING,
            last_processed_at=row.last_processed_at if row.last_processed_at is not None else MISSING,
            last_process_error_code=cast(ErrorCode, row.error_code) if row.error_code is not None else MISSING,
            last_processed_errors=[SpecError(message=message, code=row.error_code or MISSING) for message in row.errors]
            or MISSING,
            permissions=promised,
            urls=SpecUrls(
                location=view.at.api("orgs", row.organization_id, "openapi", row.slug),
                app=view.at.app("orgs", row.organization_id, "openapi", row.slug),
            ),
        )
        for row, promised in zip(rows, promises, strict=True)
    ]


def _source(url: str, promised: Mapping[str, bool]) -> str:
    """Show where a specification comes from, to whoever may change that with the keys that stand in it."""
    return url if promised["edit"] else shown_address(url)


def versions(view: View, rows: Sequence[OpenApiVersionRow]) -> list[OpenApiSpecVersion]:
    """Show versions."""
    of = view.at_hand(OpenApiSpecRow, (row.spec_id for row in rows))
    shown = []
    for row in rows:
        location = version_address(view, of[row.spec_id], row)
        shown.append(
            OpenApiSpecVersion(
                id=row.id, created_at=row.created_at, url=f"{location}/content", urls=VersionUrls(location=location)
            )
        )
    return shown


def version_address(view: View, spec: OpenApiSpecRow, version: OpenApiVersionRow) -> str:
    """Return the address of a version in the API."""
    return view.at.api("orgs", spec.organization_id, "openapi", spec.slug, "versions", version.id)
