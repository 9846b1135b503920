"""`devkit import` sends a folder, a file or an address, and says what became of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Tenant
from tests.devkit.conftest import Shell


@pytest.fixture
def space(alpha: Tenant) -> str:
    made = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"title": "Imported", "editMode": "live"})
    assert made.status == 201, made.text
    return str(made.json["id"])


def titles(alpha: Tenant, path: str) -> list[str]:
    return [page["title"] for page in alpha.api.get(f"{path}/content/pages").json["pages"]]


def test_a_folder_is_sent(logged_in: Shell, alpha: Tenant, space: str, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config.md").write_text("# Secret")
    (folder / "one.md").write_text("# One\n\n[two](two.md)")
    (folder / "two.md").write_text("# Two")
    (folder / "bad.md").write_bytes(b"\0\0")
    (folder / "link.md").symlink_to("/etc/passwd")
    done = logged_in("import", "docs", "--space", space, folder=tmp_path)
    assert done.code == 0, done.err
    assert done.out.startswith("Imported 2 of 3: revision ")
    assert "warning: bad.md is left out. This is not text" in done.err
    assert sorted(titles(alpha, f"/v1/spaces/{space}")) == ["One", "Two"]


def test_a_file_goes_into_a_change_request(logged_in: Shell, alpha: Tenant, space: str, tmp_path: Path) -> None:
    made = alpha.api.post(f"/v1/spaces/{space}/change-requests", {}).json["id"]
    (tmp_path / "x.md").write_text("# From a file")
    done = logged_in("import", "x.md", "--space", space, "--change-request", made, "--json", folder=tmp_path)
    assert done.code == 0, done.err
    assert json.loads(done.out)["status"] == "completed"
    assert titles(alpha, f"/v1/spaces/{space}") == []
    assert titles(alpha, f"/v1/spaces/{space}/change-requests/{made}") == ["From a file"]


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("nowhere", "there is no file or folder nowhere"),
        ("x.bin", "give it with --source"),
        ("empty", "has no files"),
        ("http://127.0.0.1:1/x.md", "private network"),
        ("x.docx", "not a .docx file"),
    ],
)
def test_what_cannot_be_imported_says_why(logged_in: Shell, space: str, tmp_path: Path, what: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("x.bin", "x.docx"):
        (tmp_path / name).write_bytes(b"x")
    done = logged_in("import", what, "--space", space, folder=tmp_path)
    assert done.code == 1
    assert said in done.err
