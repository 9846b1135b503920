"""Installs integrations on organizations, spaces and sites, changes and removes them; each change is an event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.batches import batched
from runtime.contract.installations import UpdatePart
from runtime.dispatch import outbox
from runtime.services import disk_room, organization_storage, quotas
from runtime.store import installed, locks, rows
from runtime.store.content.sizes import json_bytes
from runtime.store.database import now
from runtime.store.installed import LivePart
from runtime.store.rows import HOST
from runtime.store.tables.installations import (
    Configured,
    InstallationRow,
    SiteInstallationRow,
    SpaceInstallationRow,
)
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

TargetKind = Literal["account", "space", "site"]
Part = SpaceInstallationRow | SiteInstallationRow
P = TypeVar("P", SpaceInstallationRow, SiteInstallationRow)
EVENT: dict[TargetKind, str] = {"account": "installation", "space": "space_installation", "site": "site_installation"}
_KINDS: dict[type[Configured], TargetKind] = {SpaceInstallationRow: "space", SiteInstallationRow: "site"}


MAX_INSTALLED, MAX_PARTS = 1000, 50_000
"""How often an integration is installed on one organization, and an installation on spaces or sites that people name,
within the days that what was uninstalled is kept."""
AT_ONCE = 500
"""Spaces or sites whose parts are looked for in one statement."""
REMOVED_AT_ONCE = 100
"""Parts that are held in memory at a time, with their configurations, while all are removed."""
MAX_TOLD = 16 << 20
"""Bytes of all configurations that a script is told, in `previous`, of parts that are removed together."""
SHORT = 4096
"""Bytes up to which a configuration is not counted at all; a longer one counts in full."""
FULL = "This was installed and uninstalled {most} times within 30 days; wait a few days, or leave it installed."


def status_for(manifest: dict[str, Any], kind: TargetKind, configuration: dict[str, Any], *, paused: bool) -> str:
    """Return the status an installation has: paused, pending while a required property is empty, else active.

    Source: docs/contract/api.md, "Installations". A configuration drawn by a component requires nothing by itself.
    """
    if paused:
        return "paused"
    schema = (manifest.get("configurations") or {}).get(kind) or {}
    missing = [name for name in schema.get("required", ()) if configuration.get(name) in (None, "")]
    return "pending" if missing else "active"


def install(session: Session, integration: IntegrationRow, organization_id: str) -> InstallationRow:
    """Install an integration on an organization; raises Conflict when it is there already."""
    locks.acquire(session, f"{integration.id} on {organization_id}")
    locks.refresh(session, integration)
    if installed.covering_organization(session, integration.id, organization_id) is not None:
        raise errors.Conflict(f"`{integration.name}` is already installed on this organization.")
    quotas.enforce(
        session, InstallationRow, MAX_INSTALLED, FULL, organization_id=organization_id, integration_id=integration.id
    )
    row = InstallationRow(
        integration_id=integration.id,
        organization_id=organization_id,
        for_organization=integration.target == "organization",
        configuration={},
        status=status_for(integration.manifest, "account", {}, paused=False),
    )
    session.add(row)
    session.flush()
    outbox.emit_to(session, "installation_setup", row, {"status": row.status})
    return row


def install_on_space(
    session: Session, integration: IntegrationRow, installation: InstallationRow, space: SpaceRow
) -> SpaceInstallationRow:
    """Install on a space of the installation's organization.

    Raises Conflict when it is there already, NotFound when the space has just gone.
    """
    _hold(session, installation)
    quotas.enforce(session, SpaceInstallationRow, MAX_PARTS, FULL, installation_id=installation.id)
    locks.refresh(session, space)
    if space.deleted_at is not None or space.organization_id != installation.organization_id:
        raise errors.NotFound("The space was deleted a moment ago.")
    _fits(integration, "space")
    if rows.find(session, HOST, SpaceInstallationRow, **_alive(installation, space_id=space.id)) is not None:
        raise errors.Conflict(f"`{integration.name}` is already installed on this space.")
    status = status_for(integration.manifest, "space", {}, paused=False)
    row = SpaceInstallationRow(installation_id=installation.id, space_id=space.id, configuration={}, status=status)
    return _added(session, installation, row, "space", space.id)


def install_on_site(
    session: Session, integration: IntegrationRow, installation: InstallationRow, site: SiteRow
) -> SiteInstallationRow:
    """Install on a site of the installation's organization.

    Raises Conflict when it is there already, NotFound when the site has just gone.
    """
    _hold(session, installation)
    quotas.enforce(session, SiteInstallationRow, MAX_PARTS, FULL, installation_id=installation.id)
    _fits(integration, "site")
    locks.refresh(session, site)
    if site.deleted_at is not None:
        raise errors.NotFound("The site was deleted a moment ago.")
    if rows.find(session, HOST, SiteInstallationRow, **_alive(installation, site_id=site.id)) is not None:
        raise errors.Conflict(f"`{integration.name}` is already installed on this site.")
    status = status_for(integration.manifest, "site", {}, paused=False)
    row = SiteInstallationRow(installation_id=installation.id, site_id=site.id, configuration={}, status=status)
    return _added(session, installation, row, "site", site.id)


def _must_have_room(session: Session, installation: InstallationRow, row: Any, configuration: dict[str, Any]) -> None:
    """Check that there is room for a configuration, and note its size; raises as `organization_storage.enforce` does.

    Short ones are not counted, since most are short and change often. On a full disk all are refused: each is stored
    once more, with what was before, in the event that tells of it.
    """
    size = json_bytes(configuration)
    counted = size if size > SHORT else 0
    if counted > row.size:
        organization_storage.enforce(session, installation.organization_id, counted - row.size)
    else:
        disk_room.enforce(session)
    row.size = counted


def update(
    session: Session,
    integration: IntegrationRow,
    installation: InstallationRow,
    row: Any,
    kind: TargetKind,
    body: UpdatePart,
    *,
    by_person: bool,
) -> None:
    """Change an installation of any kind; a change of status or configuration is told to the script with `previous`."""
    _hold(session, installation, row)
    previous = {"status": row.status, "configuration": row.configuration}
    if body.configuration is not MISSING:
        if body.configuration != row.configuration:
            _must_have_room(session, installation, row, body.configuration)
        row.configuration = body.configuration
    if body.external_ids is not MISSING:
        installed.set_external_ids(session, row.id, body.external_ids)
        row.revision += 1
    if body.status is not MISSING:
        paused = body.status == "paused"
        # Who paused it first is remembered: a script that says it again does not make it its own pause.
        row.paused_by_person = paused and (by_person or (row.paused and row.paused_by_person))
        row.paused = paused
    row.updated_at = now()
    row.status = status_for(integration.manifest, kind, row.configuration, paused=row.paused)
    if (row.status, row.configuration) != (previous["status"], previous["configuration"]):
        row.revision += 1
        fields = {**_place(row), "status": row.status, "previous": previous}
        outbox.emit_change(session, f"{EVENT[kind]}_setup", installation, fields)
    session.flush()


def select_all(session: Session, integration: IntegrationRow, installation: InstallationRow, kind: TargetKind) -> None:
    """Install on every space or site there is, as `all` means (docs/contract/api.md, "Installations")."""
    _hold(session, installation)
    _hold_content(session, installation.organization_id)
    table: Any = SpaceRow if kind == "space" else SiteRow
    every = rows.every(session, HOST, table, organization_id=installation.organization_id, deleted_at=None)
    cover(session, integration, installation, every)


def cover(
    session: Session,
    integration: IntegrationRow,
    installation: InstallationRow,
    contents: Sequence[SpaceRow] | Sequence[SiteRow],
) -> None:
    """Install on spaces or sites, except where it is installed already; not if the integration is not meant for them.

    There may be thousands, and others wait until all of it is written: nothing here asks the database for each.
    """
    kind: TargetKind = "space" if contents and isinstance(contents[0], SpaceRow) else "site"
    if not contents or integration.target not in ("all", kind):
        return
    table: Any = SpaceInstallationRow if kind == "space" else SiteInstallationRow
    place, ids = f"{kind}_id", [content.id for content in contents]
    # Some may have been chosen one by one before everything was selected.
    mine = table.installation_id == installation.id
    there = {part.content_id for part in _parts_on(session, table, ids, mine)}
    status = status_for(integration.manifest, kind, {}, paused=False)
    values = {"installation_id": installation.id, "configuration": {}, "status": status}
    fresh = [one for one in ids if one not in there]
    session.add_all(table(**values, **{place: one}) for one in fresh)
    session.flush()
    told = ({f"{kind}Id": one, "status": status} for one in fresh)
    outbox.emit_to(session, f"{EVENT[kind]}_setup", installation, *told)


def _parts_on(session: Session, table: Any, ids: Sequence[str], *conditions: Any) -> list[LivePart]:
    """Find what is installed on spaces or sites."""
    column = table.space_id if table is SpaceInstallationRow else table.site_id
    among = (column.in_(batch) for batch in batched(ids, AT_ONCE))
    return [part for some in among for part in installed.live_parts(session, table, some, *conditions)]


def content_added(session: Session, *contents: SpaceRow | SiteRow) -> None:
    """Install what selects everything on spaces, or on sites, of one organization that just came to it."""
    if not contents:
        return
    organization_id = contents[0].organization_id
    _hold_content(session, organization_id)
    by = {"space_selection" if isinstance(contents[0], SpaceRow) else "site_selection": "all"}
    for installation in rows.every(
        session, HOST, InstallationRow, organization_id=organization_id, deleted_at=None, **by
    ):
        integration = rows.find(session, HOST, IntegrationRow, id=installation.integration_id)
        if integration is not None:
            cover(session, integration, installation, contents)  # type: ignore[arg-type]


def _hold_content(session: Session, organization_id: str) -> None:
    """Let what is made and what selects everything come one after the other: either sees the other then."""
    locks.acquire(session, f"content of {organization_id}")


def ids_in(session: Session, organization_id: str) -> list[str]:
    """Return the ids of what is installed on an organization, to be held: nothing is installed meanwhile."""
    alive = rows.every(session, HOST, InstallationRow, organization_id=organization_id, deleted_at=None)
    return [installation.id for installation in alive]


def uninstall_from(session: Session, spaces: Sequence[SpaceRow]) -> None:
    """Remove every installation from spaces; each script hears of it.

    Whoever calls this holds what is installed (`ids_in`). There may be thousands, as for `cover`.
    """
    by_installation: dict[str, list[LivePart]] = {}
    for part in _parts_on(session, SpaceInstallationRow, [space.id for space in spaces]):
        by_installation.setdefault(part.installation_id, []).append(part)
    for installation in rows.by_id(session, InstallationRow, by_installation).values():
        _remove_parts(session, installation, SpaceInstallationRow, by_installation[installation.id])


def uninstall(session: Session, installation: InstallationRow) -> None:
    """Remove an installation and all its parts; the script hears of each, once."""
    if not _held(session, installation):
        return
    for table in (SpaceInstallationRow, SiteInstallationRow):
        parts = installed.live_parts(session, table, table.installation_id == installation.id)
        _remove_parts(session, installation, table, parts)
    _removed(session, installation, installation)


def uninstall_part(session: Session, installation: InstallationRow, part: Part) -> None:
    """Remove an installation from a space or site; the script hears of it once."""
    if _held(session, installation, part):
        _removed(session, installation, part)


def _hold(session: Session, *changed: Configured) -> None:
    """Read what is to be changed as it stands now, and keep others from it; raises NotFound for what was removed."""
    if not _held(session, *changed):
        raise errors.NotFound("It was uninstalled a moment ago.")


def _held(session: Session, *changed: Configured) -> bool:
    """Read what is to be changed as it stands now, and keep others from it; tells whether all of it is there."""
    locks.acquire(session, *(getattr(row, "installation_id", row.id) for row in changed))
    locks.refresh(session, *changed)
    return all(row.deleted_at is None for row in changed)


def _remove_parts(
    session: Session, installation: InstallationRow, table: type[Part], parts: Sequence[LivePart]
) -> None:
    """Remove parts of one kind, of which there may be thousands.

    The script is told of their configurations only where all together are short enough to be told at once.
    """
    told: list[dict[str, Any]] = []
    brief = sum(part.size for part in parts) > MAX_TOLD
    for batch in batched([part.id for part in parts], REMOVED_AT_ONCE):
        found = rows.by_id(session, table, batch)
        # Whoever deletes the integration at this moment does not wait for the lock held here.
        told += [_gone(found[one], brief=brief) for one in batch if one in found]
        session.flush()  # which lets go of what was loaded
    if told:
        outbox.emit_deletion(session, f"{EVENT[_KINDS[table]]}_deleted", installation, *told)


def _removed(session: Session, installation: InstallationRow, row: Configured) -> None:
    """Note that an installation, or a part of it, was removed; the script hears of it."""
    told = _gone(row)
    session.flush()
    outbox.emit_deletion(session, f"{EVENT[_KINDS.get(type(row), 'account')]}_deleted", installation, told)


def _gone(row: Configured, *, brief: bool = False) -> dict[str, Any]:
    """Mark a row as deleted, and say so; `brief` without its configuration."""
    row.deleted_at = now()
    previous = {} if brief and row.configuration else {"configuration": row.configuration}
    return {**_place(row), "previous": previous}


def _added(session: Session, installation: InstallationRow, row: P, kind: TargetKind, content_id: str) -> P:
    session.add(row)
    session.flush()
    outbox.emit_to(session, f"{EVENT[kind]}_setup", installation, {f"{kind}Id": content_id, "status": row.status})
    return row


def _fits(integration: IntegrationRow, kind: str) -> None:
    if integration.target not in ("all", kind):
        raise errors.BadRequest(
            f"`{integration.name}` is made for the target `{integration.target}`, not for a {kind}."
        )


def _alive(installation: InstallationRow, **by: str) -> dict[str, Any]:
    return {"installation_id": installation.id, "deleted_at": None, **by}


def _place(row: Configured) -> dict[str, str]:
    if isinstance(row, SpaceInstallationRow):
        return {"spaceId": row.space_id}
    if isinstance(row, SiteInstallationRow):
        return {"siteId": row.site_id}
    return {}
