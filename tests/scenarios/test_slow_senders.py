"""Whoever sends slowly holds a part of the threads at most: the host goes on answering."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import requests

from tests.conftest import Api, HostProcess, Installed, init, installed, tenant, wait_for
from tests.scenarios.people import person
from tests.scenarios.script_tokens import TOKENS, script_tokens

THREADS = 16


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """A host with few threads."""
    data = tmp_path_factory.mktemp("slow")
    init(data, "First", "first@example.com")
    host = HostProcess(data, environ={"DEVKIT_THREADS": str(THREADS)}).start()
    yield host
    assert host.stop() == 0


@pytest.fixture(scope="module")
def one(small: HostProcess) -> Installed:
    return installed(tenant(small, "First", "first@example.com"))


def test_connections_on_which_no_request_comes(small: HostProcess) -> None:
    openings = (b"", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"PRI * HT", b"GET / HTTP/1.1\r\nHost: ")
    with ExitStack() as ending:
        for number in range(8 * THREADS):  # twice as many as the host accepts
            line = ending.enter_context(socket.create_connection(("127.0.0.1", small.port)))
            line.sendall(openings[number % len(openings)])

        def answers() -> bool:
            try:
                return requests.get(f"{small.url}/healthz", timeout=10).status_code == 200
            except requests.RequestException:
                return False

        assert wait_for(answers, 120.0)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    "path",
    ["/v1/integrations/{name}/render", "/x/render", "/v1/tunnels/{id}/answers/{id}", "/v1/integrations/{name}/events"],
)
def test_bodies_that_never_end(one: Installed, path: str, known: bool) -> None:
    api = one.owner.api
    if "tunnels" in path:
        made = api.call("PUT", f"/v1/orgs/{one.owner.id}/tunnels/slow-sender")
        path = path.replace("{id}", made.json["id"] if made.status < 300 else "a" * 20, 1)
    address = path.format(name=one.name, id="a" * 20)
    assert one.render().status == 200
    port = int(api.url.rpartition(":")[2])
    head = f"POST {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    head += "Content-Length: 60000\r\n" + (f"Authorization: Bearer {api.token}\r\n" if known else "") + "\r\n{"
    lines = [socket.create_connection(("127.0.0.1", port)) for _ in range(3 * THREADS)]
    try:
        for line in lines:
            line.sendall(head.encode())
        for _ in range(5):
            assert requests.get(f"{api.url}/healthz", timeout=10).status_code == 200
            assert api.get("/v1/user").status == 200
    finally:
        for line in lines:
            line.close()


def test_a_body_that_never_ends_keeps_nobody_from_writing(small: HostProcess, one: Installed) -> None:
    api, other = one.owner.api, tenant(small, "Second", "second@example.com")
    head = f"POST /v1/orgs/{one.owner.id}/spaces HTTP/1.1\r\nHost: 127.0.0.1:{small.port}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: 60000\r\nAuthorization: Bearer {api.token}\r\n\r\n{{"
    with socket.create_connection(("127.0.0.1", small.port)) as line:
        line.sendall(head.encode())
        for number in range(5):
            assert other.api.post(f"/v1/orgs/{other.id}/spaces", {"title": f"Space {number}"}).status == 201


@pytest.mark.parametrize("place", ["/sites/{site}/-/insights", "/app/sign-in", "/saml/{provider}/acs"])
def test_bodies_of_strangers_that_never_end(one: Installed, place: str) -> None:
    api, site = one.owner.api, f"/v1/orgs/{one.owner.id}/sites/{one.site}"
    assert api.post(f"{site}/publish").status == 200
    provider = api.post(f"/v1/orgs/{one.owner.id}/saml", {"label": "Company"}).json["id"]
    path = place.format(site=one.site, provider=provider)
    kind = "application/json" if "insights" in path else "application/x-www-form-urlencoded"
    port = int(api.url.rpartition(":")[2])
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: {kind}\r\nContent-Length: 6000\r\n\r\n{{"
    with ExitStack() as lines:
        for _ in range(3 * THREADS):
            lines.enter_context(socket.create_connection(("127.0.0.1", port))).sendall(head.encode())
        for _ in range(5):
            assert requests.get(f"{api.url}/healthz", timeout=10).status_code == 200
            assert api.get("/v1/user").status == 200


@pytest.mark.parametrize("whose", ["scripts", "people"])
def test_many_tokens_of_one_organization_have_its_part_of_the_bodies(small: HostProcess, whose: str) -> None:
    busy = tenant(small, f"Busy {whose}", f"{whose}@example.com")
    quiet = tenant(small, f"Quiet {whose}", f"quiet-{whose}@example.com")

    def token() -> Api:
        return script_tokens(installed(busy, TOKENS))["integration"] if whose == "scripts" else person(small, busy).api

    apis = [token() for _ in range(3)]
    with ExitStack() as lines:
        for api in apis:
            head = f"POST /v1/orgs/{busy.id}/spaces HTTP/1.1\r\nHost: 127.0.0.1:{small.port}\r\n"
            head += f"Authorization: Bearer {api.token}\r\nContent-Type: application/json\r\n"
            line = lines.enter_context(socket.create_connection(("127.0.0.1", small.port)))
            line.sendall(f"{head}Content-Length: 60000\r\n\r\n{{".encode())
        wait_for(lambda: busy.api.post(f"/v1/orgs/{busy.id}/spaces", {}).status == 503)
        for _ in range(5):
            assert quiet.api.post(f"/v1/orgs/{quiet.id}/spaces", {}).status == 201


def test_what_is_wrong_with_the_path_is_told_before_what_is_wrong_with_the_body(one: Installed) -> None:
    api = one.owner.api
    content = {"headers": {"Content-Type": "text/plain"}, "data": b"no json"}
    assert api.call("POST", "/v1/orgs/nobody/spaces", **content).status == 404
    assert api.call("POST", f"/v1/orgs/{one.owner.id}/spaces", **content).status == 415
