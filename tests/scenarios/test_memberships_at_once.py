"""Memberships that are given, changed and ended at the same moment: no order of them lets in who was kept out."""

from __future__ import annotations

import pytest

from tests.conftest import HostProcess, Tenant
from tests.scenarios.at_once import at_once
from tests.scenarios.people import Person, person

TIMES = 8


@pytest.fixture
def place(alpha: Tenant) -> Tenant:
    """An organization with one administrator."""
    return Tenant(alpha.api.post("/v1/orgs", {"title": "Place"}).json["id"], alpha.user, alpha.api)


def invited(place: Tenant, one: Person, role: str) -> str:
    """Invite somebody, who was removed, by e-mail; gives the path of the invite."""
    assert place.api.call("DELETE", f"/v1/orgs/{place.id}/members/{one.id}").status == 205
    body = {"emails": [f"{one.id}@example.com"], "role": role}
    made = place.api.post(f"/v1/orgs/{place.id}/invites", body).json
    return f"/v1/orgs/{place.id}/invites/{made['links'][0]['url'].rsplit('/', 1)[-1]}"


def again(place: Tenant, one: Person) -> None:
    """Let somebody in with a link, as a reader."""
    assert place.api.call("PATCH", f"/v1/orgs/{place.id}", {"inviteLinks": True}).status == 200
    link = place.api.post(f"/v1/orgs/{place.id}/link-invites", {"role": "read"}).json["id"]
    assert one.api.post(f"/v1/orgs/{place.id}/invites/{link}").status == 200


@pytest.mark.parametrize("gone", [True, False])
def test_an_invite_is_not_accepted_by_who_is_removed_or_changed(host: HostProcess, place: Tenant, gone: bool) -> None:
    for _ in range(TIMES):
        one = person(host, place)
        invite, member = invited(place, one, "admin"), f"/v1/orgs/{place.id}/members/{one.id}"
        again(place, one)
        accepted, decided = at_once(
            lambda one=one, invite=invite: one.api.post(invite),
            lambda member=member: (
                place.api.call("DELETE", member) if gone else place.api.call("PATCH", member, {"role": "comment"})
            ),
        )
        assert accepted.status in (200, 404) and decided.status in (200, 205)
        found = place.api.get(member)
        assert (found.status, found.json.get("role")) == ((404, None) if gone else (200, "comment"))


def test_an_organization_keeps_an_administrator_while_another_is_made_and_unmade(
    host: HostProcess, place: Tenant
) -> None:
    other = person(host, place, "create")
    of = f"/v1/orgs/{place.id}/members"

    def make_and_leave() -> object:
        place.api.call("PATCH", f"{of}/{other.id}", {"role": "admin"})
        return place.api.call("PATCH", f"{of}/{place.user}", {"role": "edit"})

    def unmake() -> object:
        return [place.api.call("PATCH", f"{of}/{other.id}", {"role": "edit"}) for _ in range(2)]

    for _ in range(TIMES * 3):
        at_once(make_and_leave, *[unmake] * 6)  # type: ignore[list-item]
        admins = [one for one in (place.api, other.api) if one.get(of, role="admin").json.get("count")]
        assert admins, "nobody is left who administers the organization"
        for one in admins:
            for user in (place.user, other.id):
                one.call("PATCH", f"{of}/{user}", {"role": "admin"})
        assert place.api.get(of, role="admin").json["count"] == 2
        assert place.api.call("PATCH", f"{of}/{other.id}", {"role": "create"}).status == 200


def test_an_invite_is_accepted_while_its_sender_is_demoted(host: HostProcess, place: Tenant) -> None:
    """Neither waits for what the other holds: PostgreSQL would refuse one of them."""
    for _ in range(TIMES):
        sender, one = person(host, place, "admin"), person(host, place)
        invite = invited(Tenant(place.id, sender.id, sender.api), one, "edit")
        accepted, demoted = at_once(
            lambda one=one, invite=invite: one.api.post(invite),
            lambda sender=sender: place.api.call(
                "PATCH", f"/v1/orgs/{place.id}/members/{sender.id}", {"role": "comment"}
            ),
        )
        assert (accepted.status in (200, 404), demoted.status) == (True, 200), (accepted.text, demoted.text)


def test_many_are_invited_while_one_of_them_gets_another_role(host: HostProcess, place: Tenant) -> None:
    for number in range(TIMES):
        one = person(host, place)
        invited(place, one, "edit")
        again(place, one)
        emails = [f"{one.id}@example.com", *(f"{number}-{other}@example.com" for other in range(20))]
        sent, changed = at_once(
            lambda emails=emails: place.api.post(f"/v1/orgs/{place.id}/invites", {"emails": emails, "role": "read"}),
            lambda one=one: place.api.call("PATCH", f"/v1/orgs/{place.id}/members/{one.id}", {"role": "comment"}),
        )
        assert (sent.status, changed.status) == (200, 200), (sent.text, changed.text)
