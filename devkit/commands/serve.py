"""`devkit serve`: the host."""

from __future__ import annotations

# Which Python imports at the first look-up of an address: serving processes are forks, and one that was made while
# another thread imports it would wait for that thread, which it does not have.
import encodings.idna  # noqa: F401
import errno
import gc
import logging
import multiprocessing
import multiprocessing.util
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import wait as wait_for_end
from pathlib import Path
from typing import Any

import click
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings

from devkit.files import private_files
from devkit.local_host import descriptors, hang_watch, stuck_requests
from devkit.local_host.host_settings import settings_of
from devkit.local_host.log import log_to_errors
from devkit.local_host.new_host import new_host_notice
from devkit.local_host.parent_watch import end_with_starter
from devkit.local_host.serving import GIVE_UP_AFTER, Server, Shared
from devkit.terminal.integers import BoundedInteger
from devkit.terminal.output import Mistake, Problem, json_option, note, print_result
from runtime.engines.cgroups import find_groups
from runtime.engines.dev_tunnel import tunnel_registry as relays
from runtime.engines.javascript import isolate_registry as isolates
from runtime.engines.own_folders import Folders
from runtime.settings import MOST_WORKERS, BadSetting, Settings
from runtime.telemetry import metrics

log = logging.getLogger(__name__)

GARBAGE = (700, 10, 10)
"""Python's default garbage collection thresholds: unlike most commands, a host runs for a long time."""
SWITCH_INTERVAL = 0.0002
"""Seconds after which a thread that computes gives up the interpreter when others wait for it. Python's default of 5 ms
is as long as several renders take, and a render waits for the interpreter several times: beside three threads that
compute, one that answers took 22 to 69 ms (p99) with that default and takes 5 ms now; the three get as much done."""
PORT_PATIENCE = 1.0
"""Seconds in which a port may become free."""
STARTING = 1.0
"""Seconds after which a serving process listens for signals."""
HEADER_SECONDS = 30
"""How long a connection may be open on which no whole head of a request came."""
STOP_AFTER = 45
"""Seconds after SIGTERM until calls that do not end are cut off; a call may take 30."""


@click.command("serve")
@click.option(
    "--data", type=click.Path(file_okay=False), help="Folder with the database; a new host begins in an empty one."
)
@click.option("--database-url", help="A database elsewhere, for example postgresql://user@host/name.")
@click.option("--host", "address", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8080, show_default=True, type=BoundedInteger(1, 65535), help="Port to listen on.")
@click.option("--workers", type=BoundedInteger(1, MOST_WORKERS), help="Serving processes; DEVKIT_WORKERS, else 1.")
@click.option("--sandbox", type=click.Choice(["required", "off"]), help="Whether scripts must run in a sandbox.")
@click.option("--allow-egress", multiple=True, metavar="HOST[:PORT]", help="A private address scripts may reach.")
@click.option("--public-url", help="Address at which people and scripts reach the host.")
@json_option
def command(
    data: str | None,
    database_url: str | None,
    address: str,
    port: int,
    workers: int | None,
    sandbox: str | None,
    allow_egress: tuple[str, ...],
    public_url: str | None,
    as_json: bool,
) -> None:
    """Run the host until it is stopped; SIGTERM lets the calls in flight finish first.

    Example: devkit serve --data ./data --port 8080
    """
    options: dict[str, Any] = {
        "sandbox": sandbox,
        "workers": workers,
        "allow_egress": allow_egress or None,
        "public_url": public_url or os.environ.get("DEVKIT_PUBLIC_URL") or f"http://{_reachable(address)}:{port}",
    }
    settings = settings_of(data, database_url, **options)
    _must_be_free(address, port)
    notice = new_host_notice(settings)
    if settings.data:
        try:
            private_files.folder(Path(settings.data))
        except OSError as error:
            raise Problem(
                f"{settings.data} cannot be written: {error.strerror}", hint="choose another --data"
            ) from error
    end_with_starter()
    descriptors.raise_limit()
    log_to_errors(settings)
    os.umask(private_files.UMASK)  # also for what the database and the processes of scripts make
    try:
        private_files.tighten_database(settings.database_address)
    except (BadSetting, OSError) as error:
        raise Problem(str(error)) from error
    if settings.sandbox == "required":
        find_groups(settings.control_group)  # which is divided best before there are other processes
    lent = os.environ.get(relays.FOLDER)
    relay = relays.folders() if lent is None else None
    if relay is not None:
        os.environ[relays.FOLDER] = str(relay.new())
    # Folders that the environment names already would be those of another host.
    counts = Folders("devkit-metrics-") if settings.workers > 1 else None
    lending = isolates.folders() if settings.workers > 1 else None
    for name, shared in ((metrics.SHARED, counts), (isolates.FOLDER, lending)):
        os.environ.pop(name, None)
        if shared is not None:
            os.environ[name] = str(shared.new())
    shared_ones = {metrics.SHARED: counts, isolates.FOLDER: lending, relays.FOLDER: relay}
    made = {name: folders for name, folders in shared_ones.items() if folders is not None}
    try:
        _run(settings, address, port, as_json, notice, partial(_keep, made, set()))
    finally:
        for folders in made.values():
            folders.close()


def _keep(made: dict[str, Folders], lost: set[str]) -> None:
    """Make the folders again that processes meet in, where the system has tidied them away: a host runs for months.

    Of those that cannot be had it says so once, and tries again.
    """
    for name, folders in made.items():
        try:
            folders.again(Path(os.environ[name]))
            lost.discard(name)
        except OSError as error:
            if name not in lost:
                log.error("a folder that serving processes share is gone: %s", error)
            lost.add(name)


