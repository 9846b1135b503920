"""Publishes integrations: a new version replaces the old one only when its script loads."""

from __future__ import annotations

import base64
import binascii
import logging
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.identifiers import new_id
from runtime.contract.integrations import Manifest, PublishIntegration
from runtime.contract.invocation import LoadReport, Script, ScriptFault
from runtime.contract.pictures import NAMES, type_of_picture
from runtime.engines.calling import PoolBusy
from runtime.engines.engine import ScriptRefused
from runtime.engines.sandbox import SandboxUnavailable
from runtime.engines.table import Engines, UnknownRuntime
from runtime.services import organization_storage, quotas
from runtime.store import locks, organizations, queue, rows, versions
from runtime.store.content import sizes
from runtime.store.rows import HOST
from runtime.store.tables.installations import InstallationRow
from runtime.store.tables.integrations import IntegrationRow, PreviewImageRow, VersionRow
from runtime.store.tables.organizations import OrganizationRow

_log = logging.getLogger(__name__)

ICON_BYTES = 250 * 1024
PREVIEW_BYTES = 1024 * 1024
MAX_INTEGRATIONS = 1000
FULL = "An organization publishes at most {most} integrations; unpublish some first."


@dataclass(frozen=True, slots=True)
class Pictures:
    """An integration's icon and previews, decoded and bounded."""

    icon: bytes | None
    previews: tuple[bytes, ...]


def owner_of(session: Session, name: str) -> OrganizationRow | None:
    """Find the publishing organization by its id or its hostname."""
    return organizations.named(session, HOST, name)


def pictures_of(body: PublishIntegration) -> Pictures:
    """Decode the pictures; raises BadRequest for what is none, or too large (docs/contract/api.md, "Pictures")."""
    icon = _picture("icon", body.icon, ICON_BYTES) if isinstance(body.icon, str) else None
    previews = (_picture(f"previewImages.{n}", text, PREVIEW_BYTES) for n, text in enumerate(body.preview_images))
    return Pictures(icon, tuple(previews))


def _picture(where: str, text: str, most: int) -> bytes:
    try:
        image = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise errors.BadRequest("not base64", field=where) from None
    if type_of_picture(image) is None:
        raise errors.BadRequest(f"it is not an image in {NAMES}; convert it", field=where)
    if len(image) > most:
        raise errors.BadRequest(f"{len(image)} bytes; at most {most} are allowed", field=where)
    return image


def check_script(
    engines: Engines, organization_id: str, name: str, body: PublishIntegration, most: int
) -> tuple[Script, LoadReport]:
    """Load the script in its sandbox before anybody depends on it; raises BadRequest with file, line and column."""
    size = len(body.script.encode())
    if size > most:
        raise errors.BadRequest(f"{size} bytes; at most {most} are allowed", field="script")
    script = Script(new_id(), body.runtime, body.script, body.entry, name)
    try:
        return script, engines.check(script, organization_id)
    except UnknownRuntime as error:
        raise errors.BadRequest(str(error), field="runtime") from None
    except PoolBusy:
        sentence = "Too many scripts of this organization are being checked; try again in a moment."
        raise errors.Unavailable(sentence) from None
    except SandboxUnavailable as error:
        _log.error("a script could not be loaded: %s", error)
        raise errors.Unavailable("This host cannot start a process to load the script in; its log says why.") from None
    except ScriptRefused as refused:
        raise errors.BadRequest(
            f"{place_of(refused.fault)}{refused.fault.message}{_hint(refused.fault)}", field="script"
        ) from None


def place_of(fault: ScriptFault) -> str:
    """Write where a fault is as `file:line:column: `, as far as it is known."""
    parts = [str(part) for part in (fault.file, fault.line, fault.column) if part is not None]
    return ":".join(parts) + ": " if fault.file else ""


def _hint(fault: ScriptFault) -> str:
    return f" ({fault.hint})" if fault.hint else ""


def store_version(
    session: Session,
    owner: OrganizationRow,
    name: str,
    body: PublishIntegration,
    script: Script,
    report: LoadReport,
    pictures: Pictures,
    keep: int,
    user: str | None,
) -> IntegrationRow:
    """Make the checked script the current version, or leave that where it is the same; `user` is who publishes it.

    Raises Forbidden when another organization took the name, BadRequest where there are too many integrations.
    """
    # Who publishes at the same time is counted after this version, or before.
    locks.acquire(session, f"integration {name}")
    row = rows.find(session, HOST, IntegrationRow, name=name)
    if row is not None and row.organization_id != owner.id:
        raise errors.Forbidden(f"The name `{name}` belongs to another organization; choose another name.")
    published: dict[str, Any] = {
        "visibility": body.visibility,
        "target": body.target,
        "title": body.title,
        "manifest": _manifest(body, pictures),
    }
    if row is not None and body.unless_same and _is_current(session, row, body, pictures, published):
        return row
    organization_storage.enforce(session, owner.id, _size(body, pictures, published))
    number = row.version + 1 if row else 1
    if row is None:
        quotas.enforce(session, IntegrationRow, MAX_INTEGRATIONS, FULL, organization_id=owner.id)
        row = IntegrationRow(
            name=name, organization_id=owner.id, version_id=script.version, version=number, **published
        )
        session.add(row)
    else:
        _make_current(session, row, script.version, number, published)
    session.flush()
    session.add(_version(row, body, script, report, pictures, published, user))
    session.flush()
    session.add_all(
        PreviewImageRow(version_id=script.version, position=place, image=image)
        for place, image in enumerate(pictures.previews)
    )
    versions.prune(session, row.id, keep)
    return row


