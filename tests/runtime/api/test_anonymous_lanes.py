"""Who is unknown waits apart from members and from strangers elsewhere, and all strangers have the part of one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text
from werkzeug.test import Client

from runtime.api.anonymous_lanes import LANES, STRANGERS, lane_of
from runtime.api.request_capacity import ANONYMOUS
from runtime.app import Application, create_app
from runtime.engines import interpreter_turns
from runtime.engines.interpreter_turns import AT_ONCE, owner_at_work
from runtime.settings import Settings
from runtime.store import secrets
from tests import databases
from tests.large_organization import Large, Size, fill

SIZE = Size(members=3, teams=1, collections=1, spaces=1, sites=1, sections=1)
PATHS = (
    "/v1/user",
    "/v1/integrations/none/render",
    "/v1/integrations/none/events/stream",
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Application, Large]]:
    data: Path = tmp_path_factory.mktemp("strangers")
    secrets.use_keyring(secrets.load_keyring(data, None))
    with databases.opened(data, "sqlite") as database:
        made = fill(database, SIZE)
    app = create_app(Settings(data=str(data), sandbox="off"))
    yield app, made
    app.close()


@contextmanager
def looking(app: Application) -> Iterator[list[str]]:
    """Note for whom tokens are looked up."""
    seen: list[str] = []

    def asked(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "tokens.digest = " in statement:
            at_work = owner_at_work()
            seen.append(at_work[0] if at_work else "nobody")

    event.listen(app.host.database.engine, "before_cursor_execute", asked)
    try:
        yield seen
    finally:
        event.remove(app.host.database.engine, "before_cursor_execute", asked)


def ask(app: Application, path: str, token: str, address: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    return (
        Client(app)
        .get(path, app.host.addresses.public_url, headers=headers, environ_base={"REMOTE_ADDR": address})
        .status_code
    )


@pytest.mark.parametrize("path", PATHS)
def test_made_up_tokens_are_looked_up_in_lines_of_strangers(path: str, served: tuple[Application, Large]) -> None:
    app, made = served
    with looking(app) as seen:
        for number in range(40):
            assert ask(app, path, f"{made.admin[:8]}{number}", f"198.51.{number}.7") in (401, 404)
    assert set(seen) <= {f"{STRANGERS}{number}" for number in range(LANES)}
    assert len(seen) == 40 and len(set(seen)) > 1


def test_all_strangers_have_the_connections_of_one_organization(served: tuple[Application, Large]) -> None:
    capacity = served[0].host.capacity
    with capacity.turns.of(f"{STRANGERS}1"), capacity.connection():
        assert capacity.connections._shares.held(ANONYMOUS, f"{STRANGERS}1") == (1, 1)
        assert capacity.connections._shares.held(f"{STRANGERS}1") == (0, 0)


def test_whom_a_member_is_known_as_is_not_asked_among_strangers(served: tuple[Application, Large]) -> None:
    app, made = served
    assert ask(app, "/v1/user", made.member, "198.51.100.7") == 200
    with app.host.database.transaction(writes=True) as session:
        session.execute(text("UPDATE epochs SET n = n + 1"))
    with looking(app) as seen:
        assert ask(app, "/v1/user", made.member, "198.51.100.7") == 200
    assert seen == [made.organization]


@pytest.mark.parametrize("path", ["/v1/user", "/app/sign-in"])
def test_a_crowd_at_one_address_lets_a_member_from_elsewhere_in(
    path: str, served: tuple[Application, Large], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter_turns, "SLICE", 60)  # none of the crowd is ready before the test is over
    app, made = served
    crowd, elsewhere = "198.51.100.7", "203.0.113.9"
    number = 0
    while lane_of({"REMOTE_ADDR": crowd}) == lane_of({"REMOTE_ADDR": elsewhere}):
        number += 1
        elsewhere = f"203.0.113.{number}"
    over = threading.Event()

    def waits(owner: str) -> None:
        with app.host.capacity.turns.of(owner):
            over.wait(60)

    lanes = (ANONYMOUS, lane_of({"REMOTE_ADDR": crowd}))
    threads = [threading.Thread(target=waits, args=(lane,), daemon=True) for lane in lanes for _ in range(AT_ONCE + 3)]
    for thread in threads:
        thread.start()
    try:
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(ask, app, path, made.guest, elsewhere).result(timeout=20) == 200
    finally:
        over.set()
        for thread in threads:
            thread.join(20)


@pytest.mark.parametrize(
    ("environ", "as_"),
    [
        ({"REMOTE_ADDR": "10.0.0.1", "HTTP_X_FORWARDED_FOR": "1.1.1.1, 8.8.8.8"}, "8.8.8.8"),
        ({"REMOTE_ADDR": "8.8.8.8", "HTTP_X_FORWARDED_FOR": "1.1.1.1"}, "8.8.8.8"),
        ({"REMOTE_ADDR": "::ffff:8.8.8.8"}, "8.8.8.8"),
        ({"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "nonsense"}, "127.0.0.1"),
        ({"REMOTE_ADDR": "2a00:1450:4001::1:2:3:4"}, "2a00:1450:4001:0:5:6:7:8"),
        ({}, ""),
    ],
)
def test_an_address_names_the_line(environ: dict[str, str], as_: str) -> None:
    assert lane_of(environ) == lane_of({"REMOTE_ADDR": as_})
