"""What the keys of `devkit dev` do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from devkit.developing.keys import Keys
from devkit.developing.reporting import Reporter
from devkit.developing.session import Session
from devkit.events import history, sending
from devkit.events.types import unknown
from devkit.hosts import choosing
from devkit.hosts.client import Client, part
from devkit.hosts.organizations import organization_of
from devkit.terminal.output import Problem, styled
from devkit.tunnel.local_port import LocalPort
from devkit.tunnel.tunnel import Tunnel
from runtime.contract.events import EVENTS

HELP = "Keys: o open the preview, e send an event, r repeat the last event, t tunnel on or off, c clear, q quit"
NONE = "-"
"""Typed for an event where none is to be sent; Escape, q and Ctrl-D do the same."""
FIRST_EVENT = "space_content_updated"


class Actions:
    """The actions on one session; errors are one line in the terminal."""

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
        """Print the keys."""
        self._reporter.tell("keys", HELP)

    def close(self) -> None:
        """Close the tunnel, if it is open."""
        if self._tunnel is not None:
            self._try(self._tunnel.close)

    def send_event(self) -> None:
        """Ask for a type of event among those this integration can receive, and send its fixture."""
        name = self._named()
        offered = receivable(self._session.client.call("GET", f"/v1/integrations/{part(name)}"))
        if self._event not in offered:
            self._event = FIRST_EVENT if FIRST_EVENT in offered else offered[0]
        self._reporter.notice(f"It can receive {', '.join(offered)}.")
        with self.keys.lines():
            try:
                typed = input(f"Event [{self._event}], or - for none: ").strip() or self._event
            except EOFError:
                typed = NONE
        if typed in (NONE, "\x1b", "q"):
            self._reporter.notice("Nothing was sent.")
            return
        self._event = kind = meant(typed, offered)
        sent = sending.send(self._session.client, name, sending.fixture(self._session.client, name, kind))
        self._reporter.sent(f"Sent {kind}: {sending.outcome(sent)}", sent)

    def replay_last(self) -> None:
        """Send the last event again, whatever its type."""
        name, client = self._named(), self._session.client
        last = next(iter(history.latest(client, name, 1)), None)
        if last is None:
            raise Problem("there is no event to repeat yet", hint="`e` sends one")
        event = history.whole(client, name, last["id"])
        sent = sending.send(client, name, sending.as_new(event["payload"], elsewhere=False), body=event.get("body"))
        text = f"Sent {last['payload']['type']} {last['id']} again: {sending.outcome(sent)}"
        self._reporter.sent(text, sent)

    def toggle_tunnel(self) -> None:
        """Open or close a tunnel that gives the public endpoints an address on the host you are logged in to."""
        if self._tunnel is not None:
            tunnel, self._tunnel = self._tunnel, None
            tunnel.close()
            self._reporter.notice("The tunnel is closed.")
            return
        known = choosing.elsewhere()
        if known is None:
            raise Problem("no host is known for a tunnel", hint="run `devkit login --host URL`")
        server = LocalPort(self._port, lambda *_: None)
        owner = organization_of(Client(known), None, "use `devkit tunnel PORT --organization ORG` instead")
        name = self._named()
        tunnel = self._tunnel = Tunnel(known, owner, f"dev {name}", server, self._reporter.notice)
        server.address = tunnel.url
        endpoint = f"{tunnel.url}/v1/integrations/{part(name)}/integration"
        self._reporter.tell("tunnel", f"The integration's public endpoint is {endpoint}", url=tunnel.url)

    def _named(self) -> str:
        if self._session.name is None:
            raise Problem("the manifest has no name yet", hint="fix it first")
        return self._session.name

    def _try(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Problem as problem:
            if not self._stopping.is_set():
                self._reporter.notice(styled("error: ", fg="red", bold=True) + problem.sentence)


def receivable(integration: Mapping[str, Any]) -> list[str]:
    """List the types of events that an integration of this manifest is sent, as hosts show it."""
    scopes, target = {*integration["scopes"]}, integration["target"]
    screens = integration.get("configurations") or {}
    drawn = bool(integration.get("blocks") or integration.get("contentSources")) or any(
        "componentId" in screen for screen in screens.values()
    )
    kinds = []
    for kind, event in EVENTS.items():
        about = event.target not in ("space", "site") or target in ("all", event.target)
        needs = {"ui_render": drawn}.get(kind, True)
        if kind.startswith("content_compute"):
            needs = bool(integration.get("contentSources"))
        if about and needs and (event.scope is None or event.scope in scopes):
            kinds.append(kind)
    return kinds


def meant(typed: str, offered: Sequence[str]) -> str:
    """Return the type somebody typed, whole or only as far as it is the only one; raises Problem."""
    begun = [kind for kind in offered if kind.startswith(typed)]
    if typed in EVENTS or len(begun) == 1:
        return typed if typed in EVENTS else begun[0]
    if begun:
        raise Problem(f"`{typed}` may be {', '.join(begun)}")
    raise Problem(unknown(typed))
