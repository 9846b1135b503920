"""Git over HTTP: spaces imported from repositories and exported to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runtime.contract.identifiers import new_id
from tests import databases
from tests.conftest import Api, HostProcess, Tenant, init, installed, tenant, wait_for
from tests.repositories import GitServer, Repository
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.git_sync import (  # noqa: F401  # fixtures
    FILES,
    SUMMARY,
    as_usual,
    ended,
    git_host,
    git_owner,
    git_server,
    git_space,
    new_repository,
    repository_name,
    sync,
)
from tests.scenarios.script_tokens import script_tokens
from tests.scenarios.sent_events import events


def pages_of(space: Space) -> dict[str, dict[str, Any]]:
    """Give all pages of a space by their paths."""
    found: dict[str, dict[str, Any]] = {}

    def walk(pages: list[dict[str, Any]]) -> None:
        for one in pages:
            found[one.get("path", one["title"])] = one
            walk(one.get("pages", []))

    walk(ok(space.api.get(f"{space.path}/content/pages"))["pages"])
    return found


def content_of(space: Space) -> Any:
    """Give what a space says without ids, times and where it is from."""

    def plain(pages: list[dict[str, Any]], above: str = "") -> list[Any]:
        said = []
        for one in pages:
            kept = {
                key: one[key]
                for key in one
                if key not in ("id", "createdAt", "updatedAt", "git", "urls", "documentId", "pages")
            }
            text = space.markdown(one["path"]) if one["type"] == "document" else None
            said.append([kept, text, plain(one.get("pages", []))])
        return said

    return plain(ok(space.api.get(f"{space.path}/content/pages"))["pages"])


def test_a_repository_is_imported(space: Space, repository: Repository, server: GitServer, name: str) -> None:
    oid = repository.commit(FILES, "First words")
    last = sync(space, "import", server.address(name), repoCommitURL="https://git.example/commit")
    assert (last["state"], last["direction"], last.get("problems")) == ("success", "import", None), last
    assert space.outline() == [["Hello"], ["Guide", ["Install"]]]
    pages = pages_of(space)
    assert pages["guide"]["description"] == "All of it" and pages["guide"]["icon"] == "book"
    assert pages["guide/install"]["git"]["path"] == "guide/install.md"
    install = pages["guide/install"]["id"]
    file = ok(space.api.get(f"{space.path}/content/files"))["items"][0]
    assert file["name"] == "a.png" and file["git"]["path"] == ".gitbook/assets/a.png"
    text = space.markdown("readme")
    assert f"/pages/{install}#steps" in text and f"/files/{file['id']}" in text
    revision = ok(space.api.get(f"{space.path}/content"))
    assert revision["id"] == last["revision"]
    assert revision["git"] == {
        "oid": oid,
        "message": "First words",
        "createdByService": False,
        "createdByGitBook": False,
        "url": f"https://git.example/commit/{oid}",
        "ref": "refs/heads/main",
    }


def test_a_space_is_exported_and_comes_back_the_same(
    owner: Tenant, space: Space, repository: Repository, server: GitServer, name: str
) -> None:
    space.merge(
        page("Start", "Go [on](/pages/more).\n\n# First\n\n## Second", id="start", icon="home", slug="begin"),
        page("Group *one*", page="group", id="group"),
        page("More", "Text", id="more", position={"parent": "group"}, hidden=True),
        page("Out", page="link", target={"kind": "url", "url": "https://example.com/a"}, position={"parent": "group"}),
        {"type": "set_variables", "variables": {"version": "1.2"}},
    )
    last = sync(space, "export", server.address(name))
    assert last["state"] == "success", last
    assert repository.log() == ["Publish"]
    files = repository.files()
    assert files["README.md"].startswith("---\nslug: begin\nicon: home\n---\n\n# Start\n")
    assert "[on](group-one/more.md)" in files["README.md"] and "\n## First\n\n### Second\n" in files["README.md"]
    assert files[".gitbook/vars.yaml"] == "version: '1.2'\n"
    revision = ok(space.api.get(f"{space.path}/content"))
    assert revision["git"]["oid"] == repository.tip() == last["commit"]
    assert revision["git"]["createdByGitBook"] and revision["id"] == last["revision"]
    assert ok(space.api.get(f"{space.path}/revisions/{revision['id']}/changes")) == {"changes": []}
    other = Space(owner)
    assert sync(other, "import", server.address(name))["state"] == "success"
    mine = content_of(space)
    ids = {pages_of(space)[path]["id"]: one["id"] for path, one in pages_of(other).items()}
    said = str(mine)
    for old, new in ids.items():
        said = said.replace(f"/pages/{old}", f"/pages/{new}")
    assert str(content_of(other)) == said
    again = sync(space, "export", server.address(name))
    assert again["state"] == "success" and repository.log() == ["Publish"]


def test_what_people_wrote_stays_as_they_wrote_it(
    space: Space, repository: Repository, server: GitServer, name: str
) -> None:
    before = repository.commit(FILES)
    sync(space, "import", server.address(name))
    sync(space, "export", server.address(name))
    assert repository.tip() == before
    path = space.change_request({"type": "update_page", "id": pages_of(space)["guide"]["id"], "title": "The guide"})
    ok(space.api.post(f"{path}/merge"))
    sync(space, "export", server.address(name), commitMessage="Call it the guide")
    files = repository.files()
    changed = {path for path in files if files[path] != (FILES[path] if isinstance(FILES[path], str) else files[path])}
    assert changed == {"SUMMARY.md", "guide/README.md"}
    assert repository.log() == ["Call it the guide", "Change"]


def test_redirects_lead_to_where_pages_are_now(
    owner: Tenant, space: Space, repository: Repository, server: GitServer, name: str
) -> None:
    redirects = "redirects:\n  old/path: guide/install.md#steps\n  /a%20b/: ./README.md\n"
    redirects += "  gone: nowhere.md\n  guide: README.md\n"
    repository.commit({**FILES, ".gitbook.yaml": redirects})
    last = sync(space, "import", server.address(name))
    assert last["problems"] == [
        ".gitbook.yaml: 1 redirects are left out, since their targets are not pages of the folder: `gone`."
    ]
    site = ok(space.api.post(f"/v1/orgs/{owner.id}/sites", {"title": "Docs", "spaces": [space.id]}), 201)
    at = f"/v1/orgs/{owner.id}/sites/{site['id']}"
    ok(space.api.post(f"{at}/publish"))
    home = ok(space.api.get(at))["urls"]["published"]

    def look(place: str) -> Any:
        return ok(Api(space.api.url, None).post("/v1/urls/published", {"url": home + place}))

    assert look("old/path") == {"target": "content", "redirect": f"{home}guide/install"}
    assert look("a%20b") == {"target": "content", "redirect": f"{home}readme"}
    assert look("guide")["pathname"] == "/guide"  # where a page is, nothing leads away
    assert "apiToken" in look("gone") and "apiToken" in look("old")
    for change in (
        {"type": "update_page", "id": pages_of(space)["guide/install"]["id"], "slug": "set-up"},
        {"type": "update_page", "id": pages_of(space)["readme"]["id"], "hidden": True},
    ):
        ok(space.api.post(f"{space.change_request(change)}/merge"))
    assert look("old/path")["redirect"] == f"{home}guide/set-up"
    assert "apiToken" in look("a%20b")  # readers are not shown it
    empty = server.repository(f"{name}-2")
    assert sync(space, "export", server.address(f"{name}-2"))["state"] == "success"
    written = empty.files()[".gitbook.yaml"]
    assert "old/path: guide/install.md" in written and "a b: README.md" in written
    assert sync(space, "export", server.address(name), commitMessage="Move")["state"] == "success"
    assert repository.files()[".gitbook.yaml"] == redirects  # as somebody wrote it
    other = Space(owner)
    assert "problems" not in sync(other, "import", server.address(f"{name}-2"))
    repository.commit({**FILES, ".gitbook.yaml": "root: ./\n"}, "No redirects")
    sync(space, "import", server.address(name))
    assert "apiToken" in look("old/path")


def test_both_sides_go_on(space: Space, repository: Repository, server: GitServer, name: str) -> None:
    repository.commit(FILES)
    sync(space, "import", server.address(name))
    ids = {path: one["id"] for path, one in pages_of(space).items()}
    theirs = {**FILES, "guide/install.md": "# Install\n\nTheirs\n"}
    repository.commit(theirs)
    space.merge({"type": "update_page", "id": ids["readme"], "document": {"markdown": "Ours"}})
    sync(space, "export", server.address(name))
    files = repository.files()
    assert files["guide/install.md"] == "# Install\n\nTheirs\n" and files["README.md"] == "# Hello\n\nOurs\n"
    sync(space, "import", server.address(name))
    assert space.markdown("guide/install").strip() == "Theirs" and space.markdown("readme").strip() == "Ours"
    renamed = {**files, "guide/setup.md": files["guide/install.md"]}
    del renamed["guide/install.md"]
    renamed["SUMMARY.md"] = files["SUMMARY.md"].replace("[Install](guide/install.md)", "[Set up](guide/setup.md)")
    repository.commit(renamed)
    sync(space, "import", server.address(name))
    assert pages_of(space)["guide/setup"]["id"] == ids["guide/install"]
    gone = {path: text for path, text in renamed.items() if path != "guide/setup.md"}
    gone["SUMMARY.md"] = "\n".join(line for line in renamed["SUMMARY.md"].splitlines() if "setup" not in line)
    repository.commit(gone)
    sync(space, "import", server.address(name))
    assert space.outline() == [["Hello"], ["Guide"]]
    space.merge({"type": "delete_page", "id": ids["guide"]})
    sync(space, "export", server.address(name))
    assert "guide/README.md" not in repository.files() and "src/main.c" in repository.files()


def test_a_project_directory(space: Space, repository: Repository, server: GitServer, name: str) -> None:
    repository.commit({"docs/README.md": "# Docs\n", "other/README.md": "# Other\n"})
    sync(space, "import", server.address(name), repoProjectDirectory="/docs/")
    assert space.outline() == [["Docs"]]
    space.merge(page("New", "Text"))
    sync(space, "export", server.address(name), repoProjectDirectory="docs")
    assert set(repository.files()) == {"docs/README.md", "docs/new.md", "docs/SUMMARY.md", "other/README.md"}
    failed = sync(space, "import", server.address(name), repoProjectDirectory="nowhere")
    assert failed["state"] == "failure" and "directory" in failed["error"]


def test_a_revision_by_itself(space: Space, repository: Repository, server: GitServer, name: str) -> None:
    repository.commit(FILES)
    last = sync(space, "import", server.address(name), standalone=True)
    assert last["state"] == "success" and space.outline() == []
    wait_for(lambda: ok(space.api.get(f"{space.path}/git/info"))["lastSync"]["state"] == "success")


def test_credentials(own_host: HostProcess, space: Space, repository: Repository, server: GitServer, name: str) -> None:
    repository.commit(FILES)
    server.password = "someone:very-secret-word"
    wrong = sync(space, "import", server.address(name, "someone:wrong@"))
    assert wrong["state"] == "failure" and "credentials" in wrong["error"] and space.outline() == []
    last = sync(space, "import", server.address(name, "someone:very-secret-word@"), gitInfo={"provider": "github"})
    assert last["state"] == "success"
    info = ok(space.api.get(f"{space.path}/git/info"))
    assert info["installationProvider"] == "github"
    assert "very-secret-word" not in str(info) + str(ok(space.api.get(space.path)))
    assert b"very-secret-word" not in databases.everything_in(own_host.data)
    assert "very-secret-word" not in (own_host.data / "host.log").read_text()


def test_what_cannot_be_imported_says_why(space: Space, repository: Repository, server: GitServer, name: str) -> None:
    repository.commit(FILES)
    no_branch = sync(space, "import", server.address(name), ref="refs/heads/other")
    assert no_branch["state"] == "failure" and "no branch other" in no_branch["error"]
    missing = sync(space, "import", server.address("nothing"))
    assert missing["state"] == "failure" and "no repository" in missing["error"].lower()
    private = sync(space, "import", "http://127.0.0.1:1/a.git")
    assert "private network" in private["error"]
    for url in ("file:///etc", "ssh://git@example.com/a.git", "http:///a"):
        assert space.api.post(f"{space.path}/git/import", {"url": url, "ref": "refs/heads/main"}).status == 400
    for ref in ("main", "refs/heads/", "refs/heads/a..b", "refs/heads/a b"):
        assert space.api.post(f"{space.path}/git/import", {"url": server.address(name), "ref": ref}).status == 400

    def away(environ: dict[str, Any], start: Any) -> Any:
        start("302 Found", [("Location", "http://127.0.0.1:1/x.git/info/refs?service=git-upload-pack")])
        return [b""]

    server.before = away
    redirected = sync(space, "import", server.address(name))
    assert redirected["state"] == "failure" and "private network" in redirected["error"]


def test_what_is_left_out_is_told(space: Space, repository: Repository, server: GitServer, name: str) -> None:
    big = b"\0" * (101 * 1024 * 1024)
    hostile: dict[str, Any] = {
        **FILES,
        "guide/secret.md": repository.link("../../../etc/passwd"),
        "vendor": (0o160000, b"1" * 40),
        "guide/big.bin": big,
        "SUMMARY.md": SUMMARY + "* [Secret](guide/secret.md)\n* [Again](README.md)\n* [Out](../../etc/passwd.md)\n",
    }
    repository.commit(hostile)
    last = sync(space, "import", server.address(name))
    assert last["state"] == "success", last
    told = "\n".join(last["problems"])
    for word in (
        "guide/secret.md: it is left out, since it is a link",
        "vendor",
        "submodule",
        "guide/big.bin",
        "twice",
    ):
        assert word in told, told
    assert "root:" not in str(content_of(space))
    before = repository.tip()
    sync(space, "export", server.address(name))
    files = repository.files()
    assert files["vendor"] == "submodule " + "1" * 40 and len(files["guide/big.bin"]) == len(big)
    assert files["LICENSE"] == "Free." and before is not None


SCRIPT_WITH_TOKENS = """
from runtime.sdk import Integration, Response
integration = Integration()
@integration.fetch("GET", "/tokens")
def tokens(context):
    return Response.json(context.environment["apiTokens"])
