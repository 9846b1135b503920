"""The preview: pages on which an author sees an integration drawn, pressed and traced."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from queue import Empty
from typing import Any

from flask import Flask, Response, request

from runtime.api.auth import Actor
from runtime.api.host import Host
from runtime.api.mount import parse, read_json
from runtime.api.standing import Standing
from runtime.contract import accessibility, contentkit, errors
from runtime.contract.base import Body, WireModel
from runtime.contract.invocation import Limits, ScriptFault
from runtime.contract.organizations import reaches
from runtime.dispatch import objects
from runtime.dispatch.recorder import summary
from runtime.store import installed, previewing, rows
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow
from runtime.web.assets import STATIC, send, serve
from runtime.web.origins import on_public_origin
from runtime.web.preview_pages import PAGES, page

BEAT = 15.0
NAME = re.compile(r"[a-zA-Z0-9-_.]{1,100}")
LOOK_EVERY = 1.0
"""Seconds between two looks at whether who watches still may."""
POLICY = (
    "default-src 'none'; script-src {here}/preview/static/ {here}/contentkit/; style-src {here}/preview/static/ "
    "{here}/contentkit/; connect-src 'self' {content} https:; img-src * data:; frame-src *; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""Code comes from the host's own files alone, and of nothing else that answers at this origin.

Lists of options come from where the integration's script answers, or from a service of its author.
"""


class Fault(Body):
    """What is wrong with an integration's source right now; null when nothing is."""

    fault: dict[str, Any] | None


class Rendered(Body):
    """A render output that is to be examined."""

    output: Any


class Faults:
    """The fault each integration has at the moment, told by whoever watches its source."""

    def __init__(self) -> None:
        self._now: dict[str, dict[str, Any]] = {}

    def set(self, name: str, fault: dict[str, Any] | None) -> None:
        """Remember or forget the fault of an integration."""
        if fault is None:
            self._now.pop(name, None)
        else:
            self._now[name] = fault

    def of(self, name: str) -> dict[str, Any] | None:
        """Give the fault of an integration."""
        return self._now.get(name)


def mount_preview(app: Flask, host: Host) -> None:
    """Add the pages and what they ask for."""
    faults = Faults()
    routes: tuple[tuple[str, str, Callable[..., Response], tuple[str, ...]], ...] = (
        *((rule, f"preview {one}", partial(_page, host, one), ("GET",)) for rule, one in PAGES.items()),
        ("/preview/static/<file>", "preview static", serve(STATIC, Cache_Control="no-cache"), ("GET",)),
        ("/preview/api/<name>", "preview state", partial(_state, host, faults), ("GET",)),
        ("/preview/api/<name>/events", "preview events", partial(_events, host), ("GET",)),
        ("/preview/api/<name>/stream", "preview stream", partial(_stream, host), ("GET",)),
        ("/preview/api/<name>/fault", "preview fault", partial(_fault, host, faults), ("PUT",)),
        ("/preview/api/<name>/validate", "preview validate", partial(_validate, host), ("POST",)),
    )
    for rule, name, view, methods in routes:
        app.add_url_rule(rule, name, on_public_origin(host, view), methods=methods)


def _page(host: Host, template: str, name: str) -> Response:
    at = host.addresses
    policy = POLICY.format(here=at.public_url, content=at.integration_origin(name))
    return send(page(template), Cache_Control="no-cache", Content_Security_Policy=policy)


def _actor(host: Host) -> Actor:
    return host.authenticator.actor(request.headers.get("Authorization"), host.database.epoch())


def admit(host: Host, name: str, actor: Actor | None = None) -> Actor:
    """Admit administrators of the organisation that owns the integration; raises NotFound for everybody else."""
    actor = actor or _actor(host)
    with host.database.transaction(writes=False) as session:
        row = rows.find(session, HOST, IntegrationRow, name=name)
    if row is None or not reaches(actor.role_in(row.organization_id), "admin"):
        raise errors.NotFound(f"There is no integration `{name[:60]}`, or this token may not see it.")
    return actor


def _admit_author(host: Host, name: str, actor: Actor | None = None) -> tuple[Actor, bool]:
    """Admit as `admit` does, and before the first version every administrator; tells whether there is a version."""
    actor = actor or _actor(host)
    if not NAME.fullmatch(name):
        raise errors.NotFound("There is no integration of this name: it has signs that no name has.")
    with host.database.transaction(writes=False) as session:
        published = rows.find(session, HOST, IntegrationRow, name=name) is not None
    if published or not any(reaches(role, "admin") for role in actor.roles.values()):
        return admit(host, name, actor), True
    return actor, False