def _must_be_free(address: str, port: int) -> None:
    """Refuse a port that is in use: the web server would share it with the other listener.

    A host that was killed may take a moment to let go of it.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    until = time.monotonic() + PORT_PATIENCE
    while True:
        with socket.socket(family) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind((address, port))
                return
            except OSError as error:
                if error.errno != errno.EADDRINUSE or time.monotonic() > until:
                    wrong = "--port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else "--host"
                    raise Problem(
                        f"cannot listen on {address}:{port}: {error.strerror}", hint=f"choose another {wrong}"
                    ) from error
        time.sleep(0.05)


def _end_with_server(shared: Shared) -> None:
    """Stop serving when the leading process is gone: nobody else could stop this one."""
    leader = multiprocessing.parent_process()
    if leader is not None:
        wait_for_end([leader.sentinel])
        shared.stopping.value = 1
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(STOP_AFTER)
        os._exit(1)


def _prepare(settings: Settings, shared: Shared) -> None:
    """Prepare the host once, before any process serves; raises StartRefused."""
    from runtime.app import prepare

    shared.first = prepare(settings)


def _load(
    settings: Settings, shared: Shared, address: str, port: int, self_request_path: str, index: int
) -> stuck_requests.SelfRequests:
    """Build the host, in the serving process of this index.

    A single one prepares the host as well, when it is the first: the process that leads it then never loads it, which
    saves a fourth of the host's memory. Several are forks of a leader that has, and share what it has loaded.
    """
    from runtime.app import SettingRefused, StartRefused, check_files_exist, create_app

    log_to_errors(settings)  # a fork does so already
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        if settings.workers > 1 or shared.served.value:
            check_files_exist(settings)
        else:
            _prepare(settings, shared)
        app = create_app(settings, index, shared.changes if settings.workers > 1 else None, port)
    except StartRefused as error:
        if shared.served.value:
            raise
        shared.refuse(str(error), setting=isinstance(error, SettingRefused))
        os.kill(os.getppid(), signal.SIGTERM)
        raise SystemExit(1) from error
    except Exception:
        if not shared.served.value:  # trying for ever would help nobody: it has never worked
            shared.failed.value = 1
            os.kill(os.getppid(), signal.SIGTERM)
        raise
    shared.served.value = 1
    hang_watch.beat(shared.beats, index)
    # These objects live forever: exclude them. Collecting first would take 0.2 s and free almost nothing.
    gc.freeze()
    gc.set_threshold(*GARBAGE)  # not before: looking through all that is being built takes as long as building it

    loaded = time.monotonic()

    def end_streams() -> None:
        while not shared.stopping.value:
            time.sleep(0.05)
        nudging = time.monotonic() + 3 if time.monotonic() - loaded < STARTING else 0.0
        app.host.announcer.close()
        # A signal that came before the web server listened for it is lost, and the leader would wait in vain. Once
        # it listens, a second one would cut off the calls in flight.
        while time.monotonic() < nudging:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1)

    threading.Thread(target=end_streams, name="stop", daemon=True).start()
    threading.Thread(target=_end_with_server, args=[shared], name="leader", daemon=True).start()
    # Runs when the serving process ends in order: calls in flight are over by then.
    multiprocessing.util.Finalize(None, app.close, exitpriority=100)
    served = stuck_requests.SelfRequests(app, (_reachable(address), port), self_request_path)
    served.thread.start()
    return served


def _prepare_for_all(settings: Settings, shared: Shared) -> None:
    """Prepare the host and load all modules, so that the serving processes share them."""
    from runtime.app import SettingRefused, StartRefused

    try:
        _prepare(settings, shared)
    except SettingRefused as error:
        raise Mistake(str(error)) from error
    except StartRefused as error:
        raise Problem(str(error)) from error
    gc.freeze()


def _accepts(address: str, port: int) -> bool:
    try:
        with socket.create_connection((address, port), timeout=5):
            return True
    except OSError:
        return False


def _reachable(address: str) -> str:
    return "127.0.0.1" if address in ("0.0.0.0", "::") else address


def _run(settings: Settings, address: str, port: int, as_json: bool, notice: str, keep: Callable[[], None]) -> None:
    server = Server(
        "runtime.app",
        address=address,
        port=port,
        interface=Interfaces.WSGI,
        # Until it knows which HTTP a client speaks, the server waits for it without end.
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_SECONDS * 1000),
        workers=settings.workers,
        keep=keep,
        blocking_threads=settings.threads,
        backpressure=descriptors.connections(settings.threads * 4),
        websockets=False,
        log_enabled=False,
        respawn_failed_workers=True,
        workers_kill_timeout=STOP_AFTER,
    )

    url = f"http://{address}:{port}"

    def announce() -> None:
        # The web server opens its port in the serving process: whoever reads this line may call at once.
        while not _accepts(_reachable(address), port):
            time.sleep(0.01)
        lines = [f"listening on {url}"]
        facts = {"type": "listening", "url": url}
        if first := server.shared.first:
            lines.append(f"no account exists yet; whoever opens this link becomes the administrator: {first}")
            facts["setupUrl"] = first
        print_result(as_json, facts, *lines)
        if notice:
            note(notice)

    if settings.workers > 1:
        _prepare_for_all(settings, server.shared)
    threading.Thread(target=announce, name="announcing", daemon=True).start()
    loader = partial(_load, settings, server.shared, address, port, stuck_requests.new_path())
    server.serve(target_loader=loader, wrap_loader=False)
    if server.shared.failed.value:
        kind = Mistake if server.shared.wrong_setting.value else Problem
        raise kind(server.shared.refusal or "the host could not start; the messages above say why")
    if server.gave_up:
        raise Problem(
            f"no serving process could be started for {GIVE_UP_AFTER:.0f} s; the messages above say why. "
            "Fix that, and start the host again"
        )
