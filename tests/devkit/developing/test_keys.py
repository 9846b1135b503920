"""The keys of `devkit dev`, typed at a real terminal, which is given back as it was."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

from runtime.contract.identifiers import new_id
from tests.conftest import HostProcess, Tenant, free_port, publication
from tests.devkit.dev_process import environment, processes_of

PATIENCE = 60.0
ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """A terminal with `devkit dev` in it."""

    def __init__(self, project: Path, home: Path, *options: str, **environ: str) -> None:
        self.project = project
        self._master, self._slave = pty.openpty()
        self.before = termios.tcgetattr(self._slave)
        self.shown = ""
        command = [sys.executable, "-m", "devkit", "dev", str(project)]
        command += [] if "--host" in options else ["--no-open", "--port", str(free_port())]
        self.process = subprocess.Popen(
            [*command, *options],
            # A machine without a screen, and without a browser that would draw in the terminal.
            env=environment(home, TERM="xterm", DISPLAY="", WAYLAND_DISPLAY="", BROWSER="", **environ),
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            start_new_session=True,
            preexec_fn=self._control,
        )

    def _control(self) -> None:

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def shows(self, text: str, after: int = 0) -> str:
        """Wait until the terminal shows a text beyond a place; gives all that came up to then."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.shown[after:]:
            assert time.monotonic() < deadline, f"no {text!r} in {self.shown[after:]!r}"
            ready, _, _ = select.select([self._master], [], [], 0.2)
            if ready:
                self.shown += ANSI.sub("", os.read(self._master, 65536).decode(errors="replace"))
        return self.shown[after:]

    @property
    def modes(self) -> list[object]:
        return termios.tcgetattr(self._slave)

    def end(self) -> int:
        """Wait until it has ended by itself."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            ready, _, _ = select.select([self._master], [], [], 0.1)
            if ready:
                self.shown += ANSI.sub("", os.read(self._master, 65536).decode(errors="replace"))
        return self.process.wait(timeout=1)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.end()
        os.close(self._master)
        os.close(self._slave)


@pytest.fixture
def terminal(project: Path, tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*options: str, **environ: str) -> Terminal:
        opened.append(Terminal(project, tmp_path, *options, **environ))
        opened[-1].shows("ready in")
        return opened[-1]

    yield start
    for descriptor in opened:
        descriptor.close()


def test_keys_send_replay_clear_and_quit(terminal: Callable[..., Terminal], project: Path) -> None:
    screen = terminal()
    assert "Keys: o open the preview, e send an event" in screen.shown
    # The counter handles no event: what the host sends by itself is not shown, what the author sends is.
    assert "not handled" not in screen.shown
    screen.type("r")
    screen.shows(" again: ")
    screen.shows(" not handled ")
    screen.type("o")
    address = re.search(r"Preview of counter: (http://[^/]+)(\S+)", screen.shown)
    assert address is not None
    screen.shows(f"No browser can be opened from here; the preview is at {address[1]}{address[2]}")
    requests.get(f"{address[1]}/v1/integrations/counter/integration/nothing", timeout=20)
    at = len(screen.shown)
    screen.shows("fetch", at)
    screen.type("r")
    screen.shows("Sent fetch ", at)
    at = len(screen.shown)
    screen.type("e")
    screen.shows("It can receive installation_setup, ", at)
    screen.shows("Event [installation_setup], or - for none: ", at)
    assert "space_content_updated" not in screen.shown[at:], "for which the manifest has no scope"
    at = len(screen.shown)
    screen.type("installation_stup\n")
    screen.shows("did you mean `installation_setup`?", at)
    at = len(screen.shown)
    screen.type("e")
    screen.shows(" or - for none: ", at)
    screen.type("installation_s\n")
    screen.shows("Sent installation_setup: ", at)
    at = len(screen.shown)
    screen.type("e")
    screen.shows("Event [installation_setup], or - for none: ", at)
    screen.type("\x04")
    screen.shows("Nothing was sent.", at)
    at = len(screen.shown)
    screen.type("e")
    screen.shows(" or - for none: ", at)
    screen.type("-\n")
    screen.shows("Nothing was sent.", at)
    screen.type("t")
    screen.shows("no host is known for a tunnel", at)
    screen.type("xc?")
    screen.shows("Keys: ", at)
    screen.type("q")
    assert screen.end() == 0
    assert screen.modes == screen.before, "the terminal is as it was"
    assert processes_of(str(project)) == []
    assert "Traceback" not in screen.shown


def test_events_without_a_handler_are_shown_when_asked_for(terminal: Callable[..., Terminal]) -> None:
    screen = terminal("--all-events")
    shown = screen.shows(" installation_setup not handled ")
    assert re.search(r"\dZ [0-9A-Za-z]{20} installation_setup not handled [\d.]+ ms", shown)
    screen.type("q")
    assert screen.end() == 0


@pytest.mark.parametrize("while_typing", [False, True])
def test_ctrl_c_gives_the_terminal_back(terminal: Callable[..., Terminal], project: Path, while_typing: bool) -> None:
    screen = terminal()
    if while_typing:
        screen.type("e")
        screen.shows("Event [")
    screen.type("\x03")
    assert screen.end() == 0
    assert screen.modes == screen.before
    assert processes_of(str(project)) == []
    assert "Traceback" not in screen.shown


def test_a_tunnel_is_opened_and_closed_by_a_key(
    terminal: Callable[..., Terminal], host: HostProcess, alpha: Tenant
) -> None:

    screen = terminal(DEVKIT_HOST=host.url, DEVKIT_TOKEN=alpha.api.token or "")
    at = len(screen.shown)
    screen.type("t")
    screen.shows("public endpoint is ", at)
    screen.shows("/integration\r\n", screen.shown.index("public endpoint is "))
    match = re.search(r"public endpoint is (\S+)", screen.shown)
    assert match is not None
    answered = requests.get(f"{match[1]}/nothing", timeout=20)
    assert "does not handle" in answered.text, "the integration itself answered"
    assert answered.headers["Access-Control-Allow-Origin"] == "*", "the integration's endpoint, through the host"
    screen.type("t")
    screen.shows("The tunnel is closed.")
    assert requests.get(match[1], timeout=20).json()["error"]["message"].startswith("Nothing is served here")
    screen.type("t")
    screen.shows("public endpoint is", screen.shown.index("closed"))
    screen.type("q")
    assert screen.end() == 0
    assert json.loads(requests.get(match[1], timeout=20).text)["error"]["code"] == 404


def test_q_ends_development_on_another_host(
    terminal: Callable[..., Terminal], project: Path, host: HostProcess, alpha: Tenant
) -> None:
    name = f"test-{new_id()[:8].lower()}"
    assert alpha.api.post(f"/v1/integrations/{name}", publication(alpha.id)).status == 200
    manifest = project / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("name: counter", f"name: {name}"))
    screen = terminal("--host", host.url, "--token", alpha.api.token or "")
    assert "q or Ctrl-C ends it" in screen.shown
    screen.type("q")
    assert screen.end() == 0
    assert screen.modes == screen.before
