"""The preview: pages that render an integration, run its actions and show its traces to the author."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from queue import Empty
from typing import Any

from flask import Flask, Response, request

from runtime.api.call import Call
from runtime.api.entrance import admit_alone, caller
from runtime.api.families.integrations import INTEGRATION
from runtime.api.host import Host
from runtime.api.permission import Gate, member
from runtime.api.requests import parse_body, read_json
from runtime.api.server_sent_events import CONNECTED, STILL_HERE, stream, written
from runtime.api.stream_access import StreamAccess
from runtime.contract import accessibility, contentkit, errors, event_examples
from runtime.contract.base import Body, WireModel
from runtime.contract.integration_names import RULE, is_integration_name
from runtime.contract.invocation import Limits, ScriptFault
from runtime.contract.organizations import reaches
from runtime.dispatch.recorder import summary
from runtime.serializers.installations import installations, site_installations, space_installations
from runtime.serializers.integrations import integrations
from runtime.serializers.organizations import organizations
from runtime.serializers.sites import sites
from runtime.serializers.spaces import spaces
from runtime.serializers.view import View
from runtime.store import previewing, rows
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow, VersionRow
from runtime.web.assets import STATIC, send, serve
from runtime.web.origins import on_public_origin
from runtime.web.preview_pages import PAGES, page

GATE = Gate("previewIntegration", (INTEGRATION,), member("admin"))
BEAT = 15.0
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
    """The current error in an integration's source; null if there is none."""

    fault: dict[str, Any] | None


class Rendered(Body):
    """A render output that is to be examined."""

    output: Any


MOST_FAULTS = 1000
LONGEST_FAULT = 4000
"""Characters of a message, or of a line of source, that are shown."""


class Faults:
    """The fault each integration has at the moment, reported by whoever watches its source.

    The latest `MOST_FAULTS` are remembered: also names that no integration has yet may have one.
    """

    def __init__(self) -> None:
        self._now: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()

    def set(self, name: str, fault: dict[str, Any] | None) -> None:
        """Remember or forget the fault of an integration."""
        with self._lock:
            self._now.pop(name, None)
            if fault is not None:
                self._now[name] = fault
                if len(self._now) > MOST_FAULTS:
                    del self._now[next(iter(self._now))]

    def of(self, name: str) -> dict[str, Any] | None:
        """Return the fault of an integration."""
        return self._now.get(name)


def mount_preview(app: Flask, host: Host) -> None:
    """Add the pages and what they ask for."""
    faults, files = Faults(), serve(STATIC / "preview", Cache_Control="no-cache")
    routes: tuple[tuple[str, str, Callable[..., Response], tuple[str, ...]], ...] = (
        *((rule, f"preview {template}", partial(_page, host, template), ("GET",)) for rule, template in PAGES.items()),
        ("/preview/static/<path:file>", "preview static", files, ("GET",)),
        ("/preview/api/<name>", "preview state", partial(_state, host, faults), ("GET",)),
        ("/preview/api/<name>/events", "preview events", partial(_events, host), ("GET",)),
        ("/preview/api/<name>/stream", "preview stream", partial(_stream, host), ("GET",)),
        ("/preview/api/<name>/fault", "preview fault", partial(_fault, host, faults), ("PUT",)),
        ("/preview/api/<name>/examples", "preview examples", partial(_examples, host), ("GET",)),
        ("/preview/api/<name>/validate", "preview validate", partial(_validate, host), ("POST",)),
    )
    for rule, name, view, methods in routes:
        app.add_url_rule(rule, name, on_public_origin(host, view), methods=methods)


def _page(host: Host, template: str, name: str) -> Response:
    at = host.addresses
    policy = POLICY.format(here=at.public_url, content=at.integration_origin(name))
    return send(page(template), Cache_Control="no-cache", Content_Security_Policy=policy)


def _caller(host: Host, name: str) -> Call:
    return caller(host, request.headers.get("Authorization"), {"integrationName": name})


def admit(call: Call) -> None:
    """Admit administrators of the organization that owns the integration; raises NotFound for everybody else."""
    try:
        admit_alone(call, GATE)
    except errors.Forbidden:
        name = call.path["integrationName"]
        raise errors.not_seen(f"There is no integration `{name[:60]}`") from None


def admit_author(call: Call) -> bool:
    """Admit as `admit` does, and before the first version every administrator; tells whether there is a version."""
    name = call.path["integrationName"]
    if not is_integration_name(name):
        raise errors.NotFound(f"There is no integration with this name: {RULE}.")
    with call.host.database.transaction(writes=False) as session:
        published = rows.find(session, HOST, IntegrationRow, name=name) is not None
    if published or not any(reaches(role, "admin") for _, role in call.actor.reach.roles):
        admit(call)
        return True
    call.basis.use(None)  # what is not there moves no epoch when it comes: a stream looks each time
    return False


