"""Ports of `devkit dev --debug`: whoever else is on the machine finds nothing there."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from devkit.developing import peer_user
from devkit.developing.debug_ports import AdapterPort, CallPort, InspectorPort
from devkit.terminal.output import Problem
from tests.conftest import free_port
from tests.devkit.developing.open_ports import STRANGER, as_root, asked_by_a_stranger


@pytest.fixture
def behind() -> Iterator[int]:
    """A port where somebody greets, and says again what they hear."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_serve, args=(server,), daemon=True).start()
        yield server.getsockname()[1]


def _serve(server: socket.socket) -> None:
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        with client, suppress(ConnectionError):  # of who is turned away
            client.sendall(b"hello")
            while heard := client.recv(100):
                client.sendall(heard)


def test_what_is_behind_a_port_speaks_with_its_own_user(behind: int) -> None:
    with (
        closing(AdapterPort(free_port(), behind)) as guarded,
        socket.create_connection(("127.0.0.1", guarded.port)) as one,
    ):
        one.sendall(b" and back")
        one.shutdown(socket.SHUT_WR)
        assert one.makefile("rb").read() == b"hello and back"


@as_root
def test_a_stranger_is_not_let_through(behind: int) -> None:
    assert asked_by_a_stranger(behind) != ""
    with closing(AdapterPort(free_port(), behind)) as guarded:
        assert asked_by_a_stranger(guarded.port) == ""


@as_root
def test_a_stranger_who_closes_at_once_is_not_taken_for_root() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        asked = threading.Thread(target=asked_by_a_stranger, args=(server.getsockname()[1],))
        asked.start()
        connection, _ = server.accept()
        with connection:
            assert not peer_user.is_own(connection)
            connection.shutdown(socket.SHUT_WR)
            asked.join()
            for _ in range(5):
                assert not peer_user.is_own(connection)
                time.sleep(0.02)
        with socket.create_connection(server.getsockname()) as own, server.accept()[0] as accepted:
            assert peer_user.is_own(accepted)
            own.shutdown(socket.SHUT_WR)
            assert peer_user.is_own(accepted)


@as_root
def test_a_process_can_be_closed_to_strangers_as_a_whole() -> None:
    serves = (
        "import socket\nfrom devkit.developing import peer_user\npeer_user.guard()\n"
        "server = socket.create_server(('127.0.0.1', 0))\nprint(server.getsockname()[1], flush=True)\n"
        "while True:\n    server.accept()[0].sendall(b'hello')\n"
    )
    with subprocess.Popen([sys.executable, "-c", serves], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        assert asked_by_a_stranger(port) == ""
        with socket.create_connection(("127.0.0.1", port)) as own:
            assert own.recv(10) == b"hello"
        process.kill()


def test_a_port_is_held_while_nothing_is_behind_it() -> None:
    with closing(AdapterPort(free_port(), free_port())) as guarded:
        with pytest.raises(Problem, match="choose another with --debug-port"):
            AdapterPort(guarded.port, 1)
        with socket.socket() as other, pytest.raises(OSError):
            other.bind(("127.0.0.1", guarded.port))


@as_root
def test_somebody_elses_process_behind_a_port_is_not_spoken_to() -> None:
    taken = (
        "import socket\nserver = socket.create_server(('127.0.0.1', 0))\nprint(server.getsockname()[1], flush=True)\n"
    )
    taken += "while True:\n    print(server.accept()[0].recv(100), flush=True)\n"
    with subprocess.Popen(
        ["/usr/bin/env", "python3", "-c", taken], stdout=subprocess.PIPE, text=True,
        user=STRANGER, group=STRANGER, extra_groups=[], env={"PATH": os.defpath}, cwd="/",
    ) as process:  # fmt: skip
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with (
            closing(AdapterPort(free_port(), port)) as guarded,
            socket.create_connection(("127.0.0.1", guarded.port)) as one,
        ):
            one.sendall(b"a secret")
            with one.makefile("rb") as said:
                _ends(said.read)
        assert process.stdout.readline() == "b''\n"
        process.kill()


def _ends(read: Callable[[], bytes]) -> None:
    try:
        assert read() == b""
    except ConnectionError:
        pass


def test_calls_need_what_others_do_not_know(tmp_path: Path) -> None:
    """A page in the author's browser is this user's, and could call the script with an environment of its making."""
    heard: list[bytes] = []

    def serve(server: socket.socket) -> None:
        client, _ = server.accept()
        with client:
            heard.append(client.recv(1000))
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    with socket.socket(socket.AF_UNIX) as server, closing(CallPort(free_port(), tmp_path / "calls")) as guarded:
        server.bind(str(tmp_path / "calls"))
        server.listen()
        threading.Thread(target=serve, args=(server,), daemon=True).start()
        for path in ("/v1", "/", f"/{'x' * 32}/v1"):
            assert _asked(guarded.port, path)[0] == 404
        assert heard == []
        path = guarded.url.removeprefix(f"http://127.0.0.1:{guarded.port}")
        assert len(path) > 30 and _asked(guarded.port, f"{path}/v1") == (200, b"ok")
        assert heard[0].startswith(b"POST /v1 HTTP/1.1\r\n")


def test_an_inspector_is_told_to_who_names_this_machine(behind: int) -> None:
    with closing(InspectorPort(free_port())) as guarded:
        guarded.open(behind, "its-name")
        assert b"its-name" in _asked(guarded.port, "/json/list", "GET")[1]
        assert b"its-name" in _asked(guarded.port, "/json", "GET", host=f"localhost:{guarded.port}")[1]
        for host in (f"evil.example:{guarded.port}", "evil.example", "localhost.evil.example", ""):
            assert _asked(guarded.port, "/json/list", "GET", host=host)[0] == 400


def _asked(port: int, path: str, method: str = "POST", host: str | None = None) -> tuple[int, bytes]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.putrequest(method, path, skip_host=host is not None)
        if host is not None:
            connection.putheader("Host", host)
        connection.putheader("Connection", "close")
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read()
