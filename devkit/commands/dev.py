"""`devkit dev`: the whole platform on a laptop."""

from __future__ import annotations

import json
import signal
import threading
import time
import webbrowser
from pathlib import Path
from typing import Any

import click
import requests

from devkit import project, running
from devkit.build.bundle import publish_body
from devkit.client import Client, Refused, part
from devkit.commands.logs import as_text
from devkit.hosting import LocalHost, choose_port
from devkit.output import Problem, complain, json_option, say, warn
from devkit.project import Finding, Wrong
from devkit.refusals import finding_of
from devkit.reload.watching import Watcher

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@click.command("dev")
@click.argument("path", required=False)
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Port of the host; else one that stays the same per project."
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option(
    "--data", type=click.Path(file_okay=False), help="Folder for the host's data; else .devkit in the project."
)
@json_option
def command(path: str | None, port: int | None, no_open: bool, data: str | None, as_json: bool) -> None:
    """Run the integration in PATH (this folder): host, preview, reload, events and logs.

    Example: devkit dev ./my-integration --no-open
    """
    started = time.perf_counter()
    folder, _ = project.find_folder(path)
    stopping = threading.Event()
    for number in ENDINGS:  # also a terminal that closes: the host must be stopped in order then, too
        signal.signal(number, lambda *_: stopping.set())
    place = Path(data) if data else folder / running.FOLDER
    host = LocalHost(place, choose_port(folder, port))
    note = None
    try:
        session = Session(host, folder, path, stopping, as_json, no_open)
        host.wait(stopping)
        # Before the preview is announced: whoever reads that may call other commands at once.
        note = running.write(folder, host.url, place)
        session.run(started)
    finally:
        if note is not None:
            running.remove(note)
        host.stop()