def roll_back(session: Session, row: IntegrationRow, number: int, keep: int, user: str | None) -> None:
    """Publish an earlier version once more, as the next one; raises NotFound, BadRequest for one without manifest.

    As with any new version, events that wait for another attempt are due now. The script is not loaded again: it was,
    when it was published. Where no more may be stored, the version moves to the end instead of being there twice.
    """
    locks.acquire(session, f"integration {row.name}")
    locks.refresh(session, row)
    earlier = rows.find(session, HOST, VersionRow, integration_id=row.id, number=number)
    if earlier is None:
        raise errors.NotFound(f"`{row.name}` has no version {number} any more; its versions are listed at /versions.")
    if earlier.published is None:
        raise errors.BadRequest(
            f"Version {number} was published before this host stored what is needed to roll back to it."
        )
    try:
        organization_storage.enforce(session, row.organization_id, earlier.size)
        moves = False
    except (errors.BadRequest, errors.Unavailable):
        moves = True
    again = VersionRow(
        id=new_id(),
        integration_id=row.id,
        number=row.version + 1,
        runtime=earlier.runtime,
        entry=earlier.entry,
        script=earlier.script,
        secrets=earlier.secrets,
        report=earlier.report,
        icon=earlier.icon,
        previews=earlier.previews,
        size=earlier.size,
        published=earlier.published,
        published_by=user,
    )
    session.add(again)
    session.flush()
    for place in range(earlier.previews):
        image = versions.picture(session, earlier.id, place)
        if image is not None:
            session.add(PreviewImageRow(version_id=again.id, position=place, image=image))
    _make_current(session, row, again.id, again.number, earlier.published)
    session.flush()
    if moves:
        session.delete(earlier)
        session.flush()
    versions.prune(session, row.id, keep)


def _is_current(
    session: Session, row: IntegrationRow, body: PublishIntegration, pictures: Pictures, published: dict[str, Any]
) -> bool:
    """Return whether the current version was published with just this."""
    current = rows.find(session, HOST, VersionRow, id=row.version_id)
    if current is None or current.published != published:
        return False
    before = (current.runtime, current.entry, current.secrets, current.icon, current.previews, current.script)
    after = (body.runtime, body.entry, body.secrets, pictures.icon, len(pictures.previews), body.script)
    return before == after and all(
        versions.picture(session, current.id, place) == image for place, image in enumerate(pictures.previews)
    )


def _make_current(
    session: Session, row: IntegrationRow, version_id: str, number: int, published: dict[str, Any]
) -> None:
    for key, value in {"version_id": version_id, "version": number, **published}.items():
        setattr(row, key, value)
    live = {"integration_id": row.id, "deleted_at": None}
    if row.target == "organization":  # other organizations decide when they install
        for installation in rows.every(session, HOST, InstallationRow, **live, organization_id=row.organization_id):
            installation.for_organization = True
    else:  # whoever narrowed it to some spaces meanwhile is to be asked again
        for installation in rows.every(session, HOST, InstallationRow, **live, for_organization=True):
            installation.for_organization = False
    queue.retry_now(session, row.id)


def _manifest(body: PublishIntegration, pictures: Pictures) -> dict[str, Any]:
    manifest = body.model_dump(mode="json", by_alias=True, include=set(Manifest.model_fields))
    return manifest | {
        "runtime": body.runtime,
        "icon": pictures.icon is not None,
        "previewImages": len(pictures.previews),
    }


def _size(body: PublishIntegration, pictures: Pictures, published: dict[str, Any]) -> int:
    texts = len(body.script.encode()) + sizes.json_bytes(published) + sizes.json_bytes(body.secrets)
    return texts + len(pictures.icon or b"") + sum(map(len, pictures.previews))


def _version(
    row: IntegrationRow,
    body: PublishIntegration,
    script: Script,
    report: LoadReport,
    pictures: Pictures,
    published: dict[str, Any],
    user: str | None,
) -> VersionRow:
    return VersionRow(
        id=script.version,
        integration_id=row.id,
        number=row.version,
        runtime=body.runtime,
        entry=body.entry,
        script=body.script,
        secrets=body.secrets,
        report={
            "components": list(report.components),
            "events": list(report.events),
            "contentSources": list(report.content_sources),
        },
        icon=pictures.icon,
        previews=len(pictures.previews),
        size=_size(body, pictures, published),
        published=published,
        published_by=user,
    )
