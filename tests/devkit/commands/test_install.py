"""`devkit install`, `installations`, `uninstall`: the same from a shell as on the pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from runtime.contract.identifiers import new_id
from tests.conftest import COUNTER, HostProcess, Tenant, publication, tenant
from tests.devkit.conftest import Shell

CONFIGURED = {"account": {"properties": {"key": {"type": "string", "title": "Key"}}, "required": ["key"]}}


@pytest.fixture
def published(alpha: Tenant) -> Iterator[str]:
    name = f"test-{new_id()[:8].lower()}"
    assert alpha.api.post(f"/v1/integrations/{name}", publication(alpha.id, COUNTER)).status == 200
    yield name
    alpha.api.call("DELETE", f"/v1/integrations/{name}")


def places(alpha: Tenant) -> tuple[str, str]:
    space = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"title": "Here"}).json["id"]
    site = alpha.api.post(f"/v1/orgs/{alpha.id}/sites", {"title": "There", "spaces": [space]}).json["id"]
    return space, site


def test_it_is_installed_where_it_is_said_and_comes_off_again(logged_in: Shell, alpha: Tenant, published: str) -> None:
    space, site = places(alpha)
    assert "is not installed" in logged_in("installations", published).out
    first = logged_in("install", published, "--space", space)
    assert first.code == 0, first.err
    *where, endpoint = first.out.splitlines()
    assert where == [f"{published} on the organization: active", f"  space {space} Here: active"]
    assert endpoint.startswith("  public endpoint http") and f"/v1/integrations/{published}/installation" in endpoint
    again = logged_in("install", published, "--space", space, "--site", site, "--json").json
    assert [item["space"]["id"] for item in again["spaces"]] == [space]
    assert [item["site"]["id"] for item in again["sites"]] == [site]
    listed = logged_in("installations", published, "--json").json["installations"]
    assert [item["installation"]["id"] for item in listed] == [again["installation"]["id"]]
    assert f"{published} on the organization: active" in logged_in("installations").out
    off = logged_in("uninstall", published, "--space", space)
    assert off.out == f"Uninstalled {published} from {space}.\n"
    (left,) = logged_in("installations", published, "--json").json["installations"]
    assert left["spaces"] == [] and len(left["sites"]) == 1
    asked = logged_in("uninstall", published)
    assert asked.code == 1 and "spaces (0) and of sites (1)" in asked.err and "--yes" in asked.err
    assert logged_in("uninstall", published, "--yes").code == 0
    gone = logged_in("uninstall", published, "--yes")
    assert gone.code == 1 and f"`devkit install {published}` installs it" in gone.err


def test_all_places_and_those_to_come(logged_in: Shell, alpha: Tenant, published: str) -> None:
    done = logged_in("install", published, "--all-spaces", "--all-sites", "--json")
    installation = done.json["installation"]
    assert (installation["space_selection"], installation["site_selection"]) == ("all", "all")
    assert "  all spaces, including future ones" in logged_in("installations", published).out
    space, _ = places(alpha)
    off = logged_in("uninstall", published, "--all-spaces", "--json")
    assert off.code == 0 and space in off.json["spaces"] and off.json["sites"] == [], off.err
    (left,) = logged_in("installations", published, "--json").json["installations"]
    assert (left["spaces"], left["installation"]["space_selection"]) == ([], "selected")
    assert left["sites"] and left["installation"]["site_selection"] == "all"
    assert logged_in("uninstall", published, "--all-sites").out == f"Uninstalled {published} from all sites.\n"


def test_what_waits_for_its_configuration_says_where(logged_in: Shell, alpha: Tenant) -> None:
    name = f"test-{new_id()[:8].lower()}"
    body = publication(alpha.id, COUNTER, configurations=CONFIGURED)
    assert alpha.api.post(f"/v1/integrations/{name}", body).status == 200
    told = logged_in("install", name).out
    assert f"{name} on the organization: pending until it is configured at http" in told


def test_places_of_others_are_refused(logged_in: Shell, published: str) -> None:
    done = logged_in("install", published, "--space", "nowhere")
    assert done.code == 1 and done.err.count("\n") == 1 and "nowhere" in done.err
    assert logged_in("install", "there-is-none").code == 1


def test_an_integration_that_does_not_exist_is_no_installation(logged_in: Shell, published: str) -> None:
    hint = "Start `devkit dev` in its folder, or put it on the host with `devkit publish`."
    for command in ("installations", "versions", "logs"):
        done = logged_in(command, "nowhere-at-all")
        assert (done.code, done.out) == (1, ""), done.out
        assert f"no integration `nowhere-at-all`, or this token may not see it. {hint}" in done.err
    assert "is not installed; `devkit install" in logged_in("installations", published).out


def test_unpublish_says_what_goes_and_asks(logged_in: Shell, published: str) -> None:
    asked = logged_in("unpublish", published)
    assert (
        asked.code == 1
        and "this deletes 1 version, every installation with its configuration (installed in none" in asked.err
    )
    assert logged_in("install", published).code == 0
    asked = logged_in("unpublish", published)
    assert "(installed in your organizations: Alpha), and all its events" in asked.err
    assert logged_in("unpublish", published, "--yes").code == 0


@pytest.mark.parametrize(("target", "page"), [("organization", None), ("site", "sites"), ("space", "content")])
def test_what_comes_next_is_true_for_every_target(logged_in: Shell, host: HostProcess, target: str, page: str) -> None:
    """In an organization without a space or a site."""
    owner = tenant(host, "Empty", f"{new_id()}@example.com")
    name = f"test-{new_id()[:8].lower()}"
    body = publication(owner.id, COUNTER) | {"target": target}
    assert owner.api.post(f"/v1/integrations/{name}", body).status == 200
    done = logged_in("install", name, "--token", str(owner.api.token), "--host", owner.api.url)
    assert done.code == 0, done.err
    told = [line for line in done.out.splitlines() if "has no" in line or "Next" in line or "adds it" in line]
    at = f"{owner.api.url}/app/orgs/{owner.id}/{page}"
    assert told == ([] if page is None else [f"The organization has no {target} yet: create one at {at}."])
    unfit = "spaces" if target == "site" else "sites"
    wrong = logged_in("install", name, f"--all-{unfit}", "--token", str(owner.api.token), "--host", owner.api.url)
    fit = f"{target}s" if page is not None else "organizations as a whole"
    assert (wrong.code, f"{name} is made for {fit}: leave out --all-{unfit}" in wrong.err) == (1, True), wrong.err
