"""Renders of components, by POST and by GET."""

from __future__ import annotations

from flask import Response, request
from pydantic import ValidationError

from runtime.api import render_lane
from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import ANYBODY_WITH_A_TOKEN
from runtime.api.warm_lane import FAILED, rendered
from runtime.contract import errors
from runtime.contract.lzstring import NotLzString, decompress
from runtime.contract.rendering import RenderIntegration, RenderQuery
from runtime.services.render_cache import CachedRender

rendering = Family("Integrations")

MOST_UNPACKED = 1_000_000


@rendering.operation(
    "POST /v1/integrations/{integrationName}/render",
    dict,
    needs=ANYBODY_WITH_A_TOKEN,
    own_transaction=True,
)
def render_integration_ui_with_post(call: Call, body: RenderIntegration) -> Response:
    """Render a component of an integration."""
    return answered(_render(call, body), None)


@rendering.operation(
    "GET /v1/integrations/{integrationName}/render",
    dict,
    needs=ANYBODY_WITH_A_TOKEN,
    own_transaction=True,
)
def render_integration_ui_with_get(call: Call, query: RenderQuery) -> Response:
    """Render a component of an integration; the request is LZ-string compressed JSON, the answer may be cached."""
    try:
        wanted = RenderIntegration.model_validate_json(decompress(query.request, MOST_UNPACKED))
    except NotLzString as error:
        raise errors.BadRequest(f"request: not a render request in LZ-string: {error}") from None
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(["request", *map(str, first["loc"])])
        raise errors.BadRequest(f"{where}: {first['msg']}") from None
    return answered(_render(call, wanted), request.headers.get("If-None-Match"))


def _render(call: Call, wanted: RenderIntegration) -> CachedRender:
    failed = request.environ.get(FAILED)
    if failed is not None:
        raise failed
    return rendered(call, wanted, request.environ.get(render_lane.REQUEST))


def answered(render: CachedRender, if_none_match: str | None) -> Response:
    """Build the answer to a render, or 304 where the caller has it already."""
    status, headers, body = render_lane.answer(render, if_none_match)
    return Response(body, status, headers)
