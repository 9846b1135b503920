"""One run of `devkit dev` with a host of its own."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from typing import Any

from devkit.build.bundle import publish_body
from devkit.build.esbuild_service import EsbuildService
from devkit.developing import browsers
from devkit.developing.code_warnings import code_warnings
from devkit.developing.debugging import Debuggee
from devkit.developing.reloading import Live, Reloading
from devkit.developing.reporting import Reporter
from devkit.developing.sample_content import fill
from devkit.events import following
from devkit.hosts import installations
from devkit.hosts.client import Client, part
from devkit.local_host.process import LocalHost
from devkit.manifests.findings import Finding
from devkit.projects import names
from devkit.projects import project as projects
from devkit.terminal.output import Problem


class Session(Reloading):
    """Publishes what the files say, installs it, and follows files and events until the author stops it."""

    def __init__(
        self,
        host: LocalHost,
        path: str | None,
        stopping: threading.Event,
        reporter: Reporter,
        *,
        env: str | None = None,
        browser: bool = True,
        debuggee: Debuggee | None = None,
    ) -> None:
        """Take a host that is ready; `debuggee` runs the script in its place."""
        super().__init__(path, env, stopping, reporter)
        self.client = Client(host.credentials)
        self.name: str | None = None
        self.preview: str | None = None
        self._host, self._browser, self._debuggee = host, browser, debuggee
        self._installed: str | None = None
        self._followed = threading.Event()
        self._organization = ""
        self._endpoints: list[str] = []
        self._started: float | None = None
        self._faulty = False
        self._live = b""
        self._bundler = EsbuildService()

    def run(self, started: float) -> None:
        """Work until the author stops it; raises Problem when the host ends."""
        if self._stopping.is_set():
            return
        self._started = started
        self._organization = next(self.client.every("/v1/orgs", 1))["id"]
        try:
            self.watch()
            while not self._stopping.wait(0.2):
                if self._host.ended():
                    raise Problem("the host ended unexpectedly", hint=f"see {self._host.log}")
        finally:
            self._followed.set()
            self._watcher.stop()
            self._bundler.close()

    def open_preview(self) -> None:
        """Show the preview in a browser, or its address if there is none."""
        if self.preview is not None:
            threading.Thread(target=self._open, args=(self.preview,), name="browser", daemon=True).start()

    def _open(self, url: str) -> None:
        if not browsers.open_page(url):
            self._reporter.notice(f"No browser can be opened from here; the preview is at {url}")

    def put_to_work(self, project: projects.Project) -> Live | None:
        """Publish a project, unless it is what was published last, and install it."""
        moment = time.time()
        self.name = project.manifest.name
        body = publish_body(project, self._organization, "development", self._host.sandbox, self._bundler)
        digest = hashlib.sha256(json.dumps([self.name, body]).encode()).digest()
        if digest == self._live and not self._faulty:
            return None  # another file changed: a log beside the sources must not make versions, which are logged again
        # What ran last is often what is started again: only a change makes a version.
        sent = body | {"unlessSame": True}
        published = self.client.call("POST", f"/v1/integrations/{part(self.name)}", sent)
        if self._debuggee is not None:
            self._debuggee.put(body["script"])
        former = self._installed
        if former != self.name:
            self._install(published)
            self._follow(self.name, moment)
        if former != self.name or self._faulty:
            self._put_fault(self.name, None)
        if former not in (None, self.name):
            self._tell_renamed(former, self.name)
        self._live = digest
        return Live(f"Version {published['version']} is live", {"version": published["version"]})

    def after_look(self, project: projects.Project | None) -> None:
        """Announce the preview, and then what is questionable: somebody waits for the announcement."""
        self._announce()
        if project is not None:
            self._reporter.warnings([*projects.warnings(project), *code_warnings(project)])

    def _announce(self) -> None:
        """Report the address of the preview, once for each name; without a name there is none yet."""
        if self.name is None:
            self._reporter.tell("waiting", "Fix the manifest; the preview then starts by itself.")
            return
        url = f"{self._host.url}/preview/{part(self.name)}#key={self._host.credentials.token}"
        if self.preview == url:
            return
        self.preview = url
        text = f"Preview of {self.name}: {url}"
        if self._started is not None:
            text += f"  (ready in {time.perf_counter() - self._started:.2f} s)"
            self._started = None
        self._reporter.tell("ready", text, url=url, host=self._host.url)
        if self._endpoints:
            places = "\n  ".join(self._endpoints)
            self._reporter.tell("endpoints", f"Addresses for incoming requests:\n  {places}", urls=self._endpoints)
        if self._browser:  # where none opens, the address stands in the line before
            threading.Thread(target=browsers.open_page, args=(url,), name="browser", daemon=True).start()

    def _install(self, published: dict[str, Any]) -> None:
        """Install on the sample organization, with a space and a site to look at."""
        self._send_to_debuggee(published["name"])
        org = f"/v1/orgs/{self._organization}"
        if next(self.client.every(f"{org}/spaces", 1), None) is None:
            space = self.client.call("POST", f"{org}/spaces", {"title": "Sample space"})
            fill(self.client, space["id"], published)
            self.client.call("POST", f"{org}/sites", {"title": "Sample site", "spaces": [space["id"]]})
        own = installations.find(self.client, published["name"], self._organization)
        if own is None:
            own = self.client.call(
                "POST", installations.path_of(published["name"]), {"organization": self._organization}
            )
            change = {"space_selection": "all", "site_selection": "all"}
            self.client.call("PATCH", installations.path_of(published["name"], own["id"]), change)
        self._endpoints = [one["urls"]["publicEndpoint"] for one in (published, own)]

    def _send_to_debuggee(self, name: str) -> None:
        """Have events go where the script runs: to the debugged process, or to the sandbox again."""
        path = f"/v1/integrations/{part(name)}/dev"
        if self._debuggee is not None:
            self.client.call("PUT", path, {"tunnelUrl": self._debuggee.url, "all": True})
        else:
            self.client.call("DELETE", path)

    def show(self, findings: list[Finding]) -> None:
        """Show errors in the terminal, and on the page of the preview."""
        self.name = self.name or names.guess_name(self._path)
        self._reporter.faults(findings)
        try:
            self._faulty = True
            if self.name is not None:
                self._put_fault(self.name, findings[0].as_json())
        except Problem as problem:
            self._reporter.notice(problem.sentence)

    def _put_fault(self, name: str, fault: dict[str, Any] | None) -> None:
        if name == self.name:
            self._faulty = fault is not None
        self.client.call("PUT", f"/preview/api/{part(name)}/fault", {"fault": fault})

    def _tell_renamed(self, former: str, name: str) -> None:
        """Say on the open preview, and in the terminal, that the project is another integration from now on."""
        self._put_fault(former, {"message": f"The manifest names the integration `{name}` now; open its own preview."})
        self._reporter.notice(f"The manifest names the integration `{name}` now; `{former}` stays as it was.")

    def _follow(self, name: str, since: float) -> None:
        """Write the events of this name since it was published, and no longer those of the one before."""
        self._followed.set()
        self._installed, self._followed = name, threading.Event()
        threading.Thread(
            target=self._tell_events, args=(name, since, self._followed), name="events", daemon=True
        ).start()

    def _tell_events(self, name: str, since: float, ended: threading.Event) -> None:
        client = Client(self._host.credentials)
        try:
            for detail in following.follow(client, name, ended, lambda _: None, after=f"{since:.6f}"):
                self._reporter.event(detail)
        except Problem as problem:
            if not ended.is_set() and not self._stopping.is_set():
                self._reporter.notice(f"events are no longer shown: {problem.sentence}")
