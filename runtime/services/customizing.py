"""Changes the customization of sites and their spaces."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.conditions import ConditionEvaluator
from runtime.contract.customization_overrides import OverrideCustomization
from runtime.contract.customizations import STANDARD, SiteCustomizationSettings, changed, merged, written
from runtime.services.site_removal import lock_site
from runtime.store import customizations, rows
from runtime.store.rows import HOST
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.sites import SiteRow

MAX_LENGTH, MAX_TOGETHER = 128 * 1024, 4 * 1024 * 1024
"""Characters of one customization as JSON, and of all that a published site is shown with, in one answer."""


def of_site(session: Session, site: SiteRow) -> SiteCustomizationSettings:
    """Return the customization of a site."""
    return SiteCustomizationSettings.model_validate(_settings(session, site))


def of_spaces(session: Session, site: SiteRow, site_space_ids: list[str]) -> dict[str, SiteCustomizationSettings]:
    """Return the customizations of those spaces of a site that have overrides."""
    settings = _settings(session, site)
    overrides = customizations.of_spaces(session, site_space_ids)
    return {
        site_space_id: SiteCustomizationSettings.model_validate(merged(settings, other))
        for site_space_id, other in overrides.items()
    }


def of_space(session: Session, site: SiteRow, site_space: SiteSpaceRow) -> SiteCustomizationSettings:
    """Return the customization of a space of a site."""
    return of_spaces(session, site, [site_space.id]).get(site_space.id) or of_site(session, site)


def for_visitor(settings: SiteCustomizationSettings, visitor: ConditionEvaluator) -> SiteCustomizationSettings:
    """Remove header links whose condition a visitor does not meet."""
    links = [
        link for link in settings.header.links if not isinstance(link.condition, str) or visitor.meets(link.condition)
    ]
    return settings.model_copy(update={"header": settings.header.model_copy(update={"links": links})})


def set_site(session: Session, site: SiteRow, settings: SiteCustomizationSettings) -> SiteCustomizationSettings:
    """Set the whole customization of a site."""
    lock_site(session, site)
    before = customizations.length(session, site.id)
    customizations.set_site(session, site.id, _fitting(written(settings)))
    _check_together(session, site, before)
    return settings


def override(
    session: Session, site: SiteRow, site_space: SiteSpaceRow, change: OverrideCustomization
) -> SiteCustomizationSettings:
    """Change the overrides of a space; null removes one."""
    _hold_space(session, site, site_space)
    before = customizations.length(session, site.id)
    overrides = customizations.of_spaces(session, [site_space.id]).get(site_space.id, {})
    customizations.set_space(session, site_space.id, _fitting(changed(overrides, written(change))))
    _check_together(session, site, before)
    return of_space(session, site, site_space)


def clear(session: Session, site: SiteRow, site_space: SiteSpaceRow) -> bool:
    """Remove all overrides of a space; returns whether it had any."""
    _hold_space(session, site, site_space)
    return customizations.set_space(session, site_space.id, {})


def _fitting(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings that are not too long; raises BadRequest."""
    if len(json.dumps(settings)) > MAX_LENGTH:
        raise errors.BadRequest(
            f"A customization has at most {MAX_LENGTH >> 10} KB as JSON: use fewer or shorter links."
        )
    return settings


def _check_together(session: Session, site: SiteRow, before: int) -> None:
    """Refuse what makes the customizations of a site too long together, or longer if they are; raises BadRequest."""
    if customizations.length(session, site.id) > max(MAX_TOGETHER, before):
        raise errors.BadRequest(
            f"The customizations of a site and its spaces have at most {MAX_TOGETHER >> 20} MB together, where that of "
            "the site counts for each space with overrides: use fewer or shorter links."
        )


def _hold_space(session: Session, site: SiteRow, site_space: SiteSpaceRow) -> None:
    lock_site(session, site)
    if rows.find(session, HOST, SiteSpaceRow, id=site_space.id) is None:
        raise errors.NotFound("The site space was removed a moment ago.")


def _settings(session: Session, site: SiteRow) -> dict[str, Any]:
    return customizations.of_site(session, site.id) or STANDARD
