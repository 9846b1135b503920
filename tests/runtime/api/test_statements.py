"""A list asks the database as often for a hundred as for fifty, whoever looks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from runtime.app import Application, create_app
from runtime.settings import Settings
from tests import databases
from tests.large_organization import Large, Size, fill

SIZE = Size(members=150, teams=30, collections=130, spaces=700, sites=110, sections=20)
MOST = 14
ASKED: list[int] = []
"""The thread of each statement since a page was asked for."""
LISTS = (
    "/v1/orgs/{organization}/spaces",
    "/v1/orgs/{organization}/collections",
    "/v1/orgs/{organization}/members",
    "/v1/orgs/{organization}/teams",
    "/v1/orgs/{organization}/translations",
    "/v1/orgs/{organization}/sites",
    "/v1/orgs/{organization}/sites/{site}/sections",
    "/v1/orgs/{organization}/sites/{site}/section-groups",
    "/v1/orgs/{organization}/sites/{site}/site-spaces",
    "/v1/orgs/{organization}/sites/{site}/share-links",
    "/v1/orgs/{organization}/sites/{site}/redirects",
    "/v1/orgs/{organization}/members/{member_id}/spaces",
    "/v1/orgs/{organization}/members/{member_id}/teams",
    "/v1/collections/{collection}/spaces",
    "/v1/collections/{collection}/permissions/teams",
    "/v1/collections/{collection}/permissions/aggregate",
    "/v1/spaces/{space}/permissions/users",
    "/v1/spaces/{space}/permissions/teams",
    "/v1/spaces/{space}/permissions/aggregate",
    "/v1/spaces/{space}/permissions/aggregate?role=edit",
)


@pytest.fixture(scope="module", params=databases.BOTH)
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Application, Large]]:
    data: Path = tmp_path_factory.mktemp("statements")
    with databases.opened(data, request.param) as database:
        made = fill(database, SIZE)
    address = databases.address_of(data, request.param) if request.param != "sqlite" else ""
    app = create_app(Settings(data=str(data), database_url=address, sandbox="off"))

    def note(*_: Any) -> None:
        ASKED.append(threading.get_ident())

    # Once: threads of the host run statements, too, and must not meet a list of listeners that changes.
    event.listen(app.host.database.engine, "before_cursor_execute", note)
    yield app, made
    app.close()


def ask(served: tuple[Application, Large], path: str, token: str, limit: int) -> tuple[int, Any, int]:
    """Ask for a page; gives the status, what came, and how many statements this thread ran for it."""
    app, made = served
    address = path.format(**{name: getattr(made, name) for name in Large.__slots__})
    address += f"{'&' if '?' in address else '?'}limit={limit}"
    ASKED.clear()
    answer = app.flask.test_client().get(address, headers={"Authorization": f"Bearer {token}"})
    return answer.status_code, answer.json, ASKED.count(threading.get_ident())


@pytest.mark.parametrize("who", ["admin", "member", "guest"])
@pytest.mark.parametrize("path", LISTS)
def test_a_page_of_a_hundred_takes_as_many_statements_as_one_of_fifty(
    path: str, who: str, served: tuple[Application, Large]
) -> None:
    token = getattr(served[1], who)
    ask(served, path, token, 1)  # who asks is known from now on
    status, _, few = ask(served, path, token, 50)
    again, hundred, many = ask(served, path, token, 100)
    assert status == again and status in ((200,) if who == "admin" else (200, 403, 404))
    if status == 200:
        assert few == many <= MOST, (few, many)
        assert len(hundred["items"]) == min(hundred["count"], 100)


def test_a_member_of_twenty_teams_sees_a_part(served: tuple[Application, Large]) -> None:
    seen = {
        who: {one["id"]: one["permissions"] for one in ask(served, LISTS[0], getattr(served[1], who), 1000)[1]["items"]}
        for who in ("admin", "member")
    }
    assert len(seen["admin"]) == SIZE.spaces and 0 < len(seen["member"]) < SIZE.spaces
    assert all(allowed["admin"] for allowed in seen["admin"].values())
    assert {allowed["admin"] for allowed in seen["member"].values()} == {True, False}
