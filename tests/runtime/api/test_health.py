"""What operators are told is told to no page in a browser that has its name lead to this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.test import Client

from runtime.app import Application, create_app
from runtime.settings import Settings
from runtime.store import secrets
from tests import databases

FOREIGN = ("http://evil.example:8080", "http://127.0.0.1.nip.io:8080")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    data: Path = tmp_path_factory.mktemp("health")
    secrets.use_keyring(secrets.load_keyring(data, None))
    with databases.opened(data, "sqlite"):
        pass
    made = create_app(Settings(data=str(data), sandbox="off"))
    yield made
    made.close()


@pytest.mark.parametrize("address", FOREIGN)
def test_metrics_answer_no_foreign_name(address: str, app: Application) -> None:
    refused = Client(app).get("/metrics", address)
    assert refused.status_code == 404
    assert "host_" not in refused.text and app.host.addresses.public_url in refused.text


@pytest.mark.parametrize("address", ["", "http://localhost:8080", "http://10.0.0.1:8080", "http://host:8080"])
def test_metrics_answer_operators(address: str, app: Application) -> None:
    answer = Client(app).get("/metrics", address or app.host.addresses.public_url)
    assert answer.status_code == 200 and "host_database_up 1.0" in answer.text


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_whoever_balances_load_asks_under_any_name(path: str, app: Application) -> None:
    at_home = Client(app).get(path, app.host.addresses.public_url).status_code
    assert {Client(app).get(path, address).status_code for address in FOREIGN} == {at_home}


@pytest.mark.parametrize("address", FOREIGN)
def test_readiness_tells_a_foreign_name_nothing_else(address: str, app: Application) -> None:
    told = Client(app).get("/readyz", app.host.addresses.public_url).json
    assert told is not None and {"ready", "database", "disk", "confinement", "origins"} <= told.keys()
    assert Client(app).get("/readyz", address).json == {"ready": told["ready"]}
