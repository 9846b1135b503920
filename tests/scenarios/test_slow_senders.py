"""Whoever sends slowly holds a part of the threads at most: the host goes on answering."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
import requests

from tests.conftest import HostProcess, Installed, init, installed, tenant

THREADS = 16


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    """An integration on a host with few threads."""
    data = tmp_path_factory.mktemp("slow")
    init(data, "First", "first@example.com")
    host = HostProcess(data, environ={"DEVKIT_THREADS": str(THREADS)}).start()
    yield installed(tenant(host, "First", "first@example.com"))
    assert host.stop() == 0


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
