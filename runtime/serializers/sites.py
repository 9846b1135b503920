"""Sites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import MISSING

from runtime.contract.adaptive import AdaptiveJsonSchema, SiteAdaptiveSchema
from runtime.contract.sites import (
    CustomVisitorAuth,
    IntegrationVisitorAuth,
    Site,
    SiteFeature,
    SiteFeatureKey,
    SiteProxy,
    SiteUrls,
)
from runtime.serializers.published_urls import published_base, published_home
from runtime.serializers.view import View
from runtime.store import customizations, installed
from runtime.store.tables.sites import SiteAdaptiveSchemaRow, SiteRow


def sites(view: View, rows: Sequence[SiteRow], *, share_key: str | None = None) -> list[Site]:
    """Show sites, each with the number of its spaces that the actor may see; `share_key` is that of a single one."""
    if not rows:
        return []
    counts = installed.count_site_spaces(view.session, view.reach, [row.id for row in rows])
    icons = customizations.favicons(view.session, [row.id for row in rows])
    return [_site(view, row, counts.get(row.id, 0), icons.get(row.id), share_key) for row in rows]


def _site(view: View, row: SiteRow, spaces: int, icon: dict[str, Any] | None, share_key: str | None) -> Site:
    at = view.at
    return Site(
        id=row.id,
        type=row.type,  # type: ignore[arg-type]
        title=row.title,
        icon=icon or MISSING,  # type: ignore[arg-type]  # which was validated when it was stored
        basename=row.basename or MISSING,
        proxy=SiteProxy(origin=row.proxy, target=at.site(row.id)) if row.proxy else MISSING,
        visibility=row.visibility,  # type: ignore[arg-type]
        published=row.published,
        site_spaces=spaces,
        created_at=row.created_at,
        adaptive_content={"enabled": row.adaptive_content},
        agents_context=row.agents_context,  # type: ignore[arg-type]
        features=[SiteFeature(id=one, plan=row.type) for one in _features(row)],  # type: ignore[arg-type]
        visitor_auth=_visitor_auth(row),
        urls=SiteUrls(
            location=at.api("orgs", row.organization_id, "sites", row.id),
            app=at.app("orgs", row.organization_id, "sites", row.id),
            # Integrations expect one for every published site. Without its key, that of a site with share links
            # refuses visitors.
            published=published_base(at, row, share_key) or (published_home(at, row) if row.published else MISSING),
        ),
    )


def _features(row: SiteRow) -> Iterator[SiteFeatureKey]:
    """Yield what every site has, and what the settings of this one enable."""
    yield "sites-advanced-customization"
    if row.adaptive_content:
        yield "sites-adaptive-content"
    if row.visibility == "share-link":
        yield "sites-share-links"
    if row.visibility == "visitor-auth":
        yield "sites-visitor-authentication"


def _visitor_auth(row: SiteRow) -> Any:
    if row.visitor_auth_backend == "integration" and row.visitor_auth_integration:
        return IntegrationVisitorAuth(backend="integration", integration=row.visitor_auth_integration)
    return CustomVisitorAuth(backend="custom") if row.visitor_auth_backend else MISSING


def adaptive_schemas(view: View, rows: Sequence[SiteAdaptiveSchemaRow]) -> list[SiteAdaptiveSchema]:
    """Show the schemas of visitors' claims."""
    return [
        SiteAdaptiveSchema(json_schema=AdaptiveJsonSchema.model_validate(row.json_schema), updated_at=row.updated_at)
        for row in rows
    ]
