"""API specifications of organizations, and their versions."""

from __future__ import annotations

import json

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.operation import Family
from runtime.api.permission import Needs, for_visitors, member, scoped
from runtime.api.resource import Resource
from runtime.api.stored_json import StoredJson
from runtime.contract import errors
from runtime.contract.openapi_specs import (
    CreateSpec,
    OpenApiSpec,
    OpenApiSpecContent,
    OpenApiSpecVersion,
    WriteSpec,
    is_slug,
)
from runtime.serializers import openapi_specs as serializers
from runtime.services.openapi_specs.shown import SHOWN
from runtime.services.openapi_specs.sources import Sources
from runtime.store import openapi_specs as store
from runtime.store.cursors import newest_first
from runtime.store.tables.openapi_specs import OpenApiSpecRow, OpenApiVersionRow
from runtime.store.tables.organizations import OrganizationRow

SPEC = Resource(
    "specification",
    OpenApiSpecRow,
    at="openapi/{specSlug}",
    within=ORGANIZATION,
    key="slug",
    parent_column="organization_id",
    model=OpenApiSpec,
    serialize=serializers.specs,
    order=newest_first(OpenApiSpecRow.created_at, OpenApiSpecRow.id),
    located=False,
)
VERSION = Resource(
    "specification_version",
    OpenApiVersionRow,
    at="versions/{versionId}",
    within=SPEC,
    parent_column="spec_id",
    model=OpenApiSpecVersion,
    serialize=serializers.versions,
    order=newest_first(OpenApiVersionRow.created_at, OpenApiVersionRow.id),
)
MOST_BODY = 25 * 1024 * 1024
"""Longest body, in bytes: the text, and the escapes that JSON adds to it."""
READERS: Needs = scoped(member("read"), "openapi:read")
WRITERS: Needs = scoped(member("create"), "openapi:write")

openapi_specs = Family("OpenAPI specs", SPEC, VERSION)

crud.list_of(openapi_specs, SPEC, "listOpenAPISpecs", "List the API specifications of an organization.", needs=READERS)


@openapi_specs.operation(
    f"POST {SPEC.collection}",
    SPEC,
    needs=WRITERS,
    status=201,
    own_transaction=True,
    max_body_bytes=MOST_BODY,
    also=("429",),
)
def create_openapi_spec(call: Call, organization: OrganizationRow, body: CreateSpec) -> OpenApiSpecRow:
    """Create an API specification, which is processed in the background."""
    spec = sources(call).create(organization.id, body.slug, body.source)
    call.after.append(call.host.jobs.wake)
    return spec


crud.get(openapi_specs, SPEC, "getOpenAPISpecBySlug", "Get an API specification.", needs=READERS)


@openapi_specs.operation(
    f"PUT {SPEC.path}", SPEC, needs=WRITERS, own_transaction=True, max_body_bytes=MOST_BODY, also=("201", "429")
)
def create_or_update_openapi_spec_by_slug(
    call: Call, organization: OrganizationRow, specification: OpenApiSpecRow | None, body: WriteSpec
) -> OpenApiSpecRow:
    """Create an API specification, or give an existing one a source; the same address is fetched again."""
    slug = call.path["specSlug"]
    if not is_slug(slug):
        raise errors.BadRequest(
            "must be lower-case letters and digits with single hyphens in between, at most 100 characters",
            field="specSlug",
        )
    spec, is_new = sources(call).put(organization.id, slug, body.source)
    call.status = 201 if is_new else 200
    call.after.append(call.host.jobs.wake)
    return spec


crud.list_of(
    openapi_specs,
    VERSION,
    "listOpenAPISpecVersions",
    "List the versions of an API specification.",
    needs=READERS,
)


@openapi_specs.operation(f"GET {VERSION.collection}/latest", VERSION, needs=READERS)
def get_latest_openapi_spec_version(call: Call, specification: OpenApiSpecRow) -> OpenApiVersionRow:
    """Get the latest version of an API specification."""
    return latest(call, specification)


@openapi_specs.operation(f"GET {VERSION.collection}/latest/content", OpenApiSpecContent, needs=for_visitors(READERS))
def get_latest_openapi_spec_version_content(call: Call, specification: OpenApiSpecRow) -> StoredJson:
    """Get all files of the latest version of an API specification."""
    reach = call.actor.reach
    if reach.kind == "visitor" and not SHOWN.shows(call.session, reach, specification.slug):
        raise errors.NotFound(f"No page of this site shows the specification `{specification.slug}`.")
    return content_of(call, specification, latest(call, specification))


crud.get(openapi_specs, VERSION, "getOpenAPISpecVersionById", "Get a version of a specification.", needs=READERS)


@openapi_specs.operation(f"GET {VERSION.path}/content", OpenApiSpecContent, needs=READERS)
def get_openapi_spec_version_content_by_id(
    call: Call, specification: OpenApiSpecRow, specification_version: OpenApiVersionRow
) -> StoredJson:
    """Get all files of a version of an API specification."""
    return content_of(call, specification, specification_version)


def _remove(call: Call, spec: OpenApiSpecRow) -> None:
    if (sent := store.waiting_source(spec)) is not None:
        call.after.append(lambda: call.host.blobs.discard(sent))
    if not store.remove(call.session, spec):
        call.status = 204


crud.delete(
    openapi_specs,
    SPEC,
    "deleteOpenAPISpecBySlug",
    "Delete an API specification with all its versions.",
    needs=WRITERS,
    by=_remove,
)


def sources(call: Call) -> Sources:
    """Return the service that stores sources on this host."""
    host = call.host
    return Sources(host.database, host.blobs, host.settings.openapi_fetch_seconds)


def latest(call: Call, spec: OpenApiSpecRow) -> OpenApiVersionRow:
    """Find the latest version; raises NotFound that says why there is none."""
    version = store.version_of(call.session, spec)
    if version is not None:
        return version
    because = "could not be read; `lastProcessedErrors` says why" if spec.error_code else "is being processed"
    raise errors.NotFound(f"There is no version of `{spec.slug}` yet: it {because}.")


def content_of(call: Call, spec: OpenApiSpecRow, version: OpenApiVersionRow) -> StoredJson:
    """Return the content of a version, as it is stored."""
    address = serializers.version_address(call.view(call.session), spec, version)
    after = f',"url":{json.dumps(f"{address}/content")}}}'
    return StoredJson(b'{"filesystem":', call.host.blobs.open(version.blob), version.size, after.encode())
