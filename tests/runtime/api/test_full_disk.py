"""While the disk is almost full, operations that could wait take nothing new; all else goes on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.app import Application, create_app
from runtime.contract.identifiers import new_id
from runtime.settings import Settings
from runtime.store import disk, tokens
from runtime.store.tables.integrations import IntegrationRow
from tests import databases
from tests.large_organization import Large, Size, fill

SIZE = Size(members=3, teams=1, collections=1, spaces=2, sites=1, sections=1)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Application, Large]]:
    with databases.opened(tmp_path, "sqlite") as database:
        made = fill(database, SIZE)
    app = create_app(Settings(data=str(tmp_path), sandbox="off"))
    yield app, made
    app.close()


def test_nothing_new_is_taken_and_the_rest_goes_on(
    served: tuple[Application, Large], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    app, made = served
    headers = {"Authorization": f"Bearer {made.admin}"}
    with app.host.database.transaction(writes=True) as session:
        row = IntegrationRow(
            name="script", organization_id=made.organization, title="S", target="all", visibility="private",
            version_id=new_id(), version=1, manifest={"scopes": []},
        )  # fmt: skip
        session.add(row)
        session.flush()
        script = {"Authorization": f"Bearer {tokens.sign(row.id, None, None, [])}"}
    task = {"task": {"text": "x"}, "schedule": 86_000}
    client, spaces, space = app.flask.test_client(), f"/v1/orgs/{made.organization}/spaces", f"/v1/spaces/{made.space}"
    assert client.post(spaces, json={"title": "One"}, headers=headers).status_code == 201
    assert client.post("/v1/integrations/script/tasks", json=task, headers=script).status_code == 204
    written = f"/v1/spaces/{client.post(spaces, json={'title': 'Two'}, headers=headers).json['id']}"
    opened = client.post(f"{written}/change-requests", json={"subject": "S"}, headers=headers).json["id"]
    content = f"{written}/change-requests/{opened}/content"
    page = {"type": "insert_page", "title": "P", "id": "p"}
    first = client.post(content, json={"changes": [page]}, headers=headers)
    assert first.status_code == 200, first.text
    monkeypatch.setattr(disk, "KEPT_FREE", 2 * shutil.disk_usage(tmp_path).total)
    monkeypatch.setattr(disk, "KEPT_SHARE", 2)
    changes = (
        client.post(spaces, json={"title": "Two"}, headers=headers),
        client.post(f"{space}/comments", json={"body": {"markdown": "Hi."}}, headers=headers),
        client.post(f"{space}/change-requests", json={"subject": "S"}, headers=headers),
        client.post("/v1/integrations/script/tasks", json=task, headers=script),
        client.post(content, json={"changes": [{"type": "move_page", "id": "p", "position": {}}]}, headers=headers),
    )
    for answer in changes:
        assert answer.status_code == 503 and "almost full" in answer.json["error"]["message"]
        assert answer.headers["Retry-After"]
    gone = client.post(content, json={"changes": [{"type": "delete_page", "id": "p"}]}, headers=headers)
    assert gone.status_code == 200, gone.text
    assert client.get(space, headers=headers).status_code == 200
    assert client.patch(space, json={"title": "Other"}, headers=headers).status_code == 200
    member = f"/v1/orgs/{made.organization}/members/{made.member_id}"
    assert client.patch(member, json={"role": "read"}, headers=headers).status_code == 200
    assert client.delete(space, headers=headers).status_code == 205
    assert client.get("/readyz").status_code == 200
    monkeypatch.undo()
    assert client.post(spaces, json={"title": "Two"}, headers=headers).status_code == 201
