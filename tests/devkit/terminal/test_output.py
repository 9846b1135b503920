"""What commands print: a terminal obeys nothing of it but our own colors."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click
import pytest

from devkit.events import traces
from devkit.hosts import client, installations
from devkit.hosts.client import Client, HostUnreachable
from devkit.hosts.credentials import Credentials
from devkit.releasing.confirmation import ask_to_lose
from devkit.rendering.tree import draw
from devkit.terminal import output

EVIL = "\x1b]0;title\x07\x1b[2J\x1b[8m\x9b31m\u202egnp\r\x7f"
PLAIN = r"\u001b]0;title\u0007\u001b[2J\u009b31m\u202egnp\u000d\u007f"


LISTS: dict[str, Any] = {
    "no-object": [1],
    "nothing": None,
    "text-next": {"items": [{}], "next": "x"},
    "number-next": {"items": [{}], "next": {"page": 1}},
    "object-next": {"items": [{}], "next": {"page": {"a": "b"}}},
    "same": {"items": [{}], "next": {"page": "same"}},
    "empty": {"items": [], "next": {"page": "other"}},
}


class Hostile(BaseHTTPRequestHandler):
    """A host that answers what a person would be deceived by, or without end."""

    def do_GET(self) -> None:
        if self.path == "/v1/endless":
            self._send_without_end()
        elif self.path == "/v1/moved":
            self._send(307, b"", Location="http://elsewhere.invalid/")
        elif self.path.startswith("/v1/list/"):
            self._send(200, json.dumps(LISTS[self.path[len("/v1/list/") :].partition("?")[0]]).encode())
        elif self.path.startswith("/other/"):
            self._send(200, b"{}" if "user" in self.path else b'{"items": [1]}')
        elif self.path == "/v1/user":
            self._send(400, json.dumps({"error": {"code": 400, "message": EVIL}}).encode())
        else:
            self._send(200, b"<html>")

    do_POST = do_GET

    def _send_without_end(self) -> None:
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            while True:
                self.wfile.write(b"[" * 65536)

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def hostile() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_nothing_but_colors_reaches_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    styled = output.styled("red", fg="red", bold=True) + output.styled("faint", dim=True)
    colored = click.style("red", fg="red", bold=True) + click.style("faint", dim=True)
    assert output.escape_controls(f"{styled} two\nlines\twide\r\n") == f"{colored} two\nlines\twide\n"
    assert output.without_style(styled) == "redfaint"
    # Others have no colors: they would look like an error of ours, or like nothing.
    assert output.escape_controls(f"{colored}\x1b[30m\x1b[38;5;1m") == "redfaint"
    assert output.escape_controls(output.styled(colored, fg="red")) == click.style("redfaint", fg="red")
    for write in (output.say, output.note, output.warn, output.print_error, output.print_dim):
        write(EVIL)
        captured = capsys.readouterr()
        written = captured.out + captured.err
        assert PLAIN.removesuffix(r"\u000d\u007f") in written
        assert not any(
            sign in written for sign in ("\x1b]", "\x1b[2J", "\x1b[8m", "\x07", "\x9b", "\u202e", "\r", "\x7f")
        )


def test_a_question_shows_no_controls(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda prompt: asked.append(prompt) or "n")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    with pytest.raises(output.Problem, match="nothing was removed"):
        ask_to_lose(f"This removes it from {EVIL}.", yes=False)
    written = capsys.readouterr().out + "".join(asked)
    assert "u202e" in written and not any(sign in written for sign in ("\x1b", "\x07", "\x9b", "\u202e", "\x7f"))


OWN_WORDS = {"cli.py": ("echo(error.format_message())",), "new.py": ("prompt(", "echo(_numbered(")}
"""What is written of our own words alone, so that nothing need be escaped."""


def test_only_one_module_calls_click_to_write_and_ask() -> None:
    found = re.compile(r"click\.((?:echo|secho|confirm|prompt|style)\(.*)")
    for file in Path(output.__file__).parents[1].rglob("*.py"):
        if file.name != "output.py":
            for words in found.findall(file.read_text()):
                assert words.startswith(OWN_WORDS.get(file.name, ())), f"{file}: use devkit.terminal.output"


def test_a_render_is_drawn_without_controls(capsys: pytest.CaptureFixture[str]) -> None:
    inner = {"type": "button", "label": EVIL, "style": EVIL, "onPress": {"action": EVIL, EVIL: EVIL}}
    options = [{"id": EVIL, "label": EVIL}]
    element = {
        "type": "block",
        "children": [
            {"type": "input", "label": EVIL, "hint": EVIL, "element": {"type": "select", "options": options}},
            {"type": "image", "source": {"url": EVIL}, "placeholder": EVIL},
            {"type": "text", "children": [EVIL]},
            {"type": "button\nforged", "id": "a\nforged", "onPress": {"action": "b\nforged"}},
            inner,
            EVIL,
        ],
    }
    for output_ in ({"element": element, "state": {"a": EVIL}}, {"type": "complete", "returnValue": {EVIL: EVIL}}):
        draw(output_, {})
        written = capsys.readouterr().out
        assert "u202e" in written and "\nforged" not in written
        assert not any(
            sign in written for sign in ("\x1b]", "\x1b[2J", "\x1b[8m", "\x07", "\x9b", "\u202e", "\r", "\x7f")
        )


def test_what_others_write_looks_like_no_line_of_ours() -> None:
    faked = "title\n2026-01-01T00:00:00Z  abc  success"
    event = {
        "id": "e", "createdAt": "now", "payload": {"type": "fetch", "request": {"method": "GET", "url": f"/{faked}"}},
        "delivery": {"state": "success", "attempts": 1},
    }  # fmt: skip
    detail = {
        "event": event,
        "trace": {
            "logs": [{"level": "info", "message": faked}],
            "subrequests": [{"method": "GET", "url": faked, "status": 200}],
            "fault": {"file": "a.py", "line": 1, "message": faked},
        },
    }
    lines = traces.as_text(detail).splitlines()
    urls = {"publicEndpoint": faked}
    lines += installations.lines("name", {"status": "active", "space_selection": "all", "urls": urls}, {
        "space": [{"space": {"id": "s", "title": faked}, "status": "active"}]
    })  # fmt: skip
    assert len(lines) == 10
    assert all("\n" not in line and not line.startswith("2026") for line in lines)


def test_json_stays_json(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_result(True, {"title": EVIL}, "")
    assert json.loads(capsys.readouterr().out) == {"title": EVIL}
    output.say(json.dumps({"title": EVIL}, ensure_ascii=False))
    assert json.loads(capsys.readouterr().out) == {"title": EVIL}


@pytest.mark.parametrize("command", ["whoami", "installations", "tokens", "unpublish name --yes", "versions name"])
def test_a_host_that_answers_something_else_is_told(hostile: str, command: str) -> None:
    name, *more = command.split()
    program = [sys.executable, "-m", "devkit", name, "--host", f"{hostile}/other", "--token", "dk_x", *more]
    done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "a host" in done.stderr.splitlines()[-1]
    assert "Error" not in done.stderr


@pytest.mark.parametrize("name", LISTS)
def test_a_list_that_is_none_or_has_no_end_is_told(hostile: str, name: str) -> None:
    with pytest.raises(HostUnreachable, match=r"address (of|is that of) a host"):
        list(Client(Credentials(hostile, "dk_x")).every(f"/v1/list/{name}"))


def test_no_command_is_sent_on(hostile: str) -> None:
    asked = Client(Credentials(hostile, "dk_x"))
    for call in (lambda: asked.call("POST", "/v1/moved", {"secret": 1}), lambda: asked.stream("/v1/moved")):
        with pytest.raises(HostUnreachable, match=r"/v1/moved redirects to http://elsewhere\.invalid/; if the host"):
            call()


def test_what_a_host_refuses_with_is_plain(hostile: str) -> None:
    command = [sys.executable, "-m", "devkit", "whoami", "--host", hostile, "--token", "dk_x"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert done.returncode == 1
    assert rb"\u001b]0;title\u0007" in done.stderr
    assert not any(sign in done.stderr for sign in (b"\x1b]", b"\x07", b"\xc2\x9b"))


def test_an_answer_has_an_end(hostile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_BYTES", 4 * 1024 * 1024)
    asked = Client(Credentials(hostile, "dk_x"))
    with pytest.raises(HostUnreachable, match="more than 4 MB"):
        asked.call("GET", "/v1/endless")
    with pytest.raises(HostUnreachable, match="does not answer in JSON"):
        asked.call("GET", "/v1/other")
