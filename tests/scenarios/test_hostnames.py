"""Hostnames of organizations: whatever takes an organization takes them, as manifests name theirs."""

from __future__ import annotations

from runtime.contract.identifiers import new_id
from tests.conftest import COUNTER, Tenant, publication


def hostname_of(owner: Tenant) -> str:
    return str(owner.api.get(f"/v1/orgs/{owner.id}").json["hostname"])


def test_an_organization_gets_one_from_its_title(alpha: Tenant) -> None:
    title = f"Größe & Söhne {new_id()[:5]}"
    first = alpha.api.post("/v1/orgs", {"title": title}).json["hostname"]
    assert first == f"grosse-sohne-{title[-5:].lower()}"
    second = alpha.api.post("/v1/orgs", {"title": title}).json["hostname"]
    assert second != first and second.startswith(first[:20])
    assert len(alpha.api.post("/v1/orgs", {"title": "日本"}).json["hostname"]) >= 3


def test_paths_and_bodies_take_it(alpha: Tenant, beta: Tenant) -> None:
    hostname = hostname_of(alpha)
    assert alpha.api.get(f"/v1/orgs/{hostname}").json["id"] == alpha.id
    made = alpha.api.post(f"/v1/orgs/{hostname}/spaces", {"title": "By hostname"})
    assert made.status == 201 and made.json["organization"] == alpha.id
    name = f"test-{new_id()[:8].lower()}"
    assert alpha.api.post(f"/v1/integrations/{name}", publication(hostname, COUNTER)).status == 200
    installation = alpha.api.post(f"/v1/integrations/{name}/installations", {"organization": hostname})
    assert installation.status == 201 and installation.json["target"]["organization"] == alpha.id
    given = alpha.api.post(f"/v1/spaces/{made.json['id']}/transfer", {"organization": hostname})
    assert given.status == 409 and "already" in given.text
    # What one does not see has no name either.
    assert beta.api.get(f"/v1/orgs/{hostname}").status == 404
    assert beta.api.post(f"/v1/integrations/{name}/installations", {"organization": hostname}).status == 404


def test_one_that_was_given_up_leads_to_whoever_takes_it(alpha: Tenant) -> None:
    one, other = (alpha.api.post("/v1/orgs", {"title": f"Named {new_id()}"}).json for _ in range(2))
    path = f"/v1/orgs/{one['hostname']}"
    assert alpha.api.get(path).json["id"] == one["id"]
    fresh = f"n{new_id().lower()}"
    assert alpha.api.call("PATCH", path, {"hostname": fresh}).status == 200
    assert alpha.api.get(path).status == 404
    assert alpha.api.call("PATCH", f"/v1/orgs/{other['id']}", {"hostname": one["hostname"]}).status == 200
    assert alpha.api.get(path).json["id"] == other["id"]
    # An id is an id, whatever others are called.
    assert alpha.api.get(f"/v1/orgs/{one['id']}").json["hostname"] == fresh
