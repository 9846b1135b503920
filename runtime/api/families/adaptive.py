"""What sites know of their visitors, and what visitors did."""

from __future__ import annotations

from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import member, scoped
from runtime.contract import errors
from runtime.contract.adaptive import (
    AdaptiveJsonSchema,
    SiteAdaptiveSchema,
    TemplateConditions,
    UpdateAdaptiveSchema,
    template_conditions,
)
from runtime.contract.insights import TrackEvents
from runtime.services import tracking
from runtime.store import rows
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.sites import SiteAdaptiveSchemaRow

adaptive = Family("Sites")

SITE = "/v1/orgs/{organizationId}/sites/{siteId}"


@adaptive.operation(
    f"GET {SITE}/adaptive-schema",
    SiteAdaptiveSchema,
    needs=scoped(member("read"), "site:adaptive:read"),
)
def get_site_adaptive_schema(call: Call) -> SiteAdaptiveSchema:
    """Get the schema of the claims of a site's visitors."""
    row = _schema(call)
    if row is None:
        raise errors.NotFound("This site has no adaptive schema yet.")
    return _shown(row)


@adaptive.operation(
    f"PUT {SITE}/adaptive-schema",
    SiteAdaptiveSchema,
    needs=scoped(member("create"), "site:adaptive:write"),
)
def update_site_adaptive_schema(call: Call, body: UpdateAdaptiveSchema) -> SiteAdaptiveSchema:
    """Replace the schema of the claims of a site's visitors."""
    schema = body.json_schema.model_dump(mode="json", by_alias=True)
    row = _schema(call)
    if row is None:
        row = SiteAdaptiveSchemaRow(site_id=call.site.id, json_schema=schema)
        call.session.add(row)
    row.json_schema, row.updated_at = schema, now()
    call.session.flush()
    return _shown(row)


@adaptive.operation(
    f"GET {SITE}/adaptive-schema/template-conditions",
    TemplateConditions,
    needs=scoped(member("read"), "site:adaptive:read"),
)
def list_site_adaptive_template_conditions(call: Call) -> TemplateConditions:
    """List the conditions that a site's schema suggests."""
    row = _schema(call)
    items = template_conditions(AdaptiveJsonSchema.model_validate(row.json_schema)) if row is not None else []
    return TemplateConditions(items=items)


@adaptive.operation(f"POST {SITE}/insights/events", needs=scoped(member("read"), "site:views:read"), status=204)
def track_events_in_site_by_id(call: Call, body: TrackEvents) -> None:
    """Tell what visitors of a published site did; integrations that ask for it get page views and ratings."""
    tracking.track(call.session, call.site, body.events)


def _schema(call: Call) -> SiteAdaptiveSchemaRow | None:
    return rows.find(call.session, HOST, SiteAdaptiveSchemaRow, site_id=call.site.id)


def _shown(row: SiteAdaptiveSchemaRow) -> SiteAdaptiveSchema:
    return SiteAdaptiveSchema(json_schema=AdaptiveJsonSchema.model_validate(row.json_schema), updated_at=row.updated_at)
