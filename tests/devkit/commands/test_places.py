"""`devkit spaces` and `devkit sites`: what there is, and a new one."""

from __future__ import annotations

from pathlib import Path

import pytest
import requests

from runtime.contract.identifiers import new_id
from tests.conftest import HostProcess, Tenant
from tests.devkit.conftest import Shell


@pytest.mark.parametrize("kind", ["space", "site"])
def test_what_is_created_is_listed(logged_in: Shell, alpha: Tenant, beta: Tenant, kind: str) -> None:
    hidden = beta.api.post(f"/v1/orgs/{beta.id}/{kind}s", {"title": "Theirs"}).json["id"]
    made = logged_in(f"{kind}s", "--create", "Hand\u202ebook")
    assert made.code == 0 and made.out.startswith("Created ") and "\u202e" not in made.out, made
    place = made.out.split()[1]
    again = logged_in(f"{kind}s", "--create", "Two", "--organization", alpha.id, "--json").json[kind]
    assert again["title"] == "Two"
    listed = logged_in(f"{kind}s").out.splitlines()
    (line,) = [one for one in listed if one.startswith(place)]
    assert f"/{kind}s/{place}" in line
    every = [one["id"] for one in logged_in(f"{kind}s", "--organization", alpha.id, "--json").json[f"{kind}s"]]
    assert {place, again["id"]} <= {*every} and hidden not in every


@pytest.mark.parametrize("kind", ["space", "site"])
def test_an_organization_that_is_not_there(logged_in: Shell, kind: str) -> None:
    for more in ((), ("--create", "Two")):
        refused = logged_in(f"{kind}s", "--organization", "nobody", *more)
        assert refused.code == 1 and "there is no organization `nobody`" in refused.err


def test_a_folder_becomes_a_site_that_everybody_reads(logged_in: Shell, alpha: Tenant, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Start\n\nOf a folder.\n")
    title = f"Book {new_id()}"
    assert logged_in("spaces", "--create", title).code == 0
    assert logged_in("import", str(tmp_path), "--space", title, "--merge").code == 0
    made = logged_in("sites", "--create", title, "--space", title, "--publish")
    assert made.code == 0, made
    page = requests.get(made.out.split()[-1], timeout=30)
    assert page.status_code == 200 and "Of a folder." in page.text
    address = made.out.split()[-1]
    off = logged_in("sites", "--site", title, "--unpublish")
    assert (off.code, off.out.split()[0]) == (0, "Unpublished") and requests.get(address, timeout=30).status_code == 404
    on = logged_in("sites", "--site", made.out.split()[1], "--publish", "--json")
    assert on.json["site"]["urls"]["published"] == address and requests.get(address, timeout=30).status_code == 200
    more = f"More {title}"
    assert logged_in("spaces", "--create", more).code == 0
    added = logged_in("sites", "--site", title, "--space", more)
    assert (added.code, added.out.split()[0], address in added.out) == (0, "Changed", True), added
    assert "More Book" in requests.get(address, timeout=30).text
    again = logged_in("sites", "--site", title, "--space", more)
    assert again.code == 1 and "already" in again.err
    for kind, named in (("sites", ("--site", title, "--delete")), ("spaces", ("--delete", title))):
        refused = logged_in(kind, *named)
        assert refused.code == 1 and "this deletes the s" in refused.err and "Give --yes to confirm" in refused.err
        gone = logged_in(kind, *named, "--yes")
        assert gone.code == 0 and gone.out.startswith("Deleted ") and title in gone.out
        assert f"  {title}" not in logged_in(kind).out
    assert requests.get(address, timeout=30).status_code == 404
    nowhere = logged_in("sites", "--create", title, "--space", "nowhere at all")
    assert nowhere.code == 1 and "there is no space `nowhere at all`" in nowhere.err


def test_an_address_that_is_listed_names_its_place(logged_in: Shell) -> None:
    title = f"Book {new_id()}"
    assert logged_in("spaces", "--create", title).code == 0
    assert logged_in("sites", "--create", title, "--space", title, "--publish").code == 0
    (line,) = [one for one in logged_in("spaces").out.splitlines() if title in one]
    assert logged_in("sites", "--create", "Second", "--space", line.split()[-1]).code == 0
    assert "The name is empty" in logged_in("export", "--space", " ", "folder").err


def test_a_host_without_any(shell: Shell, host: HostProcess, beta: Tenant) -> None:
    for kind, owner in (("site", f"/v1/orgs/{beta.id}"), ("space", "/v1")):
        for one in beta.api.get(f"/v1/orgs/{beta.id}/{kind}s", limit=1000).json["items"]:
            assert beta.api.call("DELETE", f"{owner}/{kind}s/{one['id']}").status < 300
    theirs = ("--host", host.url, "--token", beta.api.token or "")
    spaces = shell("spaces", *theirs)
    assert spaces.out == "There are no spaces that you may see; `devkit spaces --create TITLE` creates one.\n"
    sites = shell("sites", *theirs)
    assert sites.out == "There are no sites that you may see; `devkit sites --create TITLE` creates one.\n"
