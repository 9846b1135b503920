"""`devkit dev`: the whole platform on a laptop."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import click

from devkit.developing.reporting import Reporter
from devkit.hosts import choosing, running
from devkit.hosts.choosing import Choice
from devkit.hosts.client import part
from devkit.hosts.credentials import LOCAL
from devkit.local_host.process import LocalHost, choose_port
from devkit.offline.confinement import sandbox_option
from devkit.projects import completion, environments, names
from devkit.projects.environments import env_option
from devkit.projects.folder import find_folder
from devkit.terminal.ending import InterruptEvent
from devkit.terminal.integers import BoundedInteger
from devkit.terminal.output import Problem, json_option
from runtime.engines.sandbox import SandboxMode

ALLOW_EGRESS = "DEVKIT_ALLOW_EGRESS"
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EXAMPLES = """\b
Examples: devkit dev ./my-integration --no-open
          devkit dev --debug
          devkit dev --host https://docs.example.com"""


@click.command("dev", epilog=EXAMPLES)
@click.argument("path", required=False, shell_complete=completion.folders)
@click.option(
    "--port",
    type=BoundedInteger(1, 65535),
    help="Port of the host; default: a port that stays the same for the project.",
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option(
    "--data", type=click.Path(file_okay=False), help="Folder for the host's data; default: .devkit in the project."
)
@click.option("--fresh", is_flag=True, help="Delete the data of earlier runs and start over.")
@click.option("--debug", is_flag=True, help="Wait for a debugger (debugpy, V8 inspector), and lift the time limit.")
@click.option(
    "--debug-port",
    type=BoundedInteger(1, 65535),
    help="Port for the debugger; default: 5678 for Python, 9229 for JavaScript.",
)
@click.option("--host", help="Develop against this host: its events come here through a tunnel.")
@click.option("--token", help="A token for that host; default: DEVKIT_TOKEN, or the saved one.")
@choosing.to_option("Develop against the host of this name, as with --host.", local=False)
@click.option("--allow-egress", multiple=True, metavar="HOST[:PORT]", help="A private address the script may reach.")
@click.option("--all-events", is_flag=True, help="Also show the events for which the script has no handler.")
@click.option("--all", "everybody", is_flag=True, help="With --host or --to: receive the events of all organizations.")
@sandbox_option
@env_option
@json_option
def command(
    path: str | None,
    port: int | None,
    no_open: bool,
    data: str | None,
    fresh: bool,
    debug: bool,
    debug_port: int | None,
    host: str | None,
    token: str | None,
    to: str | None,
    allow_egress: tuple[str, ...],
    all_events: bool,
    everybody: bool,
    sandbox: SandboxMode,
    env: str | None,
    as_json: bool,
) -> None:
    """Run the integration in PATH (default: this folder): host, preview, reload, events and logs.

    The host keeps its data in the project's .devkit between runs. With --host, no host is started: while this command
    runs, the code in PATH handles the events of the integration on that host.
    """
    started = time.perf_counter()
    folder, manifest = find_folder(path)
    environments.must_exist(manifest, env)
    stopping = InterruptEvent()
    for number in ENDINGS:  # also a terminal that closes: the host must be stopped in order then, too
        signal.signal(number, lambda *_: stopping.set())
    reporter = Reporter(as_json, stopping, all_events=all_events)
    allow_egress = (*filter(None, os.environ.get(ALLOW_EGRESS, "").split(",")), *allow_egress)
    if to == LOCAL:
        raise click.UsageError("--to names another host; leave it out to use the host that this command starts.")
    if host is not None or to is not None:
        if fresh or debug or data or port:
            raise click.UsageError(
                "--host and --to cannot be combined with --port, --data, --fresh or --debug: no host is started here."
            )
        from devkit.developing.remote import RemoteSession

        known = Choice(host, token, to, quiet=True).credentials()  # it is told where events are answered from
        RemoteSession(known, path, stopping, reporter, env=env, sandbox=sandbox, everybody=everybody).run(
            started, allow_egress
        )
        return
    if token or everybody:
        raise click.UsageError("--token and --all need --host.")
    place = Path(data) if data else running.data_in(folder, fresh=fresh)
    port = choose_port(folder, port)
    try:
        if fresh:
            running.forget(place)
        with running.claim(place):
            _run(
                path,
                env,
                place,
                port,
                sandbox,
                started,
                stopping,
                reporter,
                not no_open,
                debug,
                debug_port,
                allow_egress,
            )
    except running.InUse as used:
        raise _already_running(folder, path, used) from None


def _already_running(folder: Path, path: str | None, used: running.InUse) -> Problem:
    """Say where the other `devkit dev` of this folder shows its preview, as far as that is known."""
    found = running.find(folder)
    if found is None:
        return used
    host, token = found
    name = names.guess_name(path)
    preview = f"{host}/preview/{part(name)}#key={token}" if name else host
    return Problem(
        f"a `devkit dev` is already running for this folder, with its preview at {preview} - open that, or quit the "
        "other one with q or Ctrl-C in its terminal; a second one needs another --data"
    )


def _run(
    path: str | None,
    env: str | None,
    place: Path,
    port: int,
    sandbox: SandboxMode,
    started: float,
    stopping: threading.Event,
    reporter: Reporter,
    browser: bool,
    debug: bool,
    debug_port: int | None,
    allow_egress: tuple[str, ...],
) -> None:
    """Start host, keys and, if wanted, the debugged process; stop them all in the end."""
    debuggee = note = host = None
    settings: dict[str, str] = {}
    try:
        if debug:
            from devkit.developing import debugging
            from devkit.projects import project as projects

            debuggee = debugging.start(projects.load(path, env), debug_port, place / "debug.log")
            settings = {"wall_seconds": str(debugging.NO_LIMIT)}
            allow_egress = (*allow_egress, debuggee.address)
        if allow_egress:
            settings["allow_egress"] = ",".join(allow_egress)
        reporter.tell("starting", "Starting the host …")
        host = LocalHost(place, port, sandbox, **settings)
        # Imported only now, while the host starts.
        from devkit.developing.actions import HELP, Actions
        from devkit.developing.session import Session

        session = Session(host, path, stopping, reporter, env=env, browser=browser, debuggee=debuggee)
        actions = Actions(session, host.port, reporter, stopping)
        host.wait(stopping)
        # Before anything is announced: whoever reads that may call other commands at once, which find this host then.
        note = _write_note(find_folder(path)[0], host.url, place, reporter)
        if debuggee is not None:
            reporter.tell(
                "debug",
                f"Waiting for a debugger at 127.0.0.1:{debuggee.port}: {debuggee.hint}. Ctrl-C ends it.",
                port=debuggee.port,
            )
            debuggee.wait(stopping)
        with actions.keys:
            if actions.keys.there:
                reporter.tell("keys", HELP)
            try:
                session.run(started)
            finally:
                actions.close()
    finally:
        if note is not None:
            running.remove(note)
        if debuggee is not None:
            debuggee.close()
        if host is not None:
            host.stop()


def _write_note(folder: Path, url: str, place: Path, reporter: Reporter) -> Path | None:
    """Let other commands find this host; skipped if the project is not writable, or has another one that runs."""
    if (first := running.other(folder, place)) is not None:
        hint = f"`--host {url}` and its token, which is in {place / running.TOKEN}"
        reporter.notice(f"Other commands keep using the `devkit dev` at {first}; for this one, give {hint}.")
        return None
    try:
        return running.write(folder, url, place)
    except OSError as error:
        hint = f"other commands need `--host {url}` and its token, which is in {place / running.TOKEN}"
        reporter.notice(f"{folder / running.FOLDER} cannot be written ({error.strerror}): {hint}.")
        return None
