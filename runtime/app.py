"""`create_app(settings)`: the one place that wires everything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from wsgiref.types import StartResponse, WSGIEnvironment

from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from runtime.api.anonymous_lanes import KnownOwners
from runtime.api.answers import mount_errors
from runtime.api.ask_streams import mount_ask_streams
from runtime.api.auth import Authenticator
from runtime.api.body_read_limit import BodyReadLimit
from runtime.api.content_origin import mount_content_origin
from runtime.api.counting import Counting
from runtime.api.event_stream import mount_event_stream
from runtime.api.health import mount_health
from runtime.api.host import HEAVIEST_NAMED, Host
from runtime.api.inbound import mount_inbound
from runtime.api.mount import mount
from runtime.api.one_processor import OneProcessor
from runtime.api.openapi_document import mount_openapi_document
from runtime.api.render_lane import RenderLane
from runtime.api.request_capacity import RequestCapacity
from runtime.api.routing import set_up_routing
from runtime.api.table import operations
from runtime.api.tunnel_lines import mount_tunnels
from runtime.background.free_memory import FreeMemory
from runtime.background.jobs import JobRunner, JobTools
from runtime.background.mailing import BadMailServer, Mailer, MailServer
from runtime.background.purging import Purger
from runtime.contract.addresses import Addresses
from runtime.contract.origins import PORTS
from runtime.dispatch.announcing import Announcer
from runtime.dispatch.broker import BadBroker, Broker, Work
from runtime.dispatch.candidates import Candidates
from runtime.dispatch.deliveries import Deliveries, Plans
from runtime.dispatch.followers import Followers
from runtime.dispatch.invoke import Invoker
from runtime.dispatch.planning import Planner
from runtime.dispatch.recorder import Recorder
from runtime.dispatch.sampling import Sampling
from runtime.dispatch.tunnels import Tunnels
from runtime.dispatch.worker import Dispatcher
from runtime.engines.dev_tunnel.relay import Relay
from runtime.engines.egress import EgressRules
from runtime.engines.interpreter_turns import Waiting, WaitingForLock
from runtime.engines.javascript import isolate_registry
from runtime.engines.own_folders import Folders
from runtime.engines.own_tls import OwnAuthority
from runtime.engines.sandbox import SandboxUnavailable
from runtime.engines.separate_process.runner import SeparateProcessRunner
from runtime.engines.table import create_engines
from runtime.services import first_sign_in
from runtime.services.answer_model import AnswerModel, BadModel
from runtime.services.job_kinds import KINDS
from runtime.services.render_cache import RenderCache
from runtime.services.render_shortcuts import RenderShortcuts
from runtime.services.rendering import Renderer
from runtime.services.search_indexing import Indexer
from runtime.services.unfurling import Unfurling
from runtime.settings import BadSetting, Settings
from runtime.store.blobs.s3 import BadBlobAddress
from runtime.store.blobs.store import BlobStore, open_blobs
from runtime.store.change_counts import ChangeCounts, Numbers
from runtime.store.database import Database
from runtime.store.database_file import KEY, DatabaseLost, path_of, refuse_lost
from runtime.store.disk import Disk
from runtime.store.epoch_cache import EpochCache
from runtime.store.migrate import NewerDatabase, migrate
from runtime.store.organizations import create_organization
from runtime.store.secrets import KeyMissing, load_keyring, use_keyring
from runtime.store.storage_limits import StorageLimits
from runtime.telemetry import tracing
from runtime.web import identity
from runtime.web.admin.mount import mount_admin
from runtime.web.embed import mount_contentkit
from runtime.web.error_pages import mount_error_pages
from runtime.web.files import mount_files
from runtime.web.identity import mount_identity
from runtime.web.pdfs import mount_pdfs
from runtime.web.preview import mount_preview
from runtime.web.sites.page import mount_site_page
from runtime.web.sites.published import mount_published

SAMPLE_ORGANIZATION = "Sample organization"
AUTHOR_EMAIL = "author@localhost"
WORK = "integration-work-"
"""How the names of folders begin in which background jobs and separate processes work."""


class StartRefused(RuntimeError):
    """A host cannot start; the message says why."""


class SettingRefused(StartRefused):
    """A host cannot start with these settings, whatever there is on this machine."""


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
        tracing.stop()


def prepare(settings: Settings) -> str | None:
    """Do what one process must have done before any serves: the key, the schema and, for several, a working sandbox.

    Gives the address at which the first person makes their account, where there is nobody yet. Raises StartRefused.
    """
    try:
        return _prepare(settings)
    except BadSetting as error:
        raise SettingRefused(str(error)) from error
    except (SandboxUnavailable, DatabaseLost, KeyMissing, NewerDatabase, OSError) as error:
        raise StartRefused(str(error)) from error
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error)
        raise StartRefused(f"the database cannot be used: {reason}") from error


def _prepare(settings: Settings) -> str | None:
    address = settings.database_address
    _mail_server(settings)
    _answer_model(settings)
    _broker(settings)
    _ = settings.blob_address
    if settings.sandbox == "required" and settings.workers > 1:
        # Several processes: check the sandbox once, before they start, which is also when the control group is best
        # divided. A single process checks it when it creates its own engines.
        create_engines("required", EgressRules(), group=settings.control_group).close()
    database = Database(address)
    try:
        _open(settings, database)
        if settings.author_token:
            with database.transaction(writes=True) as session:
                create_organization(session, SAMPLE_ORGANIZATION, AUTHOR_EMAIL, settings.author_token)
        with database.transaction(writes=False) as session:
            return first_sign_in.link(session, _addresses(settings))
    finally:
        database.close()


def _open(settings: Settings, database: Database) -> None:
    """Bring the schema up to date and load the key; raises DatabaseLost and KeyMissing."""
    data = Path(settings.data) if settings.data else None
    refuse_lost(data, database.engine)
    migrate(database)  # before a key is made: one without a database would look like the rest of a lost one
    use_keyring(load_keyring(data, settings.secret_key or None))


def create_app(
    settings: Settings, index: int = 0, changes: Numbers | None = None, port: int | None = None
) -> Application:
    """Build a host: database, engines, dispatcher and every route; `prepare` must have run.

    `index` says which of the serving processes of this machine it is for, from 0; in `changes` each of several counts
    what it changes. `port` is where it listens on this machine, for what scripts ask of the platform; else that of the
    public address. Raises StartRefused when the sandbox does not work.
    """
    use_keyring(load_keyring(Path(settings.data) if settings.data else None, settings.secret_key or None))
    file = path_of(settings.database_address)
    storage = StorageLimits(settings.organization_storage, file.parent if file is not None else None)
    # Where the database is elsewhere, processes of other machines may serve from it, too.
    counts = None if changes is None or settings.database_url else ChangeCounts(changes, index)
    database = Database(settings.database_address, alone=settings.alone, changes=counts, storage=storage)
    followers = Followers(database, alone=settings.alone)
    try:
        host = _host(settings, index, database, followers, port)
    except (BadSetting, SandboxUnavailable) as error:
        followers.close()
        database.close()
        refusal = SettingRefused if isinstance(error, BadSetting) else StartRefused
        raise refusal(str(error)) from error
    app = Flask("runtime", static_folder=None)
    set_up_routing(app)
    mount_errors(app)
    mount_content_origin(app, host)
    mount_health(app, host)
    mount_openapi_document(app, host, operations())
    lane = RenderLane(app, host, [one for one in operations() if one.lane], OneProcessor(index, settings.workers))
    mount(app, host, operations(), lane.view)
    mount_event_stream(app, host)
    mount_ask_streams(app, host)
    mount_inbound(app, host)
    mount_tunnels(app, host)
    mount_published(app, host)
    mount_site_page(app, host)
    mount_files(app, host)
    mount_pdfs(app, host)
    mount_contentkit(app)
    mount_admin(app, host)
    if settings.preview:
        mount_preview(app, host)
        mount_identity(app, host)
    mount_error_pages(app, host)
    tracing.start()
    if host.broker is not None:
        host.broker.start()
    host.dispatcher.start()
    host.purger.start()
    host.free_memory.start()
    host.jobs.start()
    host.indexer.start()
    if host.mailer is not None:
        host.mailer.start()
    return Application(
        host,
        app,
        Counting(BodyReadLimit(lane, host.capacity)),
    )


def check_files_exist(settings: Settings) -> None:
    """Raise StartRefused unless what `prepare` made is still there.

    A process that takes the place of another one would make a key and a database again, and hide what was lost.
    """
    file = path_of(settings.database_address)
    wanted = [file] if file is not None else []
    if settings.data and not settings.secret_key:
        wanted.append(Path(settings.data) / KEY)
    gone = [str(path) for path in wanted if not path.exists()]
    if gone:
        raise StartRefused(f"{' and '.join(gone)} disappeared while the host was running; put the files back")


def _host(settings: Settings, index: int, database: Database, followers: Followers, port: int | None) -> Host:
    addresses = _addresses(settings)
    elsewhere = settings.tunnel_url.rstrip("/")
    relay = Relay((lambda tunnel: f"{elsewhere}/{tunnel}") if elsewhere else addresses.tunnel)
    egress = _egress(settings, addresses, port)
    # What may refuse a setting comes before what starts threads and processes.
    blobs, broker = _blobs(settings, database), _broker(settings)
    server, model = _mail_server(settings), _answer_model(settings)
    engines = create_engines(
        settings.sandbox,
        egress,
        relay,
        group=settings.control_group,
        process_per_installation=settings.process_per_installation,
        isolates=isolate_registry.folder_of(index),
    )
    tunnels = Tunnels(database)
    announcer = Announcer()
    recorder = Recorder(database, announcer, settings.keep_events, alone=settings.alone)
    capacity = RequestCapacity(settings.threads)
    database.share(capacity.connection, Waiting, WaitingForLock)
    separate_process, folders = SeparateProcessRunner(settings.sandbox), Folders(WORK)
    # Each process has its part, so that none has to ask the others; with a preview an author looks at everything.
    part = -(-settings.record_renders // settings.workers)
    sampling = Sampling(followers, part, everything=settings.preview)
    invoker = Invoker(engines, recorder, sampling, settings.limits, tunnels, capacity.calls)
    plans = Plans(database, Planner(addresses))
    # Without a broker, other processes look for work by themselves.
    tell: Callable[[Work], None] = broker.tell if broker is not None else lambda _: None
    dispatcher = Dispatcher(
        database,
        Deliveries(database, plans),
        invoker,
        announcer,
        threads=settings.dispatch_threads,
        lease=settings.lease_seconds,
        schedule=settings.retry_seconds,
        keep=settings.keep_events,
        tell=partial(tell, "events"),
    )
    jobs = JobRunner(
        JobTools(database, egress, blobs, addresses, separate_process, folders),
        KINDS,
        settings.job_threads,
        partial(tell, "jobs"),
    )
    if broker is not None:
        broker.listen("events", dispatcher.wake_here)
        broker.listen("jobs", jobs.wake_here)
    renders = RenderCache(settings.render_cache_bytes)
    return Host(
        settings=settings,
        addresses=addresses,
        database=database,
        disk=Disk(_folders(settings)),
        engines=engines,
        relay=relay,
        tunnels=tunnels,
        recorder=recorder,
        announcer=announcer,
        followers=followers,
        plans=plans,
        candidates=Candidates(database),
        invoker=invoker,
        dispatcher=dispatcher,
        purger=Purger(database, blobs, settings.keep_events),
        free_memory=FreeMemory(),
        blobs=blobs,
        separate_process=separate_process,
        folders=folders,
        jobs=jobs,
        broker=broker,
        indexer=Indexer(database),
        answer_model=model,
        mailer=Mailer(database, server, addresses, settings.mail_retry_seconds) if server is not None else None,
        authenticator=Authenticator(database),
        known_owners=KnownOwners(),
        renders=renders,
        shortcuts=RenderShortcuts(settings.render_cache_bytes // 2),
        unfurling=Unfurling(),
        renderer=Renderer(plans, invoker, renders),
        named=EpochCache(
            database, lambda key, _: str(key[0]), heaviest=HEAVIEST_NAMED, weigh=lambda named: named.parts
        ),
        capacity=capacity,
    )


def _folders(settings: Settings) -> set[Path]:
    """Return the folders this host writes into."""
    file = path_of(settings.database_address)
    return {*([Path(settings.data).absolute()] if settings.data else []), *([file.parent] if file is not None else [])}


def _blobs(settings: Settings, database: Database) -> BlobStore:
    """Open the place for files; raises BadSetting."""
    try:
        return open_blobs(database, settings.blob_address)
    except BadBlobAddress as error:  # without the address, which may hold a password
        raise BadSetting(f"DEVKIT_BLOB_URL: {error}") from error


def _addresses(settings: Settings) -> Addresses:
    return Addresses(settings.public_url.rstrip("/"), settings.content_origin)


def _mail_server(settings: Settings) -> MailServer | None:
    """Read where e-mails go, if there is a place; raises BadSetting."""
    if not settings.smtp_url:
        return None
    try:
        return MailServer.read(settings.smtp_url, settings.mail_from)
    except BadMailServer as error:  # without the address, which may hold a password
        raise BadSetting(f"DEVKIT_SMTP_URL: {error}") from error


def _answer_model(settings: Settings) -> AnswerModel | None:
    """Read which model words answers, if one does; raises BadSetting."""
    if not settings.ask_url:
        return None
    try:
        return AnswerModel(settings.ask_url, settings.ask_key, settings.ask_model, settings.ask_seconds)
    except BadModel as error:
        raise BadSetting(f"DEVKIT_ASK_URL: {error}") from error


def _broker(settings: Settings) -> Broker | None:
    """Read how hosts tell each other of work, if they do; raises BadSetting."""
    if not settings.broker_url:
        return None
    try:
        return Broker(settings.broker_url)
    except BadBroker as error:  # without the address, which may hold a password
        raise BadSetting(f"DEVKIT_BROKER_URL: {error}") from error


def _egress(settings: Settings, addresses: Addresses, port: int | None) -> EgressRules:
    """Let scripts reach the platform's own API, wherever this process listens."""
    port = port or urlsplit(addresses.public_url).port or 80
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
    """Return name and port of an address; of a wildcard with its `*`, as the rules of egress know it."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or PORTS[parts.scheme]}"
