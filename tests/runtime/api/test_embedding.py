"""What an address becomes costs no manifest but the one whose block it is; too many blocks are divided."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event, select

from runtime.app import Application, create_app
from runtime.contract.identifiers import new_id
from runtime.services.embedding import divided
from runtime.settings import Settings
from runtime.store import secrets
from runtime.store.tables.installations import InstallationRow
from runtime.store.tables.integrations import IntegrationRow
from tests import databases
from tests.large_organization import Large, Size, fill

SIZE = Size(members=3, teams=1, collections=1, spaces=1, sites=1, sections=1)
MANY = 25


def manifest(*patterns: str) -> dict[str, Any]:
    block = {"id": "block", "title": patterns[0], "urlUnfurl": list(patterns)}
    return {"scopes": [], "blocks": [block], "icon": False, "previewImages": 0, "runtime": "python"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Application, Large]]:
    data: Path = tmp_path_factory.mktemp("embedding")
    secrets.use_keyring(secrets.load_keyring(data, None))
    with databases.opened(data, "sqlite") as database:
        made = fill(database, SIZE)
        with database.transaction(writes=True) as session:
            for number in range(MANY):
                row = IntegrationRow(
                    name=f"one-{number}",
                    organization_id=made.organization,
                    version_id=new_id(),
                    version=1,
                    visibility="private",
                    target="all",
                    title="One",
                    manifest=manifest(f"https://*.EXAMPLE.com/{number}/**", f"https://other.example/{number}"),
                )
                session.add(row)
                session.flush()
                session.add(
                    InstallationRow(
                        integration_id=row.id,
                        organization_id=made.organization,
                        space_selection="all",
                        site_selection="all",
                        status="active",
                    )
                )
    app = create_app(Settings(data=str(data), sandbox="off"))
    yield app, made
    app.close()


@pytest.mark.parametrize("path", ["/v1/urls/embed", "/v1/spaces/{space}/embed"])
def test_manifests_are_read_once_for_each_version(path: str, served: tuple[Application, Large]) -> None:
    app, made = served
    read: list[str] = []

    def loaded(row: IntegrationRow, _context: Any) -> None:
        read.append(row.name)

    def became(url: str) -> tuple[str, list[str]]:
        read.clear()
        headers = {"Authorization": f"Bearer {made.admin}"}
        answer = app.flask.test_client().get(path.format(space=made.space), query_string={"url": url}, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json.get("integration", ""), list(read)  # type: ignore[union-attr]

    event.listen(IntegrationRow, "load", loaded)
    try:
        became("https://nothing.example/")
        assert became("https://nothing.example/") == ("", [])
        assert became("HTTPS://a.example.COM/17/x") == ("one-17", ["one-17"])
        assert became("https://other.example/3") == ("one-3", ["one-3"])
        with app.host.database.transaction(writes=True) as session:
            changed = session.scalars(select(IntegrationRow).where(IntegrationRow.name == "one-3")).one()
            changed.version_id, changed.manifest = new_id(), manifest("https://new.example/**")
        assert became("https://other.example/3")[0] == ""
        assert became("https://new.example/x") == ("one-3", ["one-3"])
    finally:
        event.remove(IntegrationRow, "load", loaded)
        with app.host.database.transaction(writes=True) as session:
            changed = session.scalars(select(IntegrationRow).where(IntegrationRow.name == "one-3")).one()
            changed.version_id, changed.manifest = new_id(), manifest("https://other.example/3")


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 1000), max_size=8), st.integers(0, 3000))
def test_who_wants_little_gets_it_and_the_rest_is_divided(wanted: dict[str, int], most: int) -> None:
    parts = divided(most, wanted)
    assert parts.keys() == wanted.keys() and sum(parts.values()) <= most
    if sum(wanted.values()) <= most:
        assert parts == wanted
    less = [name for name in wanted if parts[name] < wanted[name]]
    for name in less:
        assert all(parts[other] <= parts[name] + 1 for other in wanted)