class Session:
    """One run of `devkit dev`."""

    def __init__(
        self, host: LocalHost, folder: Path, path: str | None, stopping: threading.Event, as_json: bool, no_open: bool
    ) -> None:
        self._host, self._folder, self._path = host, folder, path
        self._stopping, self._json, self._no_open = stopping, as_json, no_open
        self._client = Client(host.credentials)
        self._events = Client(host.credentials)
        self._name: str | None = None
        self._announced: str | None = None
        self._installed: str | None = None
        self._warned: list[str] = []
        self._organization = ""
        self._started = 0.0
        self._faulty = False
        self._reloading = threading.Lock()
        self._watcher = Watcher(folder, self._changed)

    def run(self, started: float) -> None:
        """Publish, install, tell where the preview is, and follow files and events until the author stops it.

        Raises Problem when the host ends.
        """
        if self._stopping.is_set():
            return
        self._started = started
        self._organization = self._client.call("GET", "/v1/orgs", limit=1)["items"][0]["id"]
        # Before the first look at the files, so that no save falls between the two.
        with self._reloading:
            self._watcher.start()
            self._reload(first=True)
        threading.Thread(target=self._follow, name="events", daemon=True).start()
        while not self._stopping.wait(0.2):
            if self._host.ended():
                raise Problem(f"the host ended unexpectedly; see {self._host.log}")
        self._watcher.stop()

    def _changed(self) -> None:
        with self._reloading:
            if not self._stopping.is_set():
                self._reload()

    def _reload(self, first: bool = False) -> None:
        """Publish what the files say now; what is wrong is shown, and the last good version keeps running."""
        began = time.perf_counter()
        try:
            found = project.load(self._path)
            self._name = found.manifest.name
            body = publish_body(found, self._organization, "development")
            self._warn(found)
            shown = self._client.call("POST", f"/v1/integrations/{part(self._name)}", body)
            fresh = self._installed != self._name
            if fresh:
                self._install(shown)
                self._installed = self._name
            if fresh or self._faulty:
                self._put_fault(None)
        except Wrong as wrong:
            self._name = self._name or project.guess_name(self._path)
            self._show(wrong.findings)
        except Refused as refused:
            self._show([finding_of(refused.sentence, self._folder, self._path)])
        except Problem as problem:
            self._show([Finding(self._folder.name, 1, 1, problem.sentence)])
        except (OSError, ValueError) as error:
            # A file that cannot be read just now must not end the watching: the next save tries again.
            self._show([Finding(self._folder.name, 1, 1, f"{type(error).__name__}: {error}")])
        else:
            if not first:
                took = (time.perf_counter() - began) * 1000
                self._tell("reloaded", f"Version {shown['version']} is live ({took:.0f} ms).", version=shown["version"])
        self._announce()

    def _announce(self) -> None:
        """Tell the address of the preview, once for each name; without a name there is none yet."""
        if self._name is None:
            self._tell("waiting", "Mend the manifest; this starts by itself then.")
            return
        if self._announced == self._name:
            return
        self._announced = self._name
        url = f"{self._host.url}/preview/{part(self._name)}#key={self._host.credentials.token}"
        seconds = time.perf_counter() - self._started
        self._tell("ready", f"Preview of {self._name}: {url}  (ready in {seconds:.2f} s)", url=url, host=self._host.url)
        if not self._no_open:
            threading.Thread(target=webbrowser.open, args=(url,), name="browser", daemon=True).start()

    def _install(self, shown: dict[str, Any]) -> None:
        """Install on the sample organisation, with a space and a site to look at."""
        org = f"/v1/orgs/{self._organization}"
        if not self._client.call("GET", f"{org}/spaces", limit=1)["items"]:
            space = self._client.call("POST", f"{org}/spaces", {"title": "Sample space"})
            self._client.call("POST", f"{org}/sites", {"title": "Sample site", "spaces": [space["id"]]})
        installed = self._client.call("GET", f"{org}/installations", limit=1000)["items"]
        if any(item["integration"]["name"] == shown["name"] for item in installed):
            return
        base = f"/v1/integrations/{part(shown['name'])}/installations"
        made = self._client.call("POST", base, {"organization": self._organization})
        change = {"space_selection": "all", "site_selection": "all"}
        self._client.call("PATCH", f"{base}/{made['id']}", change)

    def _show(self, findings: list[Finding]) -> None:
        first = findings[0]
        if self._json:
            self._tell("fault", first.sentence, findings=[one.as_json() for one in findings])
        else:
            for one in findings:
                complain(one.sentence)
                if one.source is not None:
                    self._tell("", f"    {one.source}\n    {' ' * (one.column - 1)}^")
        try:
            self._put_fault(first.as_json())
        except Problem as problem:
            complain(problem.sentence)

    def _put_fault(self, fault: dict[str, Any] | None) -> None:
        self._faulty = fault is not None
        if self._name is not None:
            self._client.call("PUT", f"/preview/api/{part(self._name)}/fault", {"fault": fault})

    def _warn(self, found: project.Project) -> None:
        """Tell what is odd in the manifest, when it is something new."""
        odd = project.warnings(found)
        sentences = [one.sentence for one in odd]
        if sentences == self._warned:
            return
        self._warned = sentences
        for one in odd:
            if self._json:
                self._tell("warning", one.sentence, findings=[one.as_json()])
            else:
                warn(one.sentence)

    def _tell(self, kind: str, text: str, **more: Any) -> None:
        try:
            say(json.dumps({"type": kind, "message": click.unstyle(text), **more}) if self._json else text)
        except BrokenPipeError:
            self._stopping.set()  # nobody reads this any more

    def _follow(self) -> None:
        """Write events and logs into the terminal as they happen."""
        while not self._stopping.is_set():
            if self._installed is None:
                self._stopping.wait(0.2)
                continue
            try:
                self._read_stream(self._installed)
            except (requests.RequestException, Problem):
                self._stopping.wait(0.5)  # the host restarts, or stops: its process is watched elsewhere

    def _read_stream(self, name: str) -> None:
        kind = ""
        for raw in self._events.stream(f"/preview/api/{part(name)}/stream").iter_lines():
            if name != self._installed:
                return
            line = raw.decode()
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: ") and kind == "event":
                told = json.loads(line.removeprefix("data: "))
                detail = self._events.call("GET", f"/v1/integrations/{part(name)}/events/{told['id']}")
                self._tell("event", as_text(detail), event=detail)
