"""`devkit dev --host URL`: the code on this machine answers the events of a remote host."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import Any
from urllib.parse import urlsplit

import click

from devkit.developing.keys import Keys
from devkit.developing.reloading import Live, Reloading
from devkit.developing.reporting import Reporter
from devkit.hosts import response_shapes
from devkit.hosts.client import Client, HostUnreachable, RequestRefused, part
from devkit.hosts.credentials import Credentials
from devkit.hosts.named_addresses import Resolver
from devkit.manifests.findings import Finding
from devkit.offline.sandboxed_script import SandboxedScript
from devkit.projects import project as projects
from devkit.terminal.output import Problem
from devkit.tunnel.local_engine import LocalEngine
from devkit.tunnel.tunnel import Tunnel
from runtime.engines.egress import EgressRules
from runtime.engines.sandbox import SandboxMode

LOOK_EVERY = 5.0
"""Seconds after which it is looked whether the integration is still published."""


def rules_for(client: Client, location: str, allow_egress: Sequence[str]) -> EgressRules:
    """Return what a script may reach: the host, and where the host says that its API is, may be private addresses."""
    urls = [client.host]
    with suppress(ValueError):  # it is no address, so no script will ask for it
        urlsplit(location)
        urls.append(location)
    named = (urlsplit(url).netloc for url in urls)
    return EgressRules(allow=(*named, *allow_egress), resolver=Resolver(urls, client.distance, allow_egress))


class RemoteSession(Reloading):
    """Development mode of an integration on a host, for as long as the author works here."""

    def __init__(
        self,
        credentials: Credentials,
        path: str | None,
        stopping: threading.Event,
        reporter: Reporter,
        *,
        env: str | None,
        sandbox: SandboxMode,
        everybody: bool,
    ) -> None:
        """Take a host the integration is published on; `everybody` takes the events of all organizations, too."""
        super().__init__(path, env, stopping, reporter)
        self._client, self._credentials = Client(credentials), credentials
        self._sandbox, self._everybody = sandbox, everybody
        self._engine = LocalEngine(self._tell)
        self._rules = EgressRules()
        self._mode = self._live = self._url = ""
        self._gone = threading.Event()
        self._faulty = False

    def run(self, started: float, allow_egress: Sequence[str] = ()) -> None:
        """Answer the host's events until the author stops it; raises Problem.

        `allow_egress` are private addresses, `host` or `host:port`, that the script may reach.
        """
        name = projects.load(self._path, self._env).manifest.name
        integration = self._published(name)
        self._rules = rules_for(self._client, integration["urls"]["location"], allow_egress)
        self._mode = f"/v1/integrations/{part(name)}/dev"
        with ExitStack() as closing:
            closing.callback(self._engine.close)
            closing.callback(self._watcher.stop)
            self.watch()
            tunnel = Tunnel(
                self._credentials,
                integration["owner"]["id"],
                f"dev {name} at {socket.gethostname()}",
                self._engine,
                self._reporter.notice,
                opened=self._turn_on,
            )
            closing.callback(tunnel.close)
            seconds = time.perf_counter() - started
            with Keys({"q": self._stopping.set, "c": click.clear}) as keys:
                how = "q or Ctrl-C ends it." if keys.there else "Ctrl-C ends it."
                text = f"Events of {name} on {self._client.host} are answered here. {how}"
                self._reporter.tell(
                    "ready", f"{text}  (ready in {seconds:.2f} s)", url=tunnel.url, host=self._client.host
                )
                # In a thread of its own: a host that does not answer must not keep the author from ending this.
                threading.Thread(target=self._look, args=(name,), name="published", daemon=True).start()
                while not self._stopping.wait(0.2):
                    if tunnel.over:
                        raise Problem("development mode ended; the messages above say why")
                    if self._gone.is_set():
                        raise Problem(f"{name} was unpublished from {self._client.host}: development mode ended")

    def _look(self, name: str) -> None:
        """Look again and again whether the integration is still published; a host that is away may come back."""
        client = Client(self._credentials)
        while not self._stopping.wait(LOOK_EVERY):
            try:
                client.call("GET", f"/v1/integrations/{part(name)}")
            except RequestRefused as refused:
                if refused.status == 404:
                    self._gone.set()
                    return
            except HostUnreachable:  # the tunnel says so
                continue

    def _published(self, name: str) -> dict[str, Any]:
        try:
            integration: dict[str, Any] = self._client.call(
                "GET", f"/v1/integrations/{part(name)}", shape=response_shapes.LOCATED
            )
            return integration
        except RequestRefused as refused:
            if refused.status == 404:
                raise Problem(
                    f"{name} is not published on {self._client.host}",
                    hint=f"run `devkit publish --host {self._client.host}` once",
                ) from refused
            raise

    def _turn_on(self, url: str) -> None:
        self._url = url
        self._client.call("PUT", self._mode, {"tunnelUrl": url, "all": self._everybody})

    def put_to_work(self, project: projects.Project) -> Live | None:
        """Put a project into the engine, unless it is what runs there."""
        self._reporter.warnings(projects.warnings(project))
        run = SandboxedScript(project, sandbox=self._sandbox, secrets={}, rules=self._rules)
        run.build()
        if run.script.source == self._live and not self._faulty:
            return None
        run.open()
        try:
            run.load()
        except BaseException:
            run.close()
            raise
        self._engine.put(run)
        self._live, self._faulty = run.script.source, False
        return Live("The change is live")

    def after_look(self, project: projects.Project | None) -> None:
        """Turn development mode on again: the host then tries at once what the script failed at before."""
        if not self._url or self._faulty:
            return
        try:
            # With a client of its own: the tunnel's thread uses the other one.
            Client(self._credentials).call("PUT", self._mode, {"tunnelUrl": self._url, "all": self._everybody})
        except (HostUnreachable, RequestRefused):  # the tunnel says so
            return

    def show(self, findings: list[Finding]) -> None:
        """Show errors in the terminal."""
        self._faulty = True
        self._reporter.faults(findings)

    def _tell(self, detail: dict[str, Any]) -> None:
        self._reporter.event(detail)
