"""Renders a component: whose installation it is, what the script may see, what its answer becomes."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pydantic_core
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.invocation import Failure, Outcome
from runtime.contract.json_parts import TOO_MANY, has_too_many_parts
from runtime.contract.organizations import reaches
from runtime.contract.rendering import (
    AccountContext,
    ContentSourceContext,
    DocumentContext,
    RenderIntegration,
    SiteContext,
    SpaceContext,
)
from runtime.dispatch.deliveries import Plans, level_of
from runtime.dispatch.invoke import Invoker
from runtime.dispatch.planning import Level, Plan
from runtime.dispatch.script_event import ScriptEvent
from runtime.engines.engine import AnswerCut
from runtime.services.render_cache import CachedRender, RenderCache, max_age
from runtime.store import installed, rows
from runtime.store.epoch_cache import Basis
from runtime.store.queue import Source
from runtime.store.rows import Reach
from runtime.store.tables.installations import InstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow
from runtime.telemetry import metrics


@dataclass(frozen=True, slots=True)
class PreparedRender:
    """A render before its script is called: whose script it is, and what the script is told."""

    plan: Plan
    component: str
    event: ScriptEvent
    source: Source
    cacheable: bool


class Renderer:
    """Answers render requests, from memory where the script allowed it."""

    def __init__(self, plans: Plans, invoker: Invoker, cache: RenderCache) -> None:
        self._plans, self._invoker, self._cache = plans, invoker, cache

    def render(
        self, reach: Reach, integration: IntegrationRow, request: RenderIntegration, basis: Basis
    ) -> CachedRender:
        """Render a component; raises what `prepare` and `answer` raise."""
        return self.answer(self.prepare(reach, integration, request, basis))

    def prepare(
        self, reach: Reach, integration: IntegrationRow, request: RenderIntegration, basis: Basis
    ) -> PreparedRender:
        """Find whose render it is, and what the script is told.

        Raises NotFound when no installation covers the context, Forbidden for a configuration context without the
        right to install, and PreconditionFailed where it is paused.
        """
        context = request.context
        key = (reach, integration.id, *context.model_dump(exclude={"theme"}).values())

        def find(session: Session) -> Level | None:
            return _level(session, reach, integration, request)

        plan = self._plans.get(key, basis, find)
        if plan is None:
            raise errors.not_seen(f"`{integration.name}` is not installed there")
        fields = _fields(reach, request)
        # The host asks for readers of published sites, who may be anybody.
        source: Source = "visitors" if reach.kind in ("host", "visitor") else "people"
        cacheable = "action" not in fields and plan.tunnel_url is None
        event = ScriptEvent.of(plan, "ui_render", fields)
        return PreparedRender(plan, request.component_id, event, source, cacheable)

    def answer(self, prepared: PreparedRender) -> CachedRender:
        """Return the answer that is kept, or else the script's.

        Raises what the script's own failure becomes (docs/contract/scripts.md, "Errors of a script").
        """
        plan, event, cacheable = prepared.plan, prepared.event, prepared.cacheable
        component = (plan.script.version, prepared.component)
        if cacheable and self._cache.knows(component):
            cached = self._cache.recall(component, plan.fingerprint, event.fields())
            if cached is not None:
                metrics.render_looked_up("hit")
                return cached
        metrics.render_looked_up("miss")
        started = time.monotonic()
        render = self._invoker.render(
            plan,
            event,
            lambda outcome: _read(outcome, plan, (time.monotonic() - started) * 1000),
            source=prepared.source,
        )
        if not cacheable:
            return replace(render, expires=render.made)  # whoever keeps answers must not keep this one, either
        if render.expires > render.made:
            self._cache.keep(component, plan.fingerprint, event.fields(), render, plan.organization_id)
        return render


def _fields(reach: Reach, request: RenderIntegration) -> dict[str, Any]:
    """Build the event; a reader of a page stays unknown to the script, so that readers share a cached render."""
    fields: dict[str, Any] = {}
    context = request.context
    space_id, site_id = getattr(context, "space_id", None), getattr(context, "site_id", None)
    if isinstance(space_id, str):
        fields["spaceId"] = space_id
    if isinstance(site_id, str):
        fields["siteId"] = site_id
    reads = isinstance(context, DocumentContext) and not context.editable
    if reach.user_id is not None and not reads:
        fields["auth"] = {"userId": reach.user_id}
    return fields | request.model_dump(by_alias=True)


def _level(session: Session, reach: Reach, integration: IntegrationRow, request: RenderIntegration) -> Level | None:
    """Find the installation a context belongs to (docs/contract/contentkit.md, "Contexts")."""
    context = request.context
    if reach.kind == "visitor" and (not isinstance(context, DocumentContext) or context.editable):
        raise errors.Forbidden("A visitor's token renders only blocks in pages, for reading: send `editable: false`.")
    installation: InstallationRow | None = None
    space_id: str | None = None
    site_id: str | None = None
    if isinstance(context, DocumentContext | SpaceContext):
        space = rows.find(session, reach, SpaceRow, id=context.space_id)
        installation = installed.covering_space(session, integration, space) if space else None
        space_id = context.space_id
    elif isinstance(context, SiteContext):
        site = rows.find(session, reach, SiteRow, id=context.site_id)
        installation = installed.covering_site(session, integration.id, site) if site else None
        site_id = context.site_id
    elif isinstance(context, AccountContext | ContentSourceContext):
        organization = rows.find(session, reach, OrganizationRow, id=context.organization_id)
        if organization is not None:
            installation = installed.covering_organization(session, integration.id, organization.id)
        wanted_space = getattr(context, "space_id", None)
        space_id = wanted_space if isinstance(wanted_space, str) else None
    if installation is None or reach.installation_id not in (None, installation.id):
        return None
    if not isinstance(context, DocumentContext):
        _may_configure(reach, installation)
    level = level_of(session, integration.id, installation.id, space_id, site_id)
    if level is not None and level.paused:
        raise errors.PreconditionFailed(
            f"`{integration.name}` renders nothing: its {level.paused} is paused; resume it."
        )
    return level


def _may_configure(reach: Reach, installation: InstallationRow) -> None:
    role = reach.role_in(installation.organization_id)
    if reach.kind == "user" and not reaches(role, "admin"):
        raise errors.Forbidden(
            f"A configuration screen needs the role `admin` in organization {installation.organization_id}; "
            f"it was asked for with a user token with the role `{role or 'guest'}`.",
            on_pages="Administrators of the organization configure its integrations.",
        )


def body_of(body: bytes | Iterable[bytes]) -> bytes:
    """Collect an answer's body, which the engine has bounded; raises the API's error when it was cut off."""
    if isinstance(body, bytes):
        return body
    try:
        return b"".join(body)
    except AnswerCut as cut:
        raise failed(cut.failure) from None


def failed(failure: Failure) -> errors.ApiError:
    """Turn a call without an answer into the error the API gives."""
    kinds: dict[str, type[errors.ApiError]] = {"timeout": errors.GatewayTimeout, "overload": errors.Unavailable}
    return kinds.get(failure.kind, errors.BadGateway)(failure.message)


def script_error(status: int, body: bytes, doing: str = "rendered") -> errors.ApiError:
    """Turn a script's error answer into the API's: its sentence for a 4xx, a neutral one for the rest."""
    if status >= 500:
        return errors.ApiError(f"The integration failed while it {doing}; its event log says why.")
    if status < 400:
        return errors.BadGateway(f"The integration answered with status {status} while it {doing}.")
    try:
        parsed = None if has_too_many_parts(body) else pydantic_core.from_json(body)
        message = parsed.get("error") if isinstance(parsed, dict) else None
    except ValueError:
        message = None
    text = message if isinstance(message, str) and message else "The integration refused the request."
    return errors.ScriptAnswered(status, text[:2000])


def _read(outcome: Outcome, plan: Plan, took: float) -> CachedRender:
    """Check a script's answer and turn it into what the API sends."""
    if outcome.failure is not None:
        raise failed(outcome.failure)
    body = body_of(outcome.body)
    if outcome.status >= 400:
        raise script_error(outcome.status, body)
    kind = next((value for name, value in outcome.headers if name.lower() == "content-type"), "application/json")
    if kind.partition(";")[0].strip().lower() != "application/json":
        raise errors.BadGateway(f"The integration answered with `{kind[:100]}`; a render must be `application/json`.")
    if has_too_many_parts(body):
        raise errors.BadGateway(f"The integration answered with {TOO_MANY}.")
    try:
        output = pydantic_core.from_json(body, allow_inf_nan=False)
    except ValueError:
        output = None
    complete = isinstance(output, dict) and output.get("type") == "complete"
    drawn = isinstance(output, dict) and isinstance(output.get("element"), dict)
    if not (complete or drawn):
        raise errors.BadGateway("The integration answered with something that is not a render output.")
    cache_control = next((value for name, value in outcome.headers if name.lower() == "cache-control"), "")
    now = time.monotonic()
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return CachedRender(body, etag, cache_control[:200], plan.policy, now, now + max_age(cache_control), took)
