"""Addresses that lead nowhere: a page for people, JSON for programs."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests

from tests.conftest import HostProcess, wait_for

PLAIN = {"Accept-Encoding": "identity"}
PEOPLE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize("path", ["/nothing", "/app/nothing-here", "/app/orgs/x/y/z", "/spaces/1", "/<b>x"])
def test_a_browser_gets_a_page(path: str, host: HostProcess) -> None:
    answer = requests.get(host.url + path, headers=PEOPLE, allow_redirects=False, timeout=20)
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "There is no page here" in answer.text and f'href="{host.url}/app"' in answer.text
    assert "Check the address" in answer.text and "token" not in answer.text
    assert "<b>" not in answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "Accept" in answer.headers["Vary"]


@pytest.mark.parametrize("path", ["/nothing", "/app/nothing-here"])
@pytest.mark.parametrize("headers", [{}, {"Accept": "*/*"}, {"Accept": "application/json"}])
def test_programs_get_json(path: str, headers: dict[str, str], host: HostProcess) -> None:
    answer = requests.get(host.url + path, headers={"Accept": None, **headers}, timeout=20)  # type: ignore[dict-item]
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, 404)


def test_the_api_speaks_json_to_everybody(host: HostProcess) -> None:
    answer = requests.get(host.url + "/v1/nothing", headers=PEOPLE, timeout=20)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, 404)


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_the_document_that_errors_name_is_served(encoding: str, host: HostProcess) -> None:
    nothing = requests.get(host.url + "/v1/nothing", timeout=20)
    assert "/openapi.json lists all operations" in nothing.json()["error"]["message"]
    answer = requests.get(host.url + "/openapi.json", headers={"Accept-Encoding": encoding}, timeout=30)
    assert (answer.status_code, answer.headers.get("Content-Encoding", "identity")) == (200, encoding)
    assert answer.json() == json.loads((Path(__file__).parents[2] / "openapi.json").read_text())
    again = requests.get(host.url + "/openapi.json", headers={"If-None-Match": answer.headers["ETag"]}, timeout=20)
    assert (again.status_code, again.content) == (304, b"")
    plain = {"If-None-Match": answer.headers["ETag"], "Accept-Encoding": "identity"}
    assert requests.get(host.url + "/openapi.json", headers=plain, timeout=20).status_code == 304
    elsewhere = requests.get(host.url + "/openapi.json", headers={"Host": "site.example"}, timeout=20)
    assert elsewhere.status_code == 404


def test_readers_of_the_document_who_do_not_read_are_few(host: HostProcess) -> None:
    def ask() -> socket.socket:
        one = socket.create_connection(("127.0.0.1", host.port))
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.sendall(f"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\n\r\n".encode())
        return one

    with ExitStack() as held:
        slow = [held.enter_context(ask()) for _ in range(40)]
        said = [one.recv(12) for one in slow]
        assert b"HTTP/1.1 503" in said and b"HTTP/1.1 200" in said
        assert requests.get(host.url + "/openapi.json", timeout=20).status_code == 200  # compressed
    wait_for(lambda: requests.get(host.url + "/openapi.json", headers=PLAIN, timeout=20).status_code == 200)
