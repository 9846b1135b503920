"""The same life on PostgreSQL, where one is reachable: DEVKIT_TEST_POSTGRES, else postgres@127.0.0.1."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
import requests

from runtime.contract.identifiers import new_id
from tests.conftest import Api, HostProcess, Tenant, installed, wait_for
from tests.contract.hostile_inputs import walk, walk_raw
from tests.contract.test_hostile_inputs import on_user_tokens
from tests.scenarios import test_lifecycle, test_rendering, test_setup_loops, test_sites, test_spaces
from tests.scenarios.test_delivery import RETRIES, SLOW, delivered, send
from tests.scenarios.test_leaving import purged_after_thirty_days
from tests.scenarios.test_visitors import guard, visit

SERVER = os.environ.get("DEVKIT_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432")
SCENARIOS = [
    scenario
    for module in (test_lifecycle, test_rendering, test_setup_loops, test_sites, test_spaces)
    for name, scenario in inspect.getmembers(module, inspect.isfunction)
    if name.startswith("test_") and list(inspect.signature(scenario).parameters) == ["alpha"]
]


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    name = f"devkit_test_{new_id().lower()}"
    try:
        with psycopg.connect(f"{SERVER}/postgres", autocommit=True, connect_timeout=3) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
    except psycopg.OperationalError:
        pytest.skip("no PostgreSQL at 127.0.0.1:5432; set DEVKIT_TEST_POSTGRES to the address of one")
    yield f"{SERVER}/{name}"
    with psycopg.connect(f"{SERVER}/postgres", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(scope="module")
def served(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HostProcess, Tenant]]:
    data = tmp_path_factory.mktemp("postgresql")
    command = [sys.executable, "-m", "devkit", "init", "--data", str(data), "--database-url", database, "--json"]
    made = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    host = HostProcess(data, "--database-url", database, environ={**RETRIES, "DEVKIT_PREVIEW": "1"}).start()
    yield host, Tenant(made["organization"], made["user"], Api(host.url, made["token"]))
    assert host.stop() == 0


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_on_postgresql(scenario: Callable[[Tenant], None], served: tuple[HostProcess, Tenant]) -> None:
    scenario(served[1])


def test_nothing_is_lost_on_postgresql(served: tuple[HostProcess, Tenant]) -> None:
    host, owner = served
    one = installed(owner, SLOW)
    send(one, count=300)
    wait_for(lambda: len(delivered(one, "space_content_updated")) >= 50)
    host.kill()
    host.start()
    wait_for(lambda: len(delivered(one, "space_content_updated")) == 300, seconds=60)


def test_hostile_addresses_and_parameters_on_postgresql(served: tuple[HostProcess, Tenant]) -> None:
    host, owner = served
    world = on_user_tokens(owner)
    walk(world, owner.api)
    walk_raw(world, owner.api, world.tunnel)
    log = (host.data / "host.log").read_text()
    assert "Traceback" not in log and "the database refused" not in log, log[-3000:]


def test_what_was_uninstalled_is_purged_on_postgresql(served: tuple[HostProcess, Tenant], database: str) -> None:
    def ask(statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(database, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    purged_after_thirty_days(*served, ask, zone="+00:00")


def test_visitors_are_remembered_on_postgresql(served: tuple[HostProcess, Tenant]) -> None:
    here = guard(served[1], provider=9)
    browser = requests.Session()
    assert visit(here.home, browser, params={"jwt_token": here.token(email="reader@example.com")}).status_code == 302
    assert visit(here.home, browser).status_code == 200
    assert visit(here.home).status_code == 302
    left = browser.post(here.home + "-/sign-out", timeout=60, allow_redirects=False)
    assert left.status_code == 302 and visit(here.home, browser).status_code == 302
