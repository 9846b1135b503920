"""Specifications from which content is computed."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import Tenant, wait_for
from tests.scenarios.answers import ok

SPECIFICATION = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "tags": [{"name": "Orders", "description": "What people\nbuy."}, {"name": "Unused"}],
    "paths": {
        "/orders": {"get": {"tags": ["Orders"]}, "post": {"tags": ["Orders", "Writing"]}, "parameters": []},
        "/health": {"get": {}},
        "/shared": {"$ref": "#/components/pathItems/shared"},
    },
    "components": {"schemas": {"Order": {}, "Item": {}}, "pathItems": {"shared": {"put": {"tags": ["Writing"]}}}},
}


def specification(owner: Tenant, slug: str) -> None:
    ok(
        owner.api.post(f"/v1/orgs/{owner.id}/openapi", {"slug": slug, "source": {"text": json.dumps(SPECIFICATION)}}),
        201,
    )
    path = f"/v1/orgs/{owner.id}/openapi/{slug}"
    wait_for(lambda: ok(owner.api.get(path))["processingState"] == "complete", seconds=90)


def of_spec(slug: str, **props: Any) -> dict[str, Any]:
    return {
        "type": "builtin:openapi",
        "props": {"models": True, **props},
        "dependencies": {"spec": {"ref": {"kind": "openapi", "spec": slug}}},
    }
