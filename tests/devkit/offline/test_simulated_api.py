"""The world behind the API where there is no host: what scripts read of their own surroundings, they find."""

from __future__ import annotations

from pathlib import Path

import pytest

from devkit.offline.plausible import plausible
from devkit.offline.sandboxed_script import SandboxedScript
from devkit.offline.simulated_api import SimulatedApi
from devkit.offline.simulated_host import NOWHERE
from devkit.projects.project import load
from runtime.contract.base import WireModel
from runtime.contract.content import Revision, RevisionFile
from runtime.contract.installations import Installation, SiteInstallation, SpaceInstallation
from runtime.contract.integrations import Integration
from runtime.contract.members import OrganizationMember
from runtime.contract.organizations import Organization, User
from runtime.contract.site_structure import SiteSection, SiteSpace
from runtime.contract.sites import Site
from runtime.contract.spaces import Space

MANIFEST = """\
name: sample
title: Sample
script: integration.py
scopes: []
"""
SCRIPT = """\
from runtime.sdk import FetchError, Integration, ui

integration = Integration()


@integration.component("reads")
def reads(element, context):
    installation = context.api.get(f"/integrations/sample/installations/{context.installation['id']}")
    space = context.api.get("/spaces/" + element.context["spaceId"])
    organization = context.api.get("/orgs/" + space["organization"])
    site = context.api.get(f"/orgs/{organization['id']}/sites")["items"][0]
    person = context.api.get("/user")
    page = context.api.get(f"/spaces/{space['id']}/content")["pages"][0]
    context.api.patch(f"/integrations/sample/installations/{installation['id']}", {"configuration": {}})
    names = (installation["id"], space["title"], organization["title"], site["title"], person["displayName"])
    return ui.block(ui.text(" / ".join([*names, page["title"]])))


@integration.component("elsewhere")
def elsewhere(context):
    try:
        context.fetch("https://api.example.com/")
    except FetchError:
        return ui.block(ui.text("nobody there"))


@integration.component("unknown")
def unknown(context):
    return ui.block(ui.text(context.api.get("/nothing/of/this/name")["title"]))
"""
JAVASCRIPT = """\
export default {
  async fetch(request) {
    const form = await request.formData();
    const environment = JSON.parse(form.get("environment"));
    const headers = { authorization: `Bearer ${environment.authToken}` };
    const answer = await fetch(`${environment.apiEndpoint}/v1/spaces/space-offline`, { headers });
    const { title } = await answer.json();
    const element = { type: "block", children: [{ type: "text", children: [title] }] };
    return Response.json({ type: "element", state: {}, props: {}, element });
  },
};
"""
READ: list[tuple[str, type[WireModel]]] = [
    ("/integrations/sample", Integration),
    ("/integrations/sample/installations", Installation),
    ("/integrations/sample/installations/one", Installation),
    ("/integrations/sample/installations/one/spaces", SpaceInstallation),
    ("/integrations/sample/installations/one/spaces/two", SpaceInstallation),
    ("/integrations/sample/installations/one/sites", SiteInstallation),
    ("/integrations/sample/installations/one/sites/two", SiteInstallation),
    ("/user", User),
    ("/users/one", User),
    ("/orgs", Organization),
    ("/orgs/one", Organization),
    ("/orgs/one/members", OrganizationMember),
    ("/orgs/one/members/two", OrganizationMember),
    ("/orgs/one/spaces", Space),
    ("/orgs/one/sites", Site),
    ("/orgs/one/sites/two", Site),
    ("/orgs/one/sites/two/site-spaces", SiteSpace),
    ("/orgs/one/sites/two/sections", SiteSection),
    ("/spaces/one", Space),
    ("/spaces/one/content", Revision),
    ("/spaces/one/revisions/two", Revision),
    ("/spaces/one/change-requests/2/content", Revision),
    ("/spaces/one/content/files", RevisionFile),
    ("/spaces/one/content/files/two", RevisionFile),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "integration.yaml").write_text(MANIFEST)
    (tmp_path / "integration.py").write_text(SCRIPT)
    return tmp_path


def test_a_script_finds_what_it_is_installed_on(folder: Path) -> None:
    with SandboxedScript(load(str(folder)), simulated_api=True) as run:
        drawn = run.render("reads")
        assert drawn.status == 200, (drawn.body, drawn.fault)
        assert drawn.json["element"]["children"][0]["children"] == [
            "inst-offline / Example space / Example organization / Example site / Example Person / Example page"
        ]
        assert not drawn.asked_outside
        assert run.render("elsewhere").asked_outside
        missing = run.render("unknown")
        assert (missing.status, missing.asked_outside) == (500, True)


def test_a_script_in_javascript_finds_it_too(tmp_path: Path) -> None:
    (tmp_path / "integration.yaml").write_text(MANIFEST.replace(".py", ".js") + "runtime: v2\n")
    (tmp_path / "integration.js").write_text(JAVASCRIPT)
    with SandboxedScript(load(str(tmp_path)), simulated_api=True) as run:
        drawn = run.render("any")
        assert drawn.status == 200, (drawn.body, drawn.trace)
        assert drawn.json["element"]["children"][0]["children"] == ["Example space"]


@pytest.mark.parametrize(("path", "model"), READ)
def test_what_is_read_is_what_the_contract_says(folder: Path, path: str, model: type[WireModel]) -> None:
    api = SimulatedApi(SandboxedScript(load(str(folder))).environment)
    try:
        answer = api.answer("GET", f"/v1{path}")
    finally:
        api.close()
    found = answer.model_dump(mode="json", by_alias=True) if isinstance(answer, WireModel) else answer
    if "items" in found:
        assert found["count"] == len(found["items"]) == 1
        (found,) = found["items"]
    model.model_validate(found)
    last = path.rpartition("/")[2]
    if last in ("one", "two") and "id" in found and model not in (Installation, OrganizationMember, RevisionFile, User):
        assert found["id"] == last


def test_an_object_is_whole_and_nowhere() -> None:
    space = plausible(Space, id="one", title="Handbook")
    assert (space.id, space.title, space.comments) == ("one", "Handbook", 0)
    assert space.urls.app.startswith(NOWHERE)
