"""What sites know about their visitors, and what visitors did."""

from __future__ import annotations

from runtime.api.call import Call
from runtime.api.families.sites import SITE
from runtime.api.operation import Family
from runtime.api.permission import for_visitors, member, scoped
from runtime.contract import errors
from runtime.contract.adaptive import (
    AdaptiveJsonSchema,
    SiteAdaptiveSchema,
    TemplateConditions,
    UpdateAdaptiveSchema,
    template_conditions,
)
from runtime.contract.insights import TrackEvents
from runtime.serializers import sites as serializers
from runtime.services import tracking
from runtime.store import rows
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.sites import SiteAdaptiveSchemaRow, SiteRow

TRACKERS = for_visitors(scoped(member("read"), "site:views:read"))

adaptive = Family("Sites")

SCHEMA = f"{SITE.path}/adaptive-schema"
READERS = scoped(member("read"), "site:adaptive:read")


@adaptive.operation(f"GET {SCHEMA}", SiteAdaptiveSchema, needs=READERS)
def get_site_adaptive_schema(call: Call, site: SiteRow) -> SiteAdaptiveSchema:
    """Get the schema of the claims of a site's visitors."""
    row = _schema(call, site)
    if row is None:
        raise errors.NotFound("This site has no adaptive schema yet.")
    schema: SiteAdaptiveSchema = call.show(serializers.adaptive_schemas, row)
    return schema


@adaptive.operation(f"PUT {SCHEMA}", SiteAdaptiveSchema, needs=scoped(member("create"), "site:adaptive:write"))
def update_site_adaptive_schema(call: Call, site: SiteRow, body: UpdateAdaptiveSchema) -> SiteAdaptiveSchema:
    """Replace the schema of the claims of a site's visitors."""
    schema = body.json_schema.model_dump(mode="json", by_alias=True)
    row = _schema(call, site)
    if row is None:
        row = SiteAdaptiveSchemaRow(site_id=site.id, json_schema=schema)
        call.session.add(row)
    row.json_schema, row.updated_at = schema, now()
    call.session.flush()
    answer: SiteAdaptiveSchema = call.show(serializers.adaptive_schemas, row)
    return answer


@adaptive.operation(f"GET {SCHEMA}/template-conditions", TemplateConditions, needs=READERS)
def list_site_adaptive_template_conditions(call: Call, site: SiteRow) -> TemplateConditions:
    """List the conditions that a site's schema suggests."""
    row = _schema(call, site)
    items = template_conditions(AdaptiveJsonSchema.model_validate(row.json_schema)) if row is not None else []
    return TemplateConditions(items=items)


@adaptive.operation(f"POST {SITE.path}/insights/events", needs=TRACKERS, status=204)
def track_events_in_site_by_id(call: Call, site: SiteRow, body: TrackEvents) -> None:
    """Report what visitors of a published site did; integrations with the scopes get page views and ratings."""
    tracking.track(call.session, site, body.events)


def _schema(call: Call, site: SiteRow) -> SiteAdaptiveSchemaRow | None:
    return rows.find(call.session, HOST, SiteAdaptiveSchemaRow, site_id=site.id)
