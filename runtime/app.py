"""`create_app(settings)`: the one place that wires everything."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from wsgiref.types import StartResponse, WSGIEnvironment

from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from runtime.api.answers import mount_errors
from runtime.api.auth import Authenticator
from runtime.api.content_origin import mount_content_origin
from runtime.api.event_stream import mount_event_stream
from runtime.api.health import mount_health
from runtime.api.host import Host, Places
from runtime.api.inbound import mount_inbound
from runtime.api.mount import mount
from runtime.api.render_lane import RenderLane
from runtime.api.table import operations
from runtime.api.tunnel_lines import mount_tunnels
from runtime.contract.addresses import Addresses
from runtime.contract.origins import PORTS
from runtime.dispatch.announcing import Announcer
from runtime.dispatch.deliveries import Deliveries, Plans
from runtime.dispatch.invoke import Invoker
from runtime.dispatch.planning import Planner
from runtime.dispatch.purging import Purger
from runtime.dispatch.recorder import Recorder
from runtime.dispatch.tunnels import Tunnels
from runtime.dispatch.worker import Dispatcher
from runtime.engines.dev_tunnel.relay import Relay
from runtime.engines.egress import EgressRules
from runtime.engines.own_tls import OwnAuthority
from runtime.engines.sandbox import SandboxUnavailable
from runtime.engines.table import create_engines
from runtime.services.render_cache import RenderCache
from runtime.services.rendering import Renderer
from runtime.settings import BadSetting, Settings
from runtime.store.database import Database
from runtime.store.epoch import Remembered
from runtime.store.founding import found
from runtime.store.migrate import migrate
from runtime.store.secrets import KeyMissing, load_keyring, use_keyring
from runtime.web import identity
from runtime.web.embed import mount_contentkit
from runtime.web.identity import mount_identity
from runtime.web.preview import mount_preview
from runtime.web.published import mount_published
from runtime.web.site_page import mount_site_page

AUTHORS = "Sample organization"
AUTHOR_EMAIL = "author@localhost"


class StartRefused(RuntimeError):
    """A host cannot start; the sentence says why."""


@dataclass(frozen=True)
class Application:
    """A WSGI application with the host behind it."""

    host: Host
    flask: Flask
    wsgi: Any

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        result: Iterable[bytes] = self.wsgi(environ, start_response)
        return result

    def close(self) -> None:
        """Finish what is in flight and end."""
        self.host.close()


def prepare(settings: Settings) -> None:
    """Do what one process must have done before any serves: the key, the schema, a sandbox that works.

    Raises StartRefused.
    """
    try:
        _prepare(settings)
    except (SandboxUnavailable, BadSetting, KeyMissing, OSError) as error:
        raise StartRefused(str(error)) from error
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error)
        raise StartRefused(f"the database cannot be used: {reason}") from error


def _prepare(settings: Settings) -> None:
    address = settings.database_address
    use_keyring(load_keyring(Path(settings.data) if settings.data else None, settings.secret_key or None))
    if settings.sandbox == "required":
        # It proves itself at its start; and a group is divided best before there are other processes.
        create_engines("required", EgressRules(), group=settings.control_group).close()
    database = Database(address)
    try:
        migrate(database)
        if settings.author_token:
            with database.transaction(writes=True) as session:
                found(session, AUTHORS, AUTHOR_EMAIL, settings.author_token)
    finally:
        database.close()


def create_app(settings: Settings) -> Application:
    """Build a host: database, engines, dispatcher and every route; `prepare` must have run."""
    use_keyring(load_keyring(Path(settings.data) if settings.data else None, settings.secret_key or None))
    database = Database(settings.database_address, alone=settings.workers == 1 and not settings.database_url)
    host = _host(settings, database)
    app = Flask("runtime", static_folder=None)
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
    mount_errors(app)
    mount_content_origin(app, host)
    mount_health(app, host)
    mount(app, host, operations())
    mount_event_stream(app, host)
    mount_inbound(app, host)
    mount_tunnels(app, host)
    mount_published(app, host)
    mount_contentkit(app)
    if settings.preview:
        mount_preview(app, host)
        mount_identity(app, host)
        mount_site_page(app, host)
    host.dispatcher.start()
    host.purger.start()
    return Application(host, app, RenderLane(app, host))


def _host(settings: Settings, database: Database) -> Host:
    addresses = Addresses(settings.public_url.rstrip("/"), settings.content_origin)
    elsewhere = settings.tunnel_url.rstrip("/")
    relay = Relay((lambda tunnel: f"{elsewhere}/{tunnel}") if elsewhere else addresses.tunnel)
    engines = create_engines(
        settings.sandbox,
        _egress(settings, addresses),
        relay,
        group=settings.control_group,
        process_per_installation=settings.process_per_installation,
    )
    tunnels = Tunnels(database)
    announcer = Announcer()
    recorder = Recorder(database, announcer, settings.keep_events)
    places = Places(settings.threads)
    invoker = Invoker(engines, recorder, settings.limits, tunnels, places.calls)
    plans = Plans(database, Planner(addresses))
    dispatcher = Dispatcher(
        database,
        Deliveries(database, plans),
        invoker,
        announcer,
        threads=settings.dispatch_threads,
        lease=settings.lease_seconds,
        schedule=settings.retry_seconds,
        keep=settings.keep_events,
    )
    renders = RenderCache(settings.render_cache_bytes)
    return Host(
        settings=settings,
        addresses=addresses,
        database=database,
        engines=engines,
        relay=relay,
        tunnels=tunnels,
        recorder=recorder,
        announcer=announcer,
        plans=plans,
        invoker=invoker,
        dispatcher=dispatcher,
        purger=Purger(database),
        authenticator=Authenticator(database),
        renders=renders,
        renderer=Renderer(plans, invoker, renders),
        named=Remembered(),
        places=places,
    )


def _egress(settings: Settings, addresses: Addresses) -> EgressRules:
    """Let scripts reach the platform's own API, wherever this process listens."""
    port = int(os.environ.get("DEVKIT_LISTEN_PORT") or urlsplit(addresses.public_url).port or 80)
    own = {_authority(url): ("127.0.0.1", port) for url in (addresses.public_url, addresses.content_url)}
    secure = any(url.startswith("https:") for url in (addresses.public_url, addresses.content_url))
    return EgressRules(
        allow=tuple(settings.allow_egress),
        own=own,
        # With the preview comes a provider of identities, which scripts that sign people in ask for tokens.
        own_paths=("/v1", identity.PATH) if settings.preview else ("/v1",),
        authority=OwnAuthority() if secure else None,
    )


def _authority(url: str) -> str:
    """Give name and port of an address; of a wildcard with its `*`, as the rules of egress know it."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or PORTS[parts.scheme]}"