def _state(host: Host, faults: Faults, name: str) -> Response:
    call = _caller(host, name)
    if not admit_author(call):
        return _json({"integration": None, "fault": faults.of(name)})
    with host.database.transaction(writes=False) as session:
        place, view = previewing.place_of(session, name), call.view(session)
        shown: dict[str, WireModel | None] = {
            "integration": _shown(view, integrations, place.integration),
            "organization": _shown(view, organizations, place.organization),
            "installation": _shown(view, installations, place.installation),
            "space": _shown(view, spaces, place.space),
            "site": _shown(view, sites, place.site),
            "spaceInstallation": _shown(view, space_installations, place.space_part),
            "siteInstallation": _shown(view, site_installations, place.site_part),
        }
    body = {
        key: value.model_dump(mode="json", by_alias=True) if value is not None else None for key, value in shown.items()
    }
    return _json({**body, "fault": faults.of(name)})


def _shown(view: View, serialize: Callable[[View, list[Any]], Sequence[WireModel]], row: Any) -> WireModel | None:
    return serialize(view, [row])[0] if row is not None else None


def _events(host: Host, name: str) -> Response:
    admit_author(_caller(host, name))
    host.recorder.flush()
    limit = min(max(request.args.get("limit", 50, int), 0), 1000)
    with host.database.transaction(writes=False) as session:
        events = previewing.latest_events(session, name, limit)
    return _json({"items": [summary(row) for row in events]})


def _examples(host: Host, name: str) -> Response:
    """Return a payload of every type of event, as this integration might receive it, to be edited and sent."""
    call = _caller(host, name)
    offered: dict[str, Any] = {}
    if admit_author(call):
        with host.database.transaction(writes=False) as session:
            integration = _shown(call.view(session), integrations, previewing.place_of(session, name).integration)
            offered = integration.model_dump(mode="json", by_alias=True) if integration is not None else {}
    return _json({kind: event_examples.suited(kind, offered) for kind in event_examples.EVENTS})


def _fault(host: Host, faults: Faults, name: str) -> Response:
    admit_author(_caller(host, name))
    fault = parse_body(Fault, read_json(request.environ)).fault
    if fault is not None:
        known = set(asdict(ScriptFault("")))
        fault = {key: _cut(value) for key, value in fault.items() if key in known}
    faults.set(name, fault)
    host.announcer.announce(name, "fault", {"fault": fault})
    return Response(b"", 204)


def _cut(value: Any) -> Any:
    """Return a field of a fault as it is kept: a short text, or a number."""
    if isinstance(value, str):
        return value[:LONGEST_FAULT]
    return value if isinstance(value, int) and -(2**53) < value < 2**53 else None


def _validate(host: Host, name: str) -> Response:
    """Return what a render output violates, and what it leaves out that assistive technology needs."""
    admit_author(_caller(host, name))
    # A script's answer and the words around it.
    output = parse_body(Rendered, read_json(request.environ, Limits().response + 1000)).output
    return _json(
        {
            "violations": [asdict(violation) for violation in contentkit.violations(output)],
            "warnings": [asdict(warning) for warning in accessibility.warnings(output, typed=_is_typed(host, name))],
        }
    )


def _is_typed(host: Host, name: str) -> bool:
    """Return whether the script is in a language whose types say what elements have."""
    with host.database.transaction(writes=False) as session:
        integration = rows.find(session, HOST, IntegrationRow, name=name)
        version = rows.find(session, HOST, VersionRow, id=integration.version_id) if integration is not None else None
        return version is not None and version.runtime != "python"


def _stream(host: Host, name: str) -> Response:
    authorization = request.headers.get("Authorization")
    reader = StreamAccess(host, authorization, {"integrationName": name}, _admit_reader)

    def lines() -> Iterator[bytes]:
        with host.announcer.listen(name) as queue:
            yield CONNECTED
            spoke = time.monotonic()
            while True:
                try:
                    news = queue.get(timeout=LOOK_EVERY)
                except Empty:
                    if not reader.holds():
                        return
                    if time.monotonic() - spoke > BEAT:
                        yield STILL_HERE
                        spoke = time.monotonic()
                    continue
                if news is None or not reader.holds():
                    return
                spoke = time.monotonic()
                yield written(news.kind, news.data)

    return stream(host, reader.actor.owner, lines)


def _admit_reader(call: Call) -> None:
    admit_author(call)


def _json(value: Any) -> Response:
    return Response(json.dumps(value), 200, {"Cache-Control": "no-store"}, mimetype="application/json")
