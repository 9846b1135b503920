"""How much there may be of what people make: of several who want the last place one gets it, the others are told."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pytest
from sqlalchemy import func, insert, inspect, select

from runtime.api.families import sites, translations, tunnels
from runtime.contract.events import EVENTS
from runtime.contract.identifiers import new_id
from runtime.dispatch import outbox
from runtime.services import (
    change_requests,
    commenting,
    granting,
    installing,
    inviting,
    membership,
    publishing,
    quotas,
    reviewing,
    saml_providers,
    sharing,
)
from runtime.store import installed as candidates
from runtime.store import openapi_specs, queue, schema, tokens
from runtime.store.database import Table, now
from runtime.store.secrets import load_keyring, use_keyring
from runtime.store.tables.change_requests import ChangeRequestRow, RequestedReviewerRow
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.comments import CommentReactionRow, CommentReplyRow, CommentRow
from runtime.store.tables.grants import GrantRow
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.invites import EmailInviteRow, InviteLinkRow
from runtime.store.tables.openapi_specs import OpenApiSpecRow
from runtime.store.tables.organizations import MemberRow, UserRow
from runtime.store.tables.reviews import ReviewRow
from runtime.store.tables.saml import SamlProviderRow
from runtime.store.tables.site_publishing import RedirectRow, ShareLinkRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow
from runtime.store.tables.teams import TeamRow
from runtime.store.tables.translations import TranslationRow
from runtime.store.tables.tunnels import TunnelRow
from tests import databases
from tests.conftest import (
    COUNTER,
    SCOPES,
    Answer,
    Api,
    HostProcess,
    Installed,
    Tenant,
    installed,
    publication,
    tenant,
    wait_for,
)
from tests.contract.requests_table import SPECIFICATION
from tests.scenarios.answers import ok
from tests.scenarios.at_once import at_once
from tests.scenarios.content import Space, page
from tests.scenarios.people import Person, person

TRIES = 3
HI = {"markdown": "Hi."}


class Ground:
    """An organization with one of everything that others are put beside."""

    def __init__(self, host: HostProcess) -> None:
        self.host = host
        self.owner = tenant(host, "Roomy", f"{new_id().lower()}@example.com")
        self.api, self.at = self.owner.api, f"/v1/orgs/{self.owner.id}"
        ok(self.api.call("PATCH", self.at, {"inviteLinks": True}))
        self.space = Space(self.owner)
        ok(self.api.call("PATCH", self.space.path, {"defaultLevel": "inherit"}))
        self.change_request = self.space.change_request(page("A", "Text.", id="a"))
        self.comment = (
            f"{self.space.path}/comments/{ok(self.api.post(f'{self.space.path}/comments', {'body': HI}))['id']}"
        )
        self.site = ok(self.api.post(f"{self.at}/sites", {"title": "Site", "spaces": [self.space.id]}), 201)
        self.on_site = f"{self.at}/sites/{self.site['id']}"

    @cached_property
    def strangers(self) -> list[Person]:
        """People of other organizations, for each request one."""
        return [
            person(self.host, tenant(self.host, "Elsewhere", f"{new_id().lower()}@example.com"))
            for _ in range(TRIES + 1)
        ]

    @cached_property
    def members(self) -> list[Person]:
        """Members who may be asked for a review, for each request one."""
        return [person(self.host, self.owner) for _ in range(TRIES + 1)]

    def people(self, many: int, *, members: bool = False) -> list[str]:
        """Make people who are members of nothing, or of the organization."""
        template = self.rows(UserRow, {"id": self.owner.user})[0]
        made = [template | {"id": new_id(), "email": f"{new_id().lower()}@example.com"} for _ in range(many)]
        self.insert(UserRow, made)
        if members:
            by = {"organization_id": self.owner.id}
            member = self.rows(MemberRow, {**by, "user_id": self.owner.user})[0] | {"role": "read"}
            self.insert(MemberRow, [member | {"user_id": one["id"]} for one in made])
        return [one["id"] for one in made]

    def rows(self, table: type[Table], within: dict[str, Any]) -> list[dict[str, Any]]:
        names = [column.key for column in inspect(table).column_attrs]
        with databases.opened(self.host.data) as database, database.transaction(writes=False) as session:
            found = session.scalars(select(table).filter_by(**within)).all()
            return [{name: getattr(row, name) for name in names} for row in found]

    def insert(self, table: type[Table], values: list[dict[str, Any]]) -> None:
        with databases.opened(self.host.data) as database:
            for place in range(0, len(values), 5000):
                with database.transaction(writes=True) as session:
                    session.execute(insert(table), values[place : place + 5000])

    def count(self, table: type[Table], within: dict[str, Any]) -> int:
        with databases.opened(self.host.data) as database, database.transaction(writes=False) as session:
            return session.scalar(select(func.count()).select_from(table).filter_by(**within)) or 0


Make = Callable[[Ground, int], Answer]


@dataclass(frozen=True)
class Kind:
    """A kind of thing: how many there may be beside each other, what one is beside, and how one is made.

    `vary` gives columns of the row with a number that may not be those of another.
    """

    table: type[Table]
    most: int
    within: Callable[[Ground], dict[str, Any]]
    make: Make
    vary: dict[str, Callable[[int], Any]] = field(default_factory=dict)
    of_people: bool = False


def in_organization(ground: Ground) -> dict[str, Any]:
    return {"organization_id": ground.owner.id}


def in_space(ground: Ground) -> dict[str, Any]:
    return {"space_id": ground.space.id}


def on_change_request(ground: Ground) -> dict[str, Any]:
    return {"change_request_id": ground.change_request.rpartition("/")[2]}


def on_site(ground: Ground) -> dict[str, Any]:
    return {"site_id": ground.site["id"]}


def posted(path: Callable[[Ground], str], body: Callable[[int], Any], method: str = "POST") -> Make:
    return lambda ground, number: ground.api.call(method, path(ground), body(number))


def react(ground: Ground, number: int) -> Answer:
    body = {"addedReactions": [["1f600", "1f601", "1f602", "1f603"][number]]}
    return ground.api.call("PUT", ground.comment, body)


def publish(ground: Ground, number: int) -> Answer:
    return ground.api.post(f"/v1/integrations/{new_id().lower()}", publication(ground.owner.id))


def ask(ground: Ground, number: int) -> Answer:
    asked = {"users": [ground.members[number].id]}
    return ground.api.post(f"{ground.change_request}/requested-reviewers", asked)


def give(ground: Ground, number: int) -> Answer:
    body = {"role": "edit", "users": [ground.members[number].id]}
    return ground.api.post(f"{ground.space.path}/permissions", body)


def join(ground: Ground, number: int) -> Answer:
    links = ok(ground.api.get(f"{ground.at}/link-invites"))["items"]
    link = links[0]["id"] if links else ok(ground.api.post(f"{ground.at}/link-invites", {"role": "read"}), 201)["id"]
    return ground.strangers[number].api.post(f"{ground.at}/invites/{link}")


def redirect(ground: Ground, number: int) -> Answer:
    part = ok(ground.api.get(f"{ground.on_site}/site-spaces"))["items"][0]["id"]
    body = {"source": f"/from-{number}", "destination": {"kind": "site-space", "siteSpaceId": part}}
    return ground.api.post(f"{ground.on_site}/redirects", body)


KINDS = [
    Kind(
        CommentRow,
        commenting.MAX_COMMENTS,
        in_space,
        posted(lambda g: f"{g.space.path}/comments", lambda n: {"body": HI}),
    ),
    Kind(
        CommentReplyRow,
        commenting.MAX_REPLIES,
        in_space,
        posted(lambda g: f"{g.comment}/replies", lambda n: {"body": HI}),
    ),
    Kind(
        CommentReactionRow,
        commenting.MAX_PEOPLE,
        lambda ground: {"on_id": ground.comment.rpartition("/")[2]},
        react,
        of_people=True,
    ),
    Kind(
        ChangeRequestRow,
        change_requests.MAX_OPEN,
        in_space,
        posted(lambda g: f"{g.space.path}/change-requests", lambda n: {"subject": "One more"}),
        {"number": lambda n: 1000 + n},
    ),
    Kind(
        ReviewRow,
        reviewing.MAX_REVIEWS,
        on_change_request,
        posted(lambda g: f"{g.change_request}/reviews", lambda n: {"status": "approved"}),
    ),
    Kind(RequestedReviewerRow, change_requests.MAX_REVIEWERS, on_change_request, ask, of_people=True),
    Kind(
        SpaceRow,
        quotas.MAX_SPACES,
        in_organization,
        posted(lambda g: f"{g.at}/spaces", lambda n: {"title": "One more"}),
        {"deleted_at": lambda n: now()},  # what nobody has to make an index of
    ),
    Kind(
        CollectionRow,
        quotas.MAX_COLLECTIONS,
        in_organization,
        posted(lambda g: f"{g.at}/collections", lambda n: {"title": "One more"}),
    ),
    Kind(
        TeamRow,
        membership.MAX_TEAMS,
        in_organization,
        posted(lambda g: f"{g.at}/teams", lambda n: {"title": "T"}, "PUT"),
    ),
    Kind(MemberRow, quotas.MAX_MEMBERS, in_organization, join, of_people=True),
    Kind(GrantRow, granting.MAX_GRANTS, in_space, give, of_people=True),
    Kind(
        InviteLinkRow,
        inviting.MAX_LINKS,
        in_organization,
        posted(lambda g: f"{g.at}/link-invites", lambda n: {"role": "read"}),
    ),
    Kind(
        EmailInviteRow,
        inviting.MAX_INVITES,
        in_organization,
        posted(lambda g: f"{g.at}/invites", lambda n: {"emails": [f"{new_id().lower()}@example.com"]}),
        {"email": lambda n: f"{n}@example.com", "send_at": lambda n: None},
    ),
    Kind(SiteRow, sites.MAX_SITES, in_organization, posted(lambda g: f"{g.at}/sites", lambda n: {"title": "One more"})),
    Kind(
        ShareLinkRow,
        sharing.MAX_LINKS,
        on_site,
        posted(lambda g: f"{g.on_site}/share-links", lambda n: {"name": "One more"}),
        {"digest": lambda n: n.to_bytes(32, "big")},
    ),
    Kind(RedirectRow, sharing.MAX_REDIRECTS, on_site, redirect, {"source": lambda n: f"/of-{n}"}),
    Kind(
        TranslationRow,
        translations.MAX_TRANSLATIONS,
        in_organization,
        posted(lambda g: f"{g.at}/translations", lambda n: {"title": "One more"}),
    ),
    Kind(
        SamlProviderRow,
        saml_providers.MAX_PROVIDERS,
        in_organization,
        posted(
            lambda g: f"{g.at}/saml",
            lambda n: {"label": "One", "ssoURL": "https://idp.example.com/sso", "defaultRole": "edit"},
        ),
    ),
    Kind(
        TunnelRow,
        tunnels.MAX_TUNNELS,
        in_organization,
        posted(lambda g: f"{g.at}/tunnels", lambda n: {"name": f"more-{n}"}),
        {"name": lambda n: f"filling-{n}"},
    ),
    Kind(
        OpenApiSpecRow,
        openapi_specs.MAX_SPECS,
        in_organization,
        posted(lambda g: f"{g.at}/openapi", lambda n: {"slug": new_id().lower(), "source": {"text": SPECIFICATION}}),
        {"slug": lambda n: f"filling-{n}"},
    ),
    Kind(
        IntegrationRow,
        publishing.MAX_INTEGRATIONS,
        in_organization,
        publish,
        {"name": lambda n: new_id().lower()},
    ),
]


WITHIN_OTHERS = {
    "blobs": "as many as files, of which the bytes of a space are bounded",
    "collection_ancestors": "collections, nested at most `MAX_NESTED` deep",
    "content_pieces": "`MAX_DOCUMENTS` bytes of a space",
    "content_sizes": "one for each space",
    "deleted_space_places": "one for each deleted space and site, until it is restored or removed for good",
    "document_references": "one for each document and what it leads to",
    "events": "those that ended are kept up to `DEVKIT_KEEP_EVENTS`, and `MAX_WAITING` of an integration wait",
    "external_ids": "some of an installation, as its body may have",
    "git_operations": "one for each that waits in `jobs`",
    "git_syncs": "one for each space",
    "imports": "`KEPT` of a space are kept when they are over",
    "installations": "one for each integration in an organization, and `MAX_INSTALLED` with those uninstalled of late",
    "integration_previews": "some of a version",
    "integration_versions": "`DEVKIT_KEEP_VERSIONS` of an integration",
    "invite_emails": "`MAX_EMAILS` of an organization within a day, and gone then",
    "jobs": "bounded for each organization, and gone when they are over",
    "openapi_spec_versions": "some of a specification are kept",
    "organizations": "`MAX_ADMINISTERED` of a person",
    "pdfs": "gone when nobody asks for them",
    "revisions": "`MAX_REVISIONS` of a space, and one for each change request that is merged",
    "saml_sign_ins": "gone after minutes",
    "search_pages": "one for each page",
    "search_postings": "made of pages",
    "search_spaces": "one for each space",
    "search_words": "made of pages",
    "sent_forms": "`MAX_FORMS` of a session, and gone with it",
    "site_adaptive_schemas": "one for each site",
    "site_customizations": "one for each site",
    "site_installations": "one for each installation and site, and `MAX_PARTS` with those uninstalled of late",
    "site_section_groups": "`MAX_GROUPS` of a site",
    "site_sections": "`MAX_SECTIONS` of a site",
    "site_space_customizations": "one for each space of a site",
    "site_spaces": "`MAX_SPACES` of a site",
    "space_blobs": "`MAX_BLOBS` of a space",
    "space_installations": "one for each installation and space, and `MAX_PARTS` with those uninstalled of late",
    "team_members": "one for each team and member",
    "tokens": "`MAX_TOKENS` and `MAX_SESSIONS` of a person",
    "users": "one for each person who was let in",
    "visitor_sessions": "`MAX_SESSIONS` of a site, and gone when they end",
}
"""Tables whose rows are bounded by what they belong to, and how."""


def test_each_table_is_bounded() -> None:
    bounded = [str(kind.table.__tablename__) for kind in KINDS]
    assert sorted([*bounded, *WITHIN_OTHERS]) == sorted(str(table.__tablename__) for table in schema.TABLES)


@pytest.fixture
def ground(host: HostProcess) -> Ground:
    return Ground(host)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.table.__tablename__))
def test_the_last_place_is_taken_once(kind: Kind, ground: Ground) -> None:
    within = kind.within(ground)
    assert kind.make(ground, 0).status in (200, 201, 204)
    there = ground.rows(kind.table, within)
    more = kind.most - 1 - len(there)
    people = ground.people(more, members=kind.table is GrantRow) if kind.of_people else []
    made = []
    for number in range(more):
        row = there[-1] | {name: value(number) for name, value in kind.vary.items()}
        row |= {"user_id": people[number]} if people else {}
        made.append(row | ({"id": new_id()} if "id" in row else {}))
    ground.insert(kind.table, made)
    answers = at_once(*(lambda number=number: kind.make(ground, number + 1) for number in range(TRIES)))
    assert sorted(answer.status // 100 for answer in answers) == [2, 4, 4], [answer.text for answer in answers]
    refused = [answer for answer in answers if answer.status >= 400]
    assert {answer.status for answer in refused} == {400}
    assert all(f"{kind.most:,}" in answer.json["error"]["message"] for answer in refused), refused[0].text
    assert ground.count(kind.table, within) == kind.most


def test_spaces_are_made_in_several_places_at_once(ground: Ground) -> None:
    folder = ok(ground.api.post(f"{ground.at}/collections", {"title": "Manuals"}), 201)["id"]
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("spaces", {"title": "At the top"}),
        ("spaces", {"title": "Inside", "parent": folder}),
        ("sites", {"title": "Site", "spaces": "empty"}),
        ("collections", {"title": "At the top"}),
        ("collections", {"title": "Inside", "parent": folder}),
    ]
    for _ in range(5):
        answers = at_once(
            *(
                lambda kind=kind, body=body: ground.api.post(f"{ground.at}/{kind}", body)
                for kind, body in bodies
                for _ in range(2)
            )
        )
        assert {answer.status for answer in answers} == {201}, [answer.text for answer in answers]


INSTALLED: list[tuple[type[Table], int, Callable[[Installed], tuple[str, dict[str, Any], dict[str, Any]]]]] = [
    (
        InstallationRow,
        installing.MAX_INSTALLED,
        lambda one: (f"{one.path}/installations", {"id": one.installation}, {"organization": one.owner.id}),
    ),
    (
        SpaceInstallationRow,
        installing.MAX_PARTS,
        lambda one: (
            f"{one.path}/installations/{one.installation}/spaces",
            {"space_id": one.space},
            {"space": one.space},
        ),
    ),
    (
        SiteInstallationRow,
        installing.MAX_PARTS,
        lambda one: (f"{one.path}/installations/{one.installation}/sites", {"site_id": one.site}, {"siteId": one.site}),
    ),
]
"""Where something is installed anew: the list, the row that is there, and the body."""


@pytest.mark.parametrize(("table", "most", "where"), INSTALLED, ids=("organization", "space", "site"))
def test_what_is_uninstalled_again_and_again_is_bounded(
    table: type[Table], most: int, where: Any, host: HostProcess
) -> None:
    use_keyring(load_keyring(host.data, None))
    ground = Ground(host)
    one = installed(ground.owner, COUNTER)
    above, by, body = where(one)
    (row,) = ground.rows(table, by)
    ground.insert(table, [row | {"id": new_id(), "deleted_at": now()} for _ in range(most - 2)])
    there = next(iter(by.values()))
    assert ground.api.call("DELETE", f"{above}/{there}").status == 205
    again = ok(ground.api.post(above, body), 201)
    assert ground.api.call("DELETE", f"{above}/{again['id'] if table is InstallationRow else there}").status == 205
    refused = ground.api.post(above, body)
    assert refused.status == 400 and f"{most:,} times" in refused.json["error"]["message"]


def test_events_that_wait_are_bounded(host: HostProcess, alpha: Tenant) -> None:
    one = installed(alpha, COUNTER)
    use_keyring(load_keyring(host.data, None))
    (found,) = databases.ask(host.data, "SELECT id FROM integrations WHERE name = ?", [one.name])
    script = Api(host.url, tokens.sign(found[0], None, None, SCOPES))
    task = {"task": {"type": "later"}, "schedule": 80_000}
    by_hand = {"event": {"type": "task", "task": {"type": "now"}}}
    wait_for(lambda: not waiting(host, found[0]))
    filled = [
        event | {"due_at": time.time() + 80_000, "state": "pending"}
        for event in (waiting_event(found[0]) for _ in range(queue.MAX_WAITING - 1))
    ]
    with databases.opened(host.data) as database, database.transaction(writes=True) as session:
        queue.add(session, filled)
    assert alpha.api.post(f"{one.path}/events", by_hand | {"count": 2}).status == 429
    assert script.post(f"{one.path}/tasks", task).status == 204
    for refused in (script.post(f"{one.path}/tasks", task), alpha.api.post(f"{one.path}/events", by_hand)):
        assert refused.status == 429
        assert f"{queue.MAX_WAITING:,} events and tasks" in refused.json["error"]["message"]
    assert waiting(host, found[0]) == queue.MAX_WAITING
    with databases.opened(host.data) as database, database.transaction(writes=True) as session:
        scopes = tuple(scope for kind in EVENTS.values() if (scope := kind.scope) is not None)
        candidate = candidates.Installed(one.installation, found[0], "active", scopes, "all", "all")
        view = {"visitor": {}, "url": "https://example.com/", "referrer": ""}
        assert outbox.emit(session, "site_view", [candidate], view, site_id=one.site)[0] == []
        fields = {"revisionId": new_id()}
        assert len(outbox.emit(session, "space_content_updated", [candidate], fields, space_id=one.space)[0]) == 1


def waiting_event(integration_id: str) -> dict[str, Any]:
    """Give a task as the outbox writes it."""
    event_id = new_id()
    return {
        "id": event_id,
        "integration_id": integration_id,
        "lane": event_id,
        "type": "task",
        "payload": "{}",
        "attempts": 0,
        "created_at": now(),
    }


def waiting(host: HostProcess, integration_id: str) -> int:
    statement = "SELECT count(*) FROM events WHERE integration_id = ? AND state IN ('pending', 'failed', 'claimed')"
    return int(databases.ask(host.data, statement, [integration_id])[0][0])
