"""`devkit tunnel`."""

from __future__ import annotations

import json
import signal
import socket

import click

from devkit.hosts import choosing
from devkit.hosts.choosing import Choice
from devkit.hosts.client import Client
from devkit.hosts.organizations import organization_of
from devkit.terminal.ending import InterruptEvent
from devkit.terminal.integers import BoundedInteger
from devkit.terminal.output import Problem, json_option, one_line, print_result, say, shown_status
from devkit.tunnel.local_port import LocalPort
from devkit.tunnel.tunnel import Tunnel

EXAMPLES = """\b
Examples: devkit tunnel 3000
          devkit tunnel 8000 --name demo --json"""


@click.command("tunnel", epilog=EXAMPLES)
@click.argument("port", type=BoundedInteger(1, 65535))
@click.option(
    "--name", help="Name of the tunnel: the same name always has the same address; default: machine and port."
)
@click.option("--organization", help="Id or hostname of the organization, if the token is for several.")
@choosing.options
@json_option
def command(port: int, name: str | None, organization: str | None, chosen: Choice, as_json: bool) -> None:
    """Give the local PORT a public address on the host, until Ctrl-C."""
    stopping = InterruptEvent()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stopping.set())
    known = chosen.credentials()

    def log(method: str, path: str, status: int, took: float) -> None:
        if as_json:
            say(json.dumps({"type": "request", "method": method, "path": path, "status": status, "ms": round(took, 1)}))
        else:
            say(one_line(f"{method.ljust(6)} {shown_status(status)} {took:8.1f} ms  {path}"))

    def notify(text: str) -> None:
        say(json.dumps({"type": "notice", "message": text}) if as_json else one_line(text))

    server = LocalPort(port, log)
    owner = organization_of(Client(known), organization)
    tunnel = Tunnel(known, owner, name or f"{socket.gethostname()}:{port}", server, notify)
    server.address = tunnel.url
    try:
        text = f"{tunnel.url} leads to http://localhost:{port}. Ctrl-C ends it."
        print_result(as_json, {"type": "open", "url": tunnel.url, "port": port}, text)
        while not stopping.wait(0.2):
            if tunnel.over:
                raise Problem("the tunnel ended; the messages above say why")
    finally:
        tunnel.close()
