"""Tunnels as their users have them: `devkit tunnel` and a host with two serving processes, killed and started again."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from runtime.engines.dev_tunnel.line import MAX_CALLS
from tests.conftest import HostProcess, Installed, Tenant, init, installed, tenant, wait_for
from tests.scenarios.tunnel_process import Server, Tunnel, gate

LEASE = 3.0
BIG = os.urandom(300_000)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    data = tmp_path_factory.mktemp("tunnels")
    init(data, "First", "first@example.com")
    process = HostProcess(data, "--workers", "2", environ={"DEVKIT_TUNNEL_LEASE_SECONDS": str(LEASE)}).start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="module")
def owner(two: HostProcess) -> Tenant:
    return tenant(two, "Owner", "owner@example.com")


@pytest.fixture(scope="module")
def local() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture
def tunnel(owner: Tenant, local: int, tmp_path: Path) -> Iterator[Tunnel]:
    made = Tunnel(owner.api, local, tmp_path)
    yield made
    made.kill()


def test_requests_and_answers_pass_unchanged(tunnel: Tunnel, local: int) -> None:
    got = requests.get(f"{tunnel.url}/a%20b/c?d=e&d=f", headers={"X-Mine": "1"}, timeout=20)
    told = got.json()
    assert (got.status_code, told["path"]) == (200, "/a%20b/c?d=e&d=f")
    assert (told["headers"]["Host"], told["headers"]["X-Mine"]) == (f"localhost:{local}", "1")
    assert told["headers"]["X-Forwarded-Host"] in tunnel.url
    posted = requests.post(f"{tunnel.url}/hook", data=BIG, timeout=20)
    assert (posted.status_code, posted.content, posted.headers["Set-Cookie"]) == (201, BIG, "a=1")
    away = requests.get(f"{tunnel.url}/away", allow_redirects=False, timeout=20)
    assert (away.status_code, away.headers["Location"]) == (302, f"{tunnel.url}/here")
    assert tunnel.says("request")["status"] == 200


def test_a_page_that_streams_comes_as_it_is_made(tunnel: Tunnel) -> None:
    with requests.get(f"{tunnel.url}/live", stream=True, timeout=20) as answer:
        ticks = answer.iter_content(chunk_size=None)
        for _ in range(3):
            assert next(ticks) == b"tick\n"
            gate.put(None)
        assert list(ticks) == []


def test_many_at_once(tunnel: Tunnel) -> None:
    with ThreadPoolExecutor(20) as callers:
        began = time.monotonic()
        found = list(callers.map(lambda _: requests.get(f"{tunnel.url}/slow", timeout=30).text, range(20)))
        took = time.monotonic() - began
    assert found == ["slow"] * 20
    assert took < 15, "one after the other they would take 20 s"


def test_ctrl_c_ends_it_and_the_address_stays_the_same(owner: Tenant, local: int, tmp_path: Path) -> None:
    first = Tunnel(owner.api, local, tmp_path, "--name", "mine")
    assert first.stop() == (0, "")
    gone = requests.get(first.url, timeout=20)
    assert (gone.status_code, "closed" in gone.json()["error"]["message"]) == (404, True)
    again = Tunnel(owner.api, local, tmp_path, "--name", "mine")
    assert again.url == first.url
    assert requests.get(again.url, timeout=20).status_code == 200
    newer = Tunnel(owner.api, local, tmp_path, "--name", "mine")
    assert newer.url == first.url
    assert "taken over" in again.says("notice")["message"]
    assert again.process.wait(timeout=20) == 1
    again.kill()
    assert requests.get(newer.url, timeout=20).status_code == 200
    assert newer.stop() == (0, "")


@pytest.mark.parametrize("call", ["POST /half", "GET /never"])
def test_ctrl_c_waits_for_no_call(tunnel: Tunnel, call: str) -> None:
    """Neither for the rest of a body nor for an answer."""
    with begun(tunnel, call):
        assert requests.get(tunnel.url, timeout=20).status_code == 200
        assert tunnel.stop() == (0, "")


def begun(tunnel: Tunnel, call: str) -> socket.socket:
    """Begin a call that does not end."""
    address = urlsplit(tunnel.url)
    caller = socket.create_connection((address.hostname, address.port), timeout=20)
    method, path = call.split()
    head = f"{method} {address.path}{path} HTTP/1.1\r\nHost: {address.netloc}\r\n"
    caller.sendall((f"{head}Content-Length: 10\r\n\r\nhalf" if method == "POST" else f"{head}\r\n").encode())
    return caller


def test_calls_of_a_line_that_broke_take_no_place_on_the_next(two: HostProcess, tunnel: Tunnel) -> None:
    callers = [begun(tunnel, "POST /half") for _ in range(MAX_CALLS)]
    time.sleep(0.5)
    two.kill()
    for caller in callers:
        caller.close()
    two.start()
    while "back" not in tunnel.says("notice")["message"]:
        pass
    with ThreadPoolExecutor(MAX_CALLS) as several:
        found = [
            *several.map(lambda _: requests.post(f"{tunnel.url}/hook", data=b"x", timeout=20).status_code, callers)
        ]
    assert found == [201] * MAX_CALLS


def test_it_comes_back_when_the_host_does(owner: Tenant, two: HostProcess, tunnel: Tunnel) -> None:
    two.kill()
    assert "trying again" in tunnel.says("notice")["message"]
    two.start()
    assert "back" in tunnel.says("notice")["message"]
    assert requests.get(tunnel.url, timeout=20).status_code == 200


def test_nothing_that_listens_and_a_token_that_may_not(owner: Tenant, two: HostProcess, tmp_path: Path) -> None:
    nowhere = Tunnel(owner.api, 9, tmp_path)
    answer = requests.get(nowhere.url, timeout=20)
    assert (answer.status_code, "Nothing answers at localhost:9" in answer.text) == (502, True)
    assert nowhere.stop()[0] == 0
    other = tenant(two, "Other", "other@example.com")
    name = nowhere.url.rsplit("/", 1)[1]
    for method, path in (("GET", "stream"), ("POST", "answers/x.y")):
        assert other.api.call(method, f"/v1/tunnels/{name}/{path}").status == 404
    assert owner.api.call("POST", f"/v1/tunnels/{name}/answers/x.y", headers={}).status == 400
    assert requests.get(f"{two.url}/v1/tunnels/{name}/stream", timeout=20).status_code == 401
    assert requests.get(f"{two.url}/tunnels/../../etc/passwd", timeout=20).status_code == 404


@pytest.fixture(scope="module")
def one(owner: Tenant) -> Installed:
    return installed(owner)


def test_development_mode_ends_with_the_developer(owner: Tenant, one: Installed, local: int, tmp_path: Path) -> None:
    tunnel = Tunnel(owner.api, local, tmp_path)
    assert owner.api.call("PUT", f"{one.path}/dev", {"tunnelUrl": tunnel.url}).status == 204
    shown = owner.api.get(f"{one.path}/dev").json
    assert shown == {"tunnelUrl": tunnel.url, "all": False, "connected": True}
    assert "Clicked 0 times" not in one.render().text, "the developer's machine answers now"
    tunnel.kill()
    wait_for(lambda: owner.api.get(f"{one.path}/dev").json["connected"] is False, LEASE + 10)
    assert "Clicked 0 times" in one.render().text
    assert owner.api.get(f"{one.path}/dev").json == {"tunnelUrl": None, "all": False}


def test_a_tunnel_that_is_closed_takes_development_mode_along(owner: Tenant, one: Installed, tunnel: Tunnel) -> None:
    assert owner.api.call("PUT", f"{one.path}/dev", {"tunnelUrl": tunnel.url, "all": True}).status == 204
    assert tunnel.stop()[0] == 0
    assert owner.api.get(f"{one.path}/dev").json == {"tunnelUrl": None, "all": False}
