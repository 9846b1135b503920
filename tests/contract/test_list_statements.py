"""Whatever lists something, or shows a tree, asks the database as often for a hundred as for one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import event
from werkzeug.serving import make_server

from runtime.api.operation import Operation
from runtime.api.table import operations
from runtime.app import Application, create_app
from runtime.settings import Settings
from tests import databases
from tests.conftest import Api, HostProcess, Tenant, init, wait_for
from tests.contract.operation_walk import api_of, build
from tests.contract.requests_table import GOOD, World

MANY = 60
STEPS = 1
"""Statements more that weigh rows: the first fifty together, then as many as are left (`store/page_weight.py`)."""
APART = {"getSpacePDF", "getChangeRequestPDF", "renderIntegrationUIWithGet"}
"""Operations that wait for a process."""
LOOKS = {one.name: one for one in operations() if (one.method == "GET" or one.paginated) and one.name not in APART}


@dataclass(frozen=True)
class Served:
    """A host in this process: what `build` needs of one."""

    data: Path
    url: str


@dataclass(frozen=True)
class Look:
    """What came of an operation: how many statements it took, and how many items it answered."""

    statements: int
    items: int | None


@pytest.fixture(scope="module")
def looks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[Look, Look]]]:
    """Give what each operation took with one of each, and with many."""
    data: Path = tmp_path_factory.mktemp("lists")
    made = init(data, "Lists", "lists@example.com")
    app = create_app(
        Settings(data=str(data), database_url=databases.address_of(data, databases.CHOSEN), sandbox="off")
        if databases.CHOSEN != "sqlite"
        else Settings(data=str(data), sandbox="off")
    )
    asked: list[int] = []
    event.listen(app.host.database.engine, "before_cursor_execute", lambda *_: asked.append(threading.get_ident()))
    server = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = Served(data, f"http://127.0.0.1:{server.server_port}")
    world = build(cast(HostProcess, host), Tenant(made["organization"], made["user"], Api(host.url, made["token"])))
    few = {name: look(app, asked, world, one) for name, one in LOOKS.items()}
    multiply(world)
    yield {name: (few[name], look(app, asked, world, one)) for name, one in LOOKS.items()}
    server.shutdown()
    app.close()


def look(app: Application, asked: list[int], world: World, operation: Operation) -> Look:
    """Call an operation twice, and count the statements of the second time: who asks is known by then."""
    good, client = GOOD[operation.name], app.flask.test_client()
    query = {**good.query(world), **({"limit": "1000"} if operation.paginated else {})}
    body = {"json": good.body(world)} if good.body else {}
    headers = {"Authorization": f"Bearer {api_of(world, good).token}"}
    for _ in range(2):
        asked.clear()
        answer = client.open(
            world.path(operation), method=operation.method, query_string=query, headers=headers, **body
        )
        assert answer.status_code == 200, answer.text
    return Look(asked.count(threading.get_ident()), many_in(answer.json))


def many_in(value: Any) -> int | None:
    items = value.get("items", value.get("pages")) if isinstance(value, dict) else value
    return len(items) if isinstance(items, list) else None


def multiply(world: World) -> None:
    """Make many of what lists show."""
    api, at = world.installed.owner.api, world.value
    organization, space = f"/v1/orgs/{at('organizationId')}", f"/v1/spaces/{at('spaceId')}"
    site, request = f"{organization}/sites/{at('siteId')}", f"{space}/change-requests/{at('changeRequestId')}"

    def make(path: str, body: Any, method: str = "POST", **more: Any) -> Any:
        answer = api.call(method, path, body, **more)
        assert answer.status < 300, answer.text
        return answer.json

    other = f"{space}/change-requests/{make(f'{space}/change-requests', {})['id']}"
    text = "[a](https://example.com/{0}) [b](/page) ![x](https://example.com/{0}.png)\n\n# Part {0}"
    pages = [
        {"type": "insert_page", "title": f"More page {number}", "document": {"markdown": text.format(number)}}
        for number in range(MANY)
    ]
    for place in (request, other):
        make(f"{place}/content", {"changes": pages})
        for number in range(MANY):
            make(f"{place}/content/files", None, data=b"x", params={"name": f"{number}.txt"})
    make(f"{other}/merge", None)
    for number in range(MANY):
        make(f"{space}/change-requests", {"subject": "One more"})
        make(f"{request}/reviews", {"status": "approved", "comment": {"markdown": "Good."}})
        for place, comment in ((space, "commentId"), (request, "commentId inside")):
            make(f"{place}/comments", {"page": "page", "body": {"markdown": "More."}})
            make(f"{place}/comments/{world.named[comment]}/replies", {"body": {"markdown": "More."}})
        one = make(f"{organization}/spaces", {"title": "One more"})["id"]
        make(f"{organization}/sites", {"title": "One more"})
        make(f"{organization}/collections", {"title": "One more"})
        make(f"{organization}/translations", {"title": "One more"})
        make(f"{organization}/teams", {"title": "One more", "members": [at("userId")]}, "PUT")
        make(f"{site}/sections", {"spaceId": one, "title": "One more", "path": f"more-{number}"})
        make(f"{site}/section-groups", {"title": "One more"})
        make(f"{site}/share-links", {"name": "One more"})
    wait_for(lambda: api.get(f"{space}/search", query="page", limit=1000).json["count"] >= MANY)


@pytest.mark.parametrize("name", sorted(LOOKS))
def test_many_take_no_more_statements_than_one(name: str, looks: dict[str, tuple[Look, Look]]) -> None:
    few, many = looks[name]
    assert many.statements <= few.statements + STEPS, (few, many)


def test_there_were_many_of_most(looks: dict[str, tuple[Look, Look]]) -> None:
    grown = {name for name, (few, many) in looks.items() if (many.items or 0) >= (few.items or 0) + MANY}
    assert {"listPages", "listFiles", "listSpaceLinks", "searchSpaceContent", "listCommentsInSpace"} <= grown
    assert len(grown) >= 25, sorted(grown)
