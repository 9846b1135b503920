"""What the keys of `devkit dev` do."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable

import click

from devkit.developing.keys import Keys
from devkit.developing.reporting import Reporter
from devkit.developing.session import Session
from devkit.events import history, sending
from devkit.hosts import choosing
from devkit.hosts.client import Client, part
from devkit.hosts.organizations import organization_of
from devkit.terminal.output import Problem
from devkit.tunnel.local_port import LocalPort
from devkit.tunnel.tunnel import Tunnel
from runtime.contract.events import EVENTS

HELP = "Keys: o open the preview, e send an event, r replay the last, t tunnel on or off, c clear, q quit"
FIRST_EVENT = "space_content_updated"


class Actions:
    """The actions on one session; what goes wrong is one line in the terminal."""

    def __init__(self, session: Session, port: int, reporter: Reporter, stopping: threading.Event) -> None:
        self._session, self._port, self._reporter, self._stopping = session, port, reporter, stopping
        self._event = FIRST_EVENT
        self._tunnel: Tunnel | None = None
        self.keys = Keys(
            {
                "o": session.open_preview,
                "e": lambda: self._try(self.send_event),
                "r": lambda: self._try(self.replay_last),
                "t": lambda: self._try(self.toggle_tunnel),
                "c": click.clear,
                "q": stopping.set,
                "?": self.help,
                "h": self.help,
            }
        )

    def help(self) -> None:
        """Tell the keys."""
        self._reporter.tell("keys", HELP)

    def close(self) -> None:
        """Close the tunnel, if it is open."""
        if self._tunnel is not None:
            self._try(self._tunnel.close)

    def send_event(self) -> None:
        """Ask for a type of event, and send its fixture."""
        name = self._named()
        with self.keys.lines():
            try:
                kind = input(f"Event [{self._event}]: ").strip() or self._event
            except EOFError:
                return
        if kind not in EVENTS:
            near = difflib.get_close_matches(kind, EVENTS, 1)
            raise Problem(f"there is no event `{kind}`" + (f"; did you mean `{near[0]}`?" if near else ""))
        self._event = kind
        sent = sending.send(self._session.client, name, sending.fixture(self._session.client, name, kind))
        self._reporter.tell("sent", f"Sent {kind}: {sending.outcome(sent)}", **sent)

    def replay_last(self) -> None:
        """Send the last event that came by itself once more."""
        name, client = self._named(), self._session.client
        last = next((event for event in history.walk(client, name, 50) if history.by_itself(event)), None)
        if last is None:
            raise Problem("there is no event to replay yet; `e` sends one")
        event = history.whole(client, name, last["id"])
        sent = sending.send(client, name, sending.as_new(event["payload"], elsewhere=False), body=event.get("body"))
        text = f"Sent {last['payload']['type']} {last['id']} again: {sending.outcome(sent)}"
        self._reporter.tell("sent", text, **sent)

    def toggle_tunnel(self) -> None:
        """Give the public endpoints of this platform an address on the host you are logged in to, or take it away."""
        if self._tunnel is not None:
            tunnel, self._tunnel = self._tunnel, None
            tunnel.close()
            self._reporter.notice("The tunnel is closed.")
            return
        known = choosing.elsewhere()
        if known is None:
            raise Problem("no host is known for a tunnel; run `devkit login --host URL`")
        server = LocalPort(self._port, lambda *_: None)
        owner = organization_of(Client(known), None, "use `devkit tunnel PORT --organization ORG` instead")
        name = self._named()
        tunnel = self._tunnel = Tunnel(known, owner, f"dev {name}", server, self._reporter.notice)
        server.address = tunnel.url
        endpoint = f"{tunnel.url}/v1/integrations/{part(name)}/integration"
        self._reporter.tell("tunnel", f"The integration's public endpoint is {endpoint}", url=tunnel.url)

    def _named(self) -> str:
        if self._session.name is None:
            raise Problem("the manifest has no name yet; fix it first")
        return self._session.name

    def _try(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Problem as problem:
            if not self._stopping.is_set():
                self._reporter.notice(click.style("error: ", fg="red", bold=True) + problem.sentence)