"""


def test_integrations_hear_of_it(owner: Tenant, server: GitServer, repository: Repository, name: str) -> None:
    script = """
from runtime.sdk import Integration
integration = Integration()
@integration.on("space_gitsync_started")
def started(event, context):
    context.log.info("started %s %s", event["revisionId"], event["commitId"])
@integration.fetch("GET", "/tokens")
def tokens(context):
    from runtime.sdk import Response
    return Response.json(context.environment["apiTokens"])
@integration.on("space_gitsync_completed")
def completed(event, context):
    context.log.info("completed %s %s", event["state"], event["commitId"])
"""
    one = installed(owner, script, scopes=["space:git:sync", "space:content:read"])
    space = Space.__new__(Space)
    space.api, space.id, space.path = owner.api, one.space, f"/v1/spaces/{one.space}"
    oid = repository.commit(FILES)
    script_api = script_tokens(one)["installation"]
    body = {"url": server.address(name), "ref": "refs/heads/main"}
    ok(script_api.post(f"{space.path}/git/import", body), 204)
    assert ended(space)["state"] == "success"
    body["ref"] = "refs/heads/none"
    ok(script_api.post(f"{space.path}/git/import", body), 204)

    assert len(events(one, "space_gitsync_started", 1)) == 1
    heard = events(one, "space_gitsync_completed", 2)
    said = [ok(owner.api.get(f"{one.path}/events/{event['id']}"))["event"]["payload"] for event in heard]
    completed = {event["state"]: event for event in said}
    assert completed["success"]["commitId"] == oid and completed["failure"]["commitId"] == "0" * 40
    reader = installed(owner, script, scopes=["space:content:read"])
    refused = script_tokens(reader)["installation"].post(f"/v1/spaces/{reader.space}/git/import", body)
    assert refused.status == 403


def test_what_is_older_than_what_was_done_is_left_out(
    space: Space, repository: Repository, server: GitServer, name: str
) -> None:
    repository.commit(FILES)
    sync(space, "import", server.address(name), timestamp="2026-01-02T00:00:00.000Z")
    space.merge(page("Ours"))
    body = {"url": server.address(name), "ref": "refs/heads/main", "timestamp": "2026-01-01T00:00:00.000Z"}
    ok(space.api.post(f"{space.path}/git/import", body), 204)
    sync(space, "export", server.address(name), timestamp="2026-01-03T00:00:00.000Z")
    assert ["Ours"] in space.outline()


def test_a_branch_that_moves_while_a_commit_is_made(
    space: Space, repository: Repository, server: GitServer, name: str
) -> None:
    repository.commit(FILES)
    sync(space, "import", server.address(name))
    space.merge(page("Ours"))
    moves = iter([{**FILES, "LICENSE": "Not free."}])

    def move(environ: dict[str, Any], start: Any) -> Any:
        if environ["PATH_INFO"].endswith("/git-receive-pack"):
            for files in moves:
                repository.commit(files, "Theirs")

    server.before = move
    assert sync(space, "export", server.address(name))["state"] == "success"
    assert repository.log() == ["Publish", "Theirs", "Change"]
    assert repository.files()["LICENSE"] == "Not free." and "ours.md" in repository.files()


def test_a_synchronization_ends_when_its_space_is_given_away(
    space: Space, repository: Repository, server: GitServer, name: str
) -> None:
    repository.commit(FILES)
    target = ok(space.api.post("/v1/orgs", {"title": "Takers"}), 201)["id"]
    once = iter([f"{space.path}/transfer"])

    def give(environ: dict[str, Any], start: Any) -> Any:
        for path in once:
            ok(space.api.post(path, {"organization": target}))

    before = content_of(space)
    server.before = give
    done = sync(space, "import", server.address(name))
    assert done["state"] == "failure" and "transferred to another organization" in done["error"]
    server.before = None
    assert sync(space, "export", server.address(name), force=True)["state"] == "success"  # which waits for the former
    assert content_of(space) == before


@pytest.mark.parametrize("way", ["import", "export"])
def test_what_a_script_began_ends_when_it_is_uninstalled(
    owner: Tenant, repository: Repository, server: GitServer, name: str, way: str
) -> None:
    oid = repository.commit(FILES)
    one = installed(owner, SCRIPT_WITH_TOKENS, scopes=["space:git:sync", "space:content:read"])
    space = Space.__new__(Space)
    space.api, space.id, space.path = owner.api, one.space, f"/v1/spaces/{one.space}"
    before = content_of(space)
    once = iter([f"{one.path}/installations/{one.installation}"])

    def uninstall(environ: dict[str, Any], start: Any) -> Any:
        for path in once:
            assert owner.api.call("DELETE", path).status == 205

    server.before = uninstall
    body = {"url": server.address(name), "ref": "refs/heads/main"}
    more = {"commitMessage": "Taken", "force": True} if way == "export" else {}
    ok(script_tokens(one)["installation"].post(f"{space.path}/git/{way}", {**body, **more}), 204)
    done = ended(space)
    server.before = None
    assert done["state"] == "failure" and "is not installed on this space any more" in done["error"]
    assert content_of(space) == before and repository.tip() == oid


@pytest.mark.parametrize("where", ["git-upload-pack", "git-receive-pack"])
def test_a_host_that_dies_in_the_middle(
    tmp_path: Path, server: GitServer, repository: Repository, name: str, where: str
) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, "--allow-egress", f"127.0.0.1:{server.port}").start()
    try:
        space = Space(tenant(host, "Dying", f"{new_id()}@example.com"))
        repository.commit(FILES)
        sync(space, "import", server.address(name))
        space.merge(page("Ours"))
        killed: list[bool] = []

        def kill(environ: dict[str, Any], start: Any) -> Any:
            if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"].endswith(f"/{where}") and not killed:
                killed.append(True)
                host.kill()

        server.before = kill
        body = {"url": server.address(name), "ref": "refs/heads/main", "commitMessage": "Publish"}
        before = ok(space.api.get(f"{space.path}/git/info"))["lastSync"]
        ok(space.api.post(f"{space.path}/git/export", body), 204)
        wait_for(lambda: killed)
        host.start()
        assert ended(space, before)["state"] == "success"
        assert repository.log() == ["Publish", "Change"] and "ours.md" in repository.files()
        assert ok(space.api.get(f"{space.path}/content"))["git"]["oid"] == repository.tip()
    finally:
        host.kill()