def _state(host: Host, faults: Faults, name: str) -> Response:
    actor, published = _admit_author(host, name)
    if not published:
        return _json({"integration": None, "fault": faults.of(name)})
    at = host.addresses
    with host.database.transaction(writes=False) as session:
        place = previewing.place_of(session, name)
        owner = objects.organization_object(place.organization, at, actor.role_in(place.organization.id))
        shown: dict[str, WireModel | None] = {
            "integration": objects.integration_object(place.integration, owner, at, admin=True, install=True),
            "organization": owner,
            "installation": None,
            "space": None if place.space is None else objects.space_object(place.space, at, "admin"),
            "site": None if place.site is None else objects.site_object(place.site, at, 1),
            "spaceInstallation": None,
            "siteInstallation": None,
        }
        if place.installation is not None:
            parts = [row for row in (place.installation, place.space_part, place.site_part) if row is not None]
            names = installed.external_ids(session, [row.id for row in parts])
            shown["installation"] = objects.installation_object(
                place.installation, name, at, spaces=1, external_ids=names[place.installation.id], reveal=True
            )
            if place.space_part is not None:
                shown["spaceInstallation"] = objects.space_installation_object(
                    place.space_part,
                    name,
                    at,
                    external_ids=names[place.space_part.id],
                    reveal=True,
                    space=place.space_part.space_id,
                )
            if place.site_part is not None:
                shown["siteInstallation"] = objects.site_installation_object(
                    place.site_part,
                    name,
                    at,
                    external_ids=names[place.site_part.id],
                    reveal=True,
                    site=place.site_part.site_id,
                )
    body = {
        key: value.model_dump(mode="json", by_alias=True) if value is not None else None for key, value in shown.items()
    }
    return _json({**body, "fault": faults.of(name)})


def _events(host: Host, name: str) -> Response:
    _admit_author(host, name)
    host.recorder.flush()
    limit = min(max(request.args.get("limit", 50, int), 0), 1000)
    with host.database.transaction(writes=False) as session:
        found = previewing.latest_events(session, name, limit)
    return _json({"items": [summary(row) for row in found]})


def _fault(host: Host, faults: Faults, name: str) -> Response:
    _admit_author(host, name)
    told = parse(Fault, body=read_json())
    fault = getattr(told, "fault", None)
    if fault is not None:
        known = set(asdict(ScriptFault("")))
        fault = {key: value for key, value in fault.items() if key in known}
    faults.set(name, fault)
    host.announcer.announce(name, "fault", {"fault": fault})
    return Response(b"", 204)


def _validate(host: Host, name: str) -> Response:
    """Tell what a render output violates, and what it leaves out that assistive technology needs."""
    _admit_author(host, name)
    # A script's answer and the words around it.
    told = parse(Rendered, body=read_json(Limits().response + 1000))
    output = getattr(told, "output", None)
    return _json(
        {
            "violations": [asdict(one) for one in contentkit.violations(output)],
            "warnings": [asdict(one) for one in accessibility.warnings(output)],
        }
    )


def _stream(host: Host, name: str) -> Response:
    def may(actor: Actor) -> None:
        _admit_author(host, name, actor)

    reader = Standing(host, request.headers.get("Authorization"), may)

    def lines() -> Iterator[bytes]:
        with host.announcer.listen(name) as queue:
            yield b": hello\n\n"
            spoke = time.monotonic()
            while True:
                try:
                    told = queue.get(timeout=LOOK_EVERY)
                except Empty:
                    if not reader.holds():
                        return
                    if time.monotonic() - spoke > BEAT:
                        yield b": still here\n\n"
                        spoke = time.monotonic()
                    continue
                if told is None or not reader.holds():
                    return
                spoke = time.monotonic()
                yield f"event: {told.kind}\ndata: {json.dumps(told.data)}\n\n".encode()

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Response(host.places.stream(reader.actor.owner, lines), 200, headers, mimetype="text/event-stream")


def _json(value: Any) -> Response:
    return Response(json.dumps(value), 200, {"Cache-Control": "no-store"}, mimetype="application/json")
