"""`devkit import` sends a folder, a file or an address, and says what became of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.contract.identifiers import new_id
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


def test_a_page_to_import_below_is_named_by_its_path(
    logged_in: Shell, alpha: Tenant, space: str, tmp_path: Path
) -> None:
    for name in ("Above it", "Below"):
        (tmp_path / f"{name}.md").write_text(f"# {name}")
    early = logged_in("import", "Below.md", "--space", space, "--page", "above-it", folder=tmp_path)
    assert (early.code, "there is no page `above-it`" in early.err) == (1, True), early.err
    assert logged_in("import", "Above it.md", "--space", space, folder=tmp_path).code == 0
    (above,) = alpha.api.get(f"/v1/spaces/{space}/content/pages").json["pages"]
    for named in ("above-it", "/above-it/", above["id"]):
        done = logged_in("import", "Below.md", "--space", space, "--page", named, folder=tmp_path)
        assert done.code == 0, done.err
    (above,) = alpha.api.get(f"/v1/spaces/{space}/content/pages").json["pages"]
    assert [page["title"] for page in above["pages"]] == ["Below"]
    asked = ("import", "Below.md", "--space", space, "--change-request")
    into = alpha.api.post(f"/v1/spaces/{space}/change-requests", {}).json["id"]
    assert logged_in(*asked, into, "--page", "above-it/below", folder=tmp_path).code == 0
    (above,) = alpha.api.get(f"/v1/spaces/{space}/change-requests/{into}/content/pages").json["pages"]
    assert [page["title"] for page in above["pages"][0]["pages"]] == ["Below"]


@pytest.mark.parametrize(
    ("what", "code", "said"),
    [
        ("nowhere", 2, "there is no file or folder nowhere"),
        ("x.bin", 2, "give it with --source"),
        ("empty", 1, "has no files"),
        ("http://127.0.0.1:1/x.md", 1, "private network"),
        ("x.docx", 1, "not a .docx file"),
    ],
)
def test_what_cannot_be_imported_says_why(
    logged_in: Shell, space: str, tmp_path: Path, what: str, code: int, said: str
) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("x.bin", "x.docx"):
        (tmp_path / name).write_bytes(b"x")
    done = logged_in("import", what, "--space", space, folder=tmp_path)
    assert done.code == code
    assert said in done.err


@pytest.fixture
def locked(alpha: Tenant) -> str:
    made = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"title": f"Locked {new_id()[:6]}"})
    assert made.json["editMode"] == "locked"
    return str(made.json["id"])


def test_a_locked_space_gets_a_change_request_with_the_way_to_merge_it(
    logged_in: Shell, alpha: Tenant, locked: str, tmp_path: Path
) -> None:
    (tmp_path / "x.md").write_text("# From a file")
    done = logged_in("import", "x.md", "--space", locked, folder=tmp_path)
    assert done.code == 0, done.err
    at = f"/v1/spaces/{locked}/change-requests"
    (made,) = alpha.api.get(at, status="draft").json["items"]
    assert f"The space is locked, so it is in change request #1: merge it at {made['urls']['app']}" in done.out
    assert made["subject"] == "Import x.md"
    assert titles(alpha, f"/v1/spaces/{locked}") == []
    (tmp_path / "x.md").write_text("# From a file\n\nOnce more.")
    again = logged_in("import", "x.md", "--space", locked, folder=tmp_path)
    assert (again.code, "it is in change request #1: merge it" in again.out) == (0, True), again.err
    merged = logged_in("import", "x.md", "--space", locked, "--change-request", made["id"], "--merge", folder=tmp_path)
    assert (merged.code, "and merged #1: revision " in merged.out) == (0, True), merged.err
    assert titles(alpha, f"/v1/spaces/{locked}") == ["From a file"]
    another = logged_in("import", "x.md", "--space", locked, folder=tmp_path)
    assert "it is in change request #2: merge it" in another.out, "that of the first import is merged"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.md").write_text("# From elsewhere")
    elsewhere = logged_in("import", "other/x.md", "--space", locked, folder=tmp_path)
    assert "it is in change request #3: merge it" in elsewhere.out, "only the name is the same"
    again = logged_in("import", "x.md", "--space", locked, "--merge", folder=tmp_path)
    assert "and merged #2" in again.out
    # The draft begins with what the space has now, so that nothing that was merged meanwhile is in the way.
    over = logged_in("import", "other/x.md", "--space", locked, "--merge", folder=tmp_path)
    assert (over.code, "and merged #3" in over.out) == (0, True), over.err
    assert sorted(titles(alpha, f"/v1/spaces/{locked}")) == ["From a file", "From elsewhere"]


def test_a_draft_that_the_space_contradicts_is_left(
    logged_in: Shell, alpha: Tenant, locked: str, tmp_path: Path
) -> None:
    (tmp_path / "x.md").write_text("# One\n\nfirst")
    assert logged_in("import", "x.md", "--space", locked, "--merge", folder=tmp_path).code == 0
    (tmp_path / "x.md").write_text("# One\n\nsecond")
    assert "change request #2" in logged_in("import", "x.md", "--space", locked, folder=tmp_path).out
    (page,) = alpha.api.get(f"/v1/spaces/{locked}/content/pages").json["pages"]
    made = alpha.api.post(f"/v1/spaces/{locked}/change-requests", {}).json["id"]
    at = f"/v1/spaces/{locked}/change-requests/{made}"
    change = {"type": "update_page", "id": page["id"], "document": {"markdown": "third"}}
    assert alpha.api.post(f"{at}/content", {"changes": [change]}).status == 200
    assert alpha.api.post(f"{at}/merge").status == 200
    done = logged_in("import", "x.md", "--space", locked, "--merge", folder=tmp_path)
    assert (done.code, "and merged #4" in done.out) == (0, True), done.err


@pytest.mark.parametrize("name", ["tab\tin its name.md", "x" * 200 + ".md", "line\nbreak.md"])
def test_any_name_makes_a_subject(logged_in: Shell, locked: str, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("# Named")
    done = logged_in("import", name, "--space", locked, folder=tmp_path)
    assert done.code == 0, done.err


def test_a_locked_space_is_named_by_its_title_and_merged_at_once(
    logged_in: Shell, alpha: Tenant, locked: str, tmp_path: Path
) -> None:
    title = alpha.api.get(f"/v1/spaces/{locked}").json["title"]
    (tmp_path / "x.md").write_text("# From a file")
    done = logged_in("import", "x.md", "--space", title.lower(), "--merge", "--json", folder=tmp_path)
    assert done.code == 0, done.err
    assert done.json["merged"] is True
    assert alpha.api.get(f"/v1/spaces/{locked}").json["revision"] == done.json["revision"]
    assert titles(alpha, f"/v1/spaces/{locked}") == ["From a file"]
    exported = logged_in("export", "--space", title, "out", folder=tmp_path)
    assert (exported.code, (tmp_path / "out").is_dir()) == (0, True), exported.err
    near = logged_in("import", "x.md", "--space", f"{title}x", folder=tmp_path)
    assert (near.code, f"did you mean `{title}`?" in near.err) == (1, True)


def test_of_two_spaces_with_one_title_none_is_guessed(
    logged_in: Shell, alpha: Tenant, locked: str, tmp_path: Path
) -> None:
    title = alpha.api.get(f"/v1/spaces/{locked}").json["title"]
    twin = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"title": title}).json["id"]
    (tmp_path / "x.md").write_text("# From a file")
    done = logged_in("import", "x.md", "--space", title, folder=tmp_path)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert locked in done.err and twin in done.err


def test_an_import_that_fails_leaves_no_open_change_request(
    logged_in: Shell, alpha: Tenant, locked: str, tmp_path: Path
) -> None:
    (tmp_path / "x.docx").write_bytes(b"x")
    assert logged_in("import", "x.docx", "--space", locked, folder=tmp_path).code == 1
    states = {
        state: alpha.api.get(f"/v1/spaces/{locked}/change-requests", status=state).json["count"]
        for state in ("draft", "open", "archived")
    }
    assert states == {"draft": 0, "open": 0, "archived": 1}
