"""Which scope a script's token needs for which operation, for whoever must know without asking a host.

What the host serves is written by `make openapi` from what its operations need (docs/contract/api.md, "Scopes").
"""

from __future__ import annotations

import re
from typing import NamedTuple

from runtime.contract.integrations import Scope
from runtime.contract.served_scopes import SERVED


class ScopedCall(NamedTuple):
    """An operation, by its name in the contract and by its address, and the scope it needs."""

    name: str
    method: str
    path: str
    scope: Scope


_SPACE, _SITE = "/v1/spaces/{spaceId}", "/v1/orgs/{organizationId}/sites/{siteId}"
_CONTENT, _REVISION = f"{_SPACE}/content", f"{_SPACE}/revisions/{{revisionId}}"
_OPENAPI = "/v1/orgs/{organizationId}/openapi"
_SPEC = f"{_OPENAPI}/{{specSlug}}"

PLANNED: tuple[ScopedCall, ...] = (
    # What the contract has and this host does not serve yet.
    ScopedCall("searchSpaceContent", "GET", f"{_SPACE}/search", "space:content:read"),
    ScopedCall("listFiles", "GET", f"{_CONTENT}/files", "space:content:read"),
    ScopedCall("getFileById", "GET", f"{_CONTENT}/files/{{fileId}}", "space:content:read"),
    ScopedCall("listFilesInRevisionById", "GET", f"{_REVISION}/files", "space:content:read"),
    ScopedCall("importContent", "POST", f"{_CONTENT}/import", "space:content:write"),
    ScopedCall("importContentInPageById", "POST", f"{_CONTENT}/page/{{pageId}}/import", "space:content:write"),
    ScopedCall("importGitRepository", "POST", f"{_SPACE}/git/import", "space:git:sync"),
    ScopedCall("exportToGitRepository", "POST", f"{_SPACE}/git/export", "space:git:sync"),
    ScopedCall("listOpenAPISpecs", "GET", _OPENAPI, "openapi:read"),
    ScopedCall("getOpenAPISpecBySlug", "GET", _SPEC, "openapi:read"),
    ScopedCall("listOpenAPISpecVersions", "GET", f"{_SPEC}/versions", "openapi:read"),
    ScopedCall("getLatestOpenAPISpecVersion", "GET", f"{_SPEC}/versions/latest", "openapi:read"),
    ScopedCall("createOpenAPISpec", "POST", _OPENAPI, "openapi:write"),
    ScopedCall("createOrUpdateOpenAPISpecBySlug", "PUT", _SPEC, "openapi:write"),
    ScopedCall("deleteOpenAPISpecBySlug", "DELETE", _SPEC, "openapi:write"),
)
CALLS: tuple[ScopedCall, ...] = (*(ScopedCall(*call) for call in SERVED), *PLANNED)
_PARAMETER = re.compile(r"\\\{\w+\\\}")
_PATTERNS = [(one, re.compile(_PARAMETER.sub("[^/]+", re.escape(one.path)))) for one in CALLS]


def call_at(method: str, path: str) -> ScopedCall | None:
    """Find the operation at an address such as `/v1/spaces/abc`; None where it needs no scope, or is not known."""
    return next((call for call, pattern in _PATTERNS if call.method == method and pattern.fullmatch(path)), None)
