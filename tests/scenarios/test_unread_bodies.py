"""A refused request whose body was not read does no harm to the next one on its connection."""

from __future__ import annotations

from collections import Counter

import pytest
import requests

from tests.conftest import HostProcess, Tenant


@pytest.mark.parametrize("size", [70_000, 300_000])
def test_every_refusal_arrives(host: HostProcess, size: int) -> None:
    statuses = Counter[int]()
    with requests.Session() as session:
        for _ in range(150):
            form = {"token": "x" * size}
            answer = session.post(f"{host.url}/app/sign-in", data=form, headers={"Origin": host.url}, timeout=20)
            statuses[answer.status_code] += 1
    assert statuses == {413: 150}


def test_a_connection_ends_when_its_body_was_not_read_and_only_then(host: HostProcess, alpha: Tenant) -> None:
    own = {"Authorization": f"Bearer {alpha.api.token}"}
    kind = {"Content-Type": "application/json"}
    orgs = f"{host.url}/v1/orgs"
    for unread in (
        requests.post(orgs, data="{}", headers=kind | {"Authorization": "Bearer unknown"}, timeout=20),
        requests.post(f"{host.url}/v1/nowhere", data="{}", headers=kind, timeout=20),
        requests.get(f"{host.url}/healthz", data="{}", timeout=20),
    ):
        assert unread.headers.get("Connection") == "close", unread.status_code
    for read in (
        requests.post(orgs, data=b"{", headers=kind | own, timeout=20),
        requests.post(orgs, data=iter([b"{", b"]"]), headers=kind | own, timeout=20),
        requests.get(orgs, headers=own, timeout=20),
    ):
        assert "Connection" not in read.headers, read.status_code
