"""Outgoing requests, directly and through a proxy, against a real server."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from runtime.sdk.errors import FetchError
from runtime.sdk.outgoing import fetch


def test_a_request_and_its_answer(service: Any) -> None:
    service.says("POST /a?b=c", {"ok": 1}, status=201, X_One="1")
    answer = fetch(f"{service.url}/a?b=c#part", method="post", headers={"X-A": "v"}, json={"n": "é"})
    assert (answer.status, answer.ok, answer.json(), answer.headers["x-one"]) == (201, True, {"ok": 1}, "1")
    (request,) = service.heard
    assert (request.method, request.target, request.json) == ("POST", "/a?b=c", {"n": "é"})
    assert (request.headers["x-a"], request.headers["content-type"]) == ("v", "application/json")


@pytest.mark.parametrize(
    ("content", "body", "content_type"),
    [
        ({"body": "té"}, "té".encode(), None),
        ({"body": b"\x00"}, b"\x00", None),
        ({"form": {"a b": "c&d"}}, b"a+b=c%26d", "application/x-www-form-urlencoded"),
        ({}, b"", None),
    ],
)
def test_bodies(service: Any, content: dict[str, Any], body: bytes, content_type: str | None) -> None:
    fetch(f"{service.url}/", method="PUT", **content)
    assert (service.heard[0].body, service.heard[0].headers.get("content-type")) == (body, content_type)


def test_an_error_status_is_an_answer(service: Any) -> None:
    service.says("GET /", b"gone \xff", status=410)
    answer = fetch(service.url)
    assert (answer.status, answer.ok, answer.text()) == (410, False, "gone �")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_proxy_gets_the_whole_address(service: Any, monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setenv("EGRESS_PROXY", service.url)
    address = f"{scheme}://api.example:8443/path?q=1"
    service.says(f"GET {address}", {"through": "proxy"})
    answer = fetch(address)
    assert (answer.json(), answer.url) == ({"through": "proxy"}, address)
    assert (service.heard[0].target, service.heard[0].headers["host"]) == (address, "api.example:8443")


def test_a_refusal_of_the_proxy_is_not_an_answer(service: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    service.says("GET http://10.0.0.1/", b"A private address.", status=403, Proxy_Status="egress; error=x")
    service.says("GET http://other.example/", b"from a CDN", status=403, Proxy_Status="cdn; error=x")
    monkeypatch.setenv("EGRESS_PROXY", service.url)
    with pytest.raises(FetchError, match=r"GET http://10\.0\.0\.1/: A private address\."):
        fetch("http://10.0.0.1/")
    assert fetch("http://other.example/").status == 403


@pytest.mark.parametrize(
    ("status", "method", "then"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "PUT", "GET"),
        (303, "HEAD", "HEAD"),
        (302, "PUT", "PUT"),
        (307, "POST", "POST"),
        (308, "PUT", "PUT"),
    ],
)
def test_redirects_are_followed_as_browsers_do(service: Any, status: int, method: str, then: str) -> None:
    service.says(f"{method} /from", status=status, Location="to")
    answer = fetch(f"{service.url}/from", method=method, json={"a": 1}, headers={"authorization": "x"})
    first, second = service.heard
    assert (answer.url, second.method, second.target) == (f"{service.url}/to", then, "/to")
    assert second.body == (first.body if then == method != "HEAD" else b"")
    assert second.headers["authorization"] == "x"


def test_another_origin_does_not_get_credentials(service: Any) -> None:
    other = service.url.replace("127.0.0.1", "localhost")
    service.says("GET /from", status=302, Location=f"{other}/to")
    fetch(f"{service.url}/from", headers={"Authorization": "secret", "Cookie": "secret", "X-A": "1"})
    assert "secret" not in service.heard[1].headers.values()
    assert service.heard[1].headers["x-a"] == "1"


def test_redirects_can_be_left_alone_and_end(service: Any) -> None:
    service.says("GET /loop", status=302, Location="/loop")
    assert fetch(f"{service.url}/loop", follow_redirects=False).status == 302
    with pytest.raises(FetchError, match="more than 10 redirects"):
        fetch(f"{service.url}/loop")


@pytest.mark.parametrize("url", ["ftp://x/", "file:///etc/passwd", "x", "http:///", "http://[", "http://x:port/"])
def test_what_is_not_an_address_is_refused(url: str) -> None:
    with pytest.raises(FetchError):
        fetch(url)


def test_no_answer_is_a_fetch_error() -> None:
    with socket.socket() as occupied:
        occupied.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{occupied.getsockname()[1]}/"
        with pytest.raises(FetchError, match="GET http"):
            fetch(address)


def test_header_injection_is_refused(service: Any) -> None:
    with pytest.raises(FetchError):
        fetch(service.url, headers={"x": "a\r\nb: c"})
    assert service.heard == []
