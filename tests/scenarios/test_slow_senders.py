"""Whoever sends slowly holds a part of the threads at most: the host goes on answering."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
import requests

from tests.conftest import HostProcess, Installed, init, installed, tenant

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


def test_what_is_wrong_with_the_path_is_told_before_what_is_wrong_with_the_body(one: Installed) -> None:
    api = one.owner.api
    content = {"headers": {"Content-Type": "text/plain"}, "data": b"no json"}
    assert api.call("POST", "/v1/orgs/nobody/spaces", **content).status == 404
    assert api.call("POST", f"/v1/orgs/{one.owner.id}/spaces", **content).status == 415
