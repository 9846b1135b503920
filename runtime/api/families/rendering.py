"""Renders of components, by POST and by GET."""

from __future__ import annotations

from pydantic import ValidationError

from runtime.api.call import Call
from runtime.api.families.integrations import INTEGRATION
from runtime.api.operation import FROM_SCRIPTS, Family
from runtime.api.permission import ANYBODY_OR_VISITOR
from runtime.contract import errors
from runtime.contract.lzstring import NotLzString, decompress
from runtime.contract.rendering import RenderIntegration, RenderQuery
from runtime.contract.validation import bad_request
from runtime.services.rendering import PreparedRender
from runtime.store.tables.integrations import IntegrationRow

rendering = Family("Integrations")

RENDER = f"{INTEGRATION.path}/render"
MAX_UNPACKED = 1_000_000


@rendering.operation(
    f"POST {RENDER}", dict, needs=ANYBODY_OR_VISITOR, own_transaction=True, lane=True, also=FROM_SCRIPTS
)
def render_integration_ui_with_post(call: Call, integration: IntegrationRow, body: RenderIntegration) -> PreparedRender:
    """Render a component of an integration."""
    return call.host.renderer.prepare(call.actor.reach, integration, body, call.basis)


@rendering.operation(
    f"GET {RENDER}", dict, needs=ANYBODY_OR_VISITOR, own_transaction=True, lane=True, also=FROM_SCRIPTS
)
def render_integration_ui_with_get(call: Call, integration: IntegrationRow, query: RenderQuery) -> PreparedRender:
    """Render a component of an integration; the request is LZ-string compressed JSON, the answer may be cached."""
    try:
        render = RenderIntegration.model_validate_json(decompress(query.request, MAX_UNPACKED))
    except NotLzString as error:
        raise errors.BadRequest(f"not a render request in LZ-string: {error}", field="request") from None
    except ValidationError as error:
        raise bad_request(error, within="request") from None
    return call.host.renderer.prepare(call.actor.reach, integration, render, call.basis)
