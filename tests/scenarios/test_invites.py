"""Invites by e-mail and by link, through a real mail server."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from runtime.contract.identifiers import new_id
from runtime.services import inviting
from runtime.store import invites
from runtime.store.database import now
from runtime.store.tables.invites import EmailInviteRow
from tests import databases
from tests.conftest import Api, HostProcess, Tenant, free_port, tenant, wait_for
from tests.scenarios.browsing import Browser
from tests.scenarios.people import person, reader

LONG_AGO = "2020-01-01 00:00:00.000000"
HREF = re.compile(r"http://\S+/app/join/(\w+)/(\w+)")


class Mailbox:
    """What a mail server took; `busy` are the answers of the next attempts, instead of taking them."""

    def __init__(self) -> None:
        self.messages: list[tuple[list[str], Message]] = []
        self.busy: list[str] = []
        self.tried = threading.Event()

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.tried.set()
        if self.busy:
            return self.busy.pop()
        self.messages.append((envelope.rcpt_tos, message_from_bytes(envelope.content or b"")))
        return "250 taken"

    def to(self, address: str) -> Message | None:
        return next((message for people, message in self.messages if people == [address]), None)


@pytest.fixture(scope="module")
def mailbox() -> Iterator[tuple[Mailbox, int]]:
    box, port = Mailbox(), free_port()
    server = Controller(box, hostname="127.0.0.1", port=port)
    server.start()
    yield box, port
    server.stop()


@pytest.fixture(scope="module")
def mailing(mailbox: tuple[Mailbox, int], tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """A host that sends e-mails."""
    data: Path = tmp_path_factory.mktemp("mailing")
    settings = {
        "DEVKIT_SMTP_URL": f"smtp://127.0.0.1:{mailbox[1]}",
        "DEVKIT_MAIL_FROM": "host@example.com",
        "DEVKIT_MAIL_RETRY_SECONDS": "1",
    }
    process = HostProcess(data, environ=settings)
    process.start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="module")
def owner(mailing: HostProcess) -> Tenant:
    return tenant(mailing, "Äpfel &\tBirnen", "owner@example.com")


@pytest.fixture
def linked(alpha: Tenant) -> str:
    """The path of an organization that has invite links."""
    assert alpha.api.call("PATCH", f"/v1/orgs/{alpha.id}", {"inviteLinks": True}).status == 200
    return f"/v1/orgs/{alpha.id}"


def outsider(host: HostProcess, owner: Tenant) -> tuple[Api, str]:
    """Give a person who is a member of nothing."""
    token, user = reader(host, owner)
    assert owner.api.call("DELETE", f"/v1/orgs/{owner.id}/members/{user}").status == 205
    return Api(host.url, token), user


def test_an_invited_person_gets_an_e_mail_and_joins(
    mailbox: tuple[Mailbox, int], mailing: HostProcess, owner: Tenant
) -> None:
    invited, user = outsider(mailing, owner)
    address = f"{user}@example.com"
    body = {"emails": [address.upper()], "role": "edit"}
    answer = owner.api.post(f"/v1/orgs/{owner.id}/invites", body)
    assert answer.status == 200 and answer.json == {"users": [], "invited": 1, "failedSSOEmails": []}
    message = wait_for(lambda: mailbox[0].to(address.lower()))
    assert message["From"].endswith("<host@example.com>") and message["Auto-Submitted"] == "auto-generated"
    text = message.get_payload(decode=True).decode()
    assert "join Äpfel & Birnen" in text
    organization, invite = HREF.search(text).groups()  # type: ignore[union-attr]
    path = f"/v1/orgs/{organization}/invites/{invite}"
    other, _ = outsider(mailing, owner)
    refused = other.post(path)
    assert refused.status == 403 and "another e-mail address" in refused.json["error"]["message"]
    assert invited.get(f"/v1/orgs/{organization}").status == 404
    assert invited.post(path).json == {}
    member = owner.api.get(f"/v1/orgs/{organization}/members/{user}").json
    assert member["role"] == "edit"
    assert invited.post(path).status == 404  # it is used up
    again = owner.api.post(f"/v1/orgs/{owner.id}/invites", body).json
    assert again["users"] == [user] and again["invited"] == 0


def test_an_e_mail_that_was_not_taken_is_sent_again(
    mailbox: tuple[Mailbox, int], mailing: HostProcess, owner: Tenant
) -> None:
    box = mailbox[0]
    box.busy, box.tried = ["451 later"], threading.Event()
    assert owner.api.post(f"/v1/orgs/{owner.id}/invites", {"emails": ["later@example.com"]}).json["invited"] == 1
    assert box.tried.wait(20)
    assert wait_for(lambda: box.to("later@example.com"))
    assert len([one for one in box.messages if one[0] == ["later@example.com"]]) == 1


@pytest.mark.parametrize("title", ["=?us-ascii?q?=0A?=", "=?utf-8?b?Cg==?= Bcc: x@example.com", "\u2028\u2029\x85 x"])
def test_no_title_of_one_organization_stops_the_e_mails_of_others(
    mailbox: tuple[Mailbox, int], mailing: HostProcess, owner: Tenant, title: str
) -> None:
    strange = tenant(mailing, title, f"{new_id()}@example.com")
    odd, plain = (f"{new_id().lower()}@example.com" for _ in range(2))
    assert strange.api.post(f"/v1/orgs/{strange.id}/invites", {"emails": [odd]}).status == 200
    assert owner.api.post(f"/v1/orgs/{owner.id}/invites", {"emails": [plain]}).status == 200
    assert wait_for(lambda: mailbox[0].to(plain))
    message = wait_for(lambda: mailbox[0].to(odd))
    assert message["Bcc"] is None and message["To"] == odd


def test_an_organization_with_many_e_mails_lets_others_go_first(mailing: HostProcess) -> None:
    moment = now()
    many, few = (tenant(mailing, "Many", f"{new_id()}@example.com") for _ in range(2))
    with databases.opened(mailing.data) as database, database.transaction(writes=True) as session:
        for owner, count, waits in ((many, 50, 60), (few, 2, 1)):
            session.add_all(
                EmailInviteRow(
                    organization_id=owner.id,
                    email=f"{new_id().lower()}@example.com",
                    role="read",
                    expires_at=moment + timedelta(days=1),
                    send_at=moment + timedelta(days=365, seconds=place - waits),
                )
                for place in range(count)
            )
        session.flush()
        due = [row.organization_id for row in invites.due(session, moment + timedelta(days=366), 4)]
        session.rollback()
    assert due == [many.id, few.id, many.id, few.id]


def test_who_is_late_with_an_e_mail_leaves_it_to_who_has_it_now(mailing: HostProcess, owner: Tenant) -> None:
    moment = now() + timedelta(days=365)
    first, second = moment + timedelta(seconds=120), moment + timedelta(seconds=240)
    with databases.opened(mailing.data) as database, database.transaction(writes=True) as session:
        row = EmailInviteRow(
            organization_id=owner.id, email=f"{new_id()}@example.com", role="read", send_at=moment, expires_at=second
        )
        session.add(row)
        session.flush()
        assert invites.claim(session, row, first)
        session.expire(row)
        assert invites.claim(session, row, second)
        for claimed_until, kept in ((first, second), (second, None)):
            invites.note_sent(session, row.id, claimed_until, None)
            session.expire(row)
            assert row.send_at == kept
        session.rollback()


def test_nobody_is_sent_any_number_of_e_mails(mailing: HostProcess, owner: Tenant) -> None:
    address = f"{new_id().lower()}@example.com"
    at = f"/v1/orgs/{owner.id}"
    for _ in range(inviting.MAX_TO_ONE):
        assert owner.api.post(f"{at}/invites", {"emails": [address]}).status == 200
        assert owner.api.call("DELETE", f"{at}/email-invites/{address}").status == 205
    refused = owner.api.post(f"{at}/invites", {"emails": ["other@example.com", address]})
    assert refused.status == 400 and address in refused.text and "tomorrow" in refused.text
    other = owner.api.post("/v1/orgs", {"title": "Another"}).json["id"]
    assert owner.api.post(f"/v1/orgs/{other}/invites", {"emails": [address]}).status == 400
    colleague = person(mailing, owner, "admin")
    assert colleague.api.post(f"{at}/invites", {"emails": [address]}).status == 400
    over = (LONG_AGO, address)
    databases.ask(mailing.data, "UPDATE invite_emails SET expires_at = ? WHERE email = ?", over)
    assert owner.api.post(f"{at}/invites", {"emails": [address]}).status == 200


def test_pending_invites_are_listed_and_withdrawn(host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    own = tenant(host, "Pending", f"{new_id()}@example.com")
    at = f"/v1/orgs/{own.id}/email-invites"
    emails = [f"{new_id().lower()}+{number}@example.com" for number in range(3)]
    made = own.api.post(f"/v1/orgs/{own.id}/invites", {"emails": emails, "role": "edit"}).json["links"]
    first = own.api.get(f"{at}?limit=2").json
    assert first["count"] == 3 and len(first["items"]) == 2
    rest = own.api.get(f"{at}?limit=2&page={first['next']['page']}").json["items"]
    items = [*first["items"], *rest]
    assert {one["email"] for one in items} == set(emails) and {one["role"] for one in items} == {"edit"}
    ids = [one["url"].rpartition("/")[2] for one in made]
    assert not [secret for secret in ids if secret in str(items)]  # whoever knows it is let in as that person
    editor = person(host, own, "edit")
    assert (editor.api.get(at).status, beta.api.get(at).status) == (403, 404)
    gone = items[0]
    place = urlsplit(gone["urls"]["location"]).path
    assert beta.api.call("DELETE", place).status in (204, 404)
    assert editor.api.call("DELETE", place).status == 403
    assert own.api.call("DELETE", place).status == 205
    assert own.api.call("DELETE", place).status == 204
    assert own.api.get(at).json["count"] == 2
    (link,) = [HREF.fullmatch(one["url"]) for one in made if one["email"] == gone["email"]]
    assert link is not None
    late, _ = outsider(host, alpha)
    assert late.post(f"/v1/orgs/{link[1]}/invites/{link[2]}").status == 404
    databases.ask(host.data, "UPDATE email_invites SET expires_at = ? WHERE email = ?", (LONG_AGO, items[1]["email"]))
    assert [one["email"] for one in own.api.get(at).json["items"]] == [items[2]["email"]]


def test_an_invite_to_every_address_is_withdrawn_where_its_location_says(host: HostProcess) -> None:
    own = tenant(host, "Odd addresses", f"{new_id()}@example.com")
    at = f"/v1/orgs/{own.id}/email-invites"
    long = ".".join(["a" * 63] * 3)
    odd = ["a/b", "/", "//", "a/../b", "..", "q?x", "h#x", "p%2f", "a/withdraw", "x+y"]
    emails = [*(f"{name}@example.com" for name in odd), f"long@{long}.example.com"]
    assert own.api.post(f"/v1/orgs/{own.id}/invites", {"emails": [*emails, "Upper@Example.com"]}).status == 200
    assert own.api.call("DELETE", f"{at}/UPPER@example.COM").status == 205
    items = own.api.get(at).json["items"]
    assert {one["email"] for one in items} == set(emails)
    for one in items:
        assert own.api.call("DELETE", urlsplit(one["urls"]["location"]).path).status == 205, one["email"]
    assert own.api.get(at).json["count"] == 0


def test_invites_of_somebody_who_administers_nothing_any_more_are_withdrawn(host: HostProcess, alpha: Tenant) -> None:
    own = tenant(host, "Administrators", f"{new_id()}@example.com")
    for change in ({"role": "edit"}, None):
        admin = person(host, own, "admin")
        emails = [f"{new_id().lower()}@example.com" for _ in range(2)]
        links = [
            HREF.fullmatch(api.post(f"/v1/orgs/{own.id}/invites", {"emails": [email]}).json["links"][0]["url"])
            for api, email in zip((admin.api, own.api), emails, strict=True)
        ]
        member = f"/v1/orgs/{own.id}/members/{admin.id}"
        assert own.api.call("PATCH" if change else "DELETE", member, change).status in (200, 205)
        places = [f"/app/join/{link[1]}/{link[2]}" for link in links if link]
        browser = Browser(host.url)
        assert [browser.ask("GET", place).status_code for place in places] == [404, 200]


def test_links_make_nobody_an_administrator_again(host: HostProcess) -> None:
    own = tenant(host, "Former administrators", f"{new_id()}@example.com")
    home = f"/v1/orgs/{own.id}"
    assert own.api.call("PATCH", home, {"inviteLinks": True}).status == 200
    admin = person(host, own, "admin")
    mine = admin.api.post(f"{home}/link-invites", {"role": "edit"}).json["id"]
    others = own.api.post(f"{home}/link-invites", {"role": "admin"}).json["id"]
    plain = own.api.post(f"{home}/link-invites", {"role": "create"}).json["id"]
    assert own.api.call("PATCH", f"{home}/members/{admin.id}", {"role": "read"}).status == 200
    statuses = [admin.api.post(f"{home}/invites/{link}").status for link in (mine, others, plain)]
    assert statuses == [404, 404, 200]
    assert own.api.get(f"{home}/members/{admin.id}").json["role"] == "read"  # links raise nobody


def test_an_invite_that_wants_single_sign_on_lets_nobody_in_by_itself(host: HostProcess, alpha: Tenant) -> None:
    made = alpha.api.post(f"/v1/orgs/{alpha.id}/invites", {"emails": [f"{new_id().lower()}@example.com"], "sso": True})
    (link,) = made.json["links"]
    place = link["url"].removeprefix(host.url)
    browser = Browser(host.url)
    answer = browser.submit("/app/sign-in", place, name="Ada")
    assert answer.status_code == 403 and "single sign-on" in answer.text
    assert browser.ask("GET", "/app").status_code == 303


def test_who_cannot_be_mailed_is_invited_by_a_link_that_the_administrator_hands_on(
    host: HostProcess, alpha: Tenant
) -> None:
    invited, user = outsider(host, alpha)
    body = {"emails": [{"email": f"{user}@example.com", "role": None}, "x@example.com"], "role": "create"}
    answer = alpha.api.post(f"/v1/orgs/{alpha.id}/invites", body).json
    links = {link["email"]: HREF.fullmatch(link["url"]).groups() for link in answer["links"]}  # type: ignore[union-attr]
    organization, invite = links[f"{user}@example.com".lower()]
    # Invited once more, only the last address holds.
    fresh = alpha.api.post(f"/v1/orgs/{alpha.id}/invites", {"emails": [f"{user}@example.com"], "role": "read"}).json
    assert invited.post(f"/v1/orgs/{organization}/invites/{invite}").status == 404
    _, now = HREF.fullmatch(fresh["links"][0]["url"]).groups()  # type: ignore[union-attr]
    assert invited.post(f"/v1/orgs/{organization}/invites/{now}").status == 200
    assert alpha.api.get(f"/v1/orgs/{alpha.id}/members/{user}").json["role"] == "read"


def test_an_invite_is_over_after_its_time(host: HostProcess, alpha: Tenant) -> None:
    invited, user = outsider(host, alpha)
    made = alpha.api.post(f"/v1/orgs/{alpha.id}/invites", {"emails": [f"{user}@example.com"]}).json
    _, invite = HREF.fullmatch(made["links"][0]["url"]).groups()  # type: ignore[union-attr]
    over = ("2026-01-01 00:00:00.000000", invite)
    databases.ask(host.data, "UPDATE email_invites SET expires_at = ? WHERE id = ?", over)
    answer = invited.post(f"/v1/orgs/{alpha.id}/invites/{invite}")
    assert answer.status == 404 and "ask whoever invited you" in answer.json["error"]["message"]


def test_a_link_lets_anybody_in_who_has_it(host: HostProcess, alpha: Tenant, linked: str) -> None:
    links = f"{linked}/link-invites"
    made = alpha.api.post(links, {"role": "edit"})
    assert made.status == 201 and made.json["redundant"] is True
    assert HREF.fullmatch(made.json["urls"]["app"])
    assert made.json["urls"]["location"].endswith(made.headers["Location"].removeprefix(host.url))
    link, join = f"{links}/{made.json['id']}", f"{linked}/invites/{made.json['id']}"
    one, user = outsider(host, alpha)
    assert one.get(link).status == 404 and one.post(join).status == 200
    assert one.get(link).status == 403
    assert alpha.api.call("PATCH", link, {"role": "read"}).json["role"] == "read"
    assert one.post(join).status == 200  # and keeps their role
    assert alpha.api.get(f"{linked}/members/{user}").json["role"] == "edit"
    assert alpha.api.call("PATCH", link, {"role": "review"}).status == 200
    assert one.post(join).status == 200  # nor does a link that everybody may have raise anybody
    assert alpha.api.get(f"{linked}/members/{user}").json["role"] == "edit"
    assert alpha.api.call("DELETE", link).status == 205 and alpha.api.call("DELETE", link).status == 204
    assert outsider(host, alpha)[0].post(join).status == 404


def test_links_are_off_where_the_organization_says_so(host: HostProcess, alpha: Tenant, linked: str) -> None:
    made = alpha.api.post(f"{linked}/link-invites", {"role": "read"}).json
    assert alpha.api.call("PATCH", linked, {"inviteLinks": False}).status == 200
    for answer in (
        alpha.api.post(f"{linked}/link-invites", {"role": "read"}),
        outsider(host, alpha)[0].post(f"{linked}/invites/{made['id']}"),
    ):
        assert answer.status == 409 and "inviteLinks" in answer.json["error"]["message"]


def test_an_invite_of_another_organization_is_not_there(
    host: HostProcess, alpha: Tenant, beta: Tenant, linked: str
) -> None:
    made = alpha.api.post(f"{linked}/link-invites", {"role": "admin"}).json["id"]
    for answer in (
        outsider(host, alpha)[0].post(f"/v1/orgs/{beta.id}/invites/{made}"),
        beta.api.get(f"/v1/orgs/{beta.id}/link-invites/{made}"),
        beta.api.get(f"{linked}/link-invites/{made}"),
    ):
        assert answer.status == 404


@pytest.mark.parametrize(
    "emails",
    [
        ["a@example.com"] * 101,
        ["a@b"],
        ["a@example.com\r\nBcc: b@example.com"],
        ["<a@example.com>"],
        ["=?utf-8?q?a?=@example.com"],
        ["a" * 65 + "@example.com"],
        ["a@" + "b." * 130 + "com"],
        [{"email": "a@example.com", "role": "owner"}],
        [7],
    ],
)
def test_what_is_no_address_is_told(alpha: Tenant, emails: list[object]) -> None:
    answer = alpha.api.post(f"/v1/orgs/{alpha.id}/invites", {"emails": emails})
    assert answer.status == 400 and "emails" in answer.json["error"]["message"]


def test_one_invite_lets_one_person_in_at_a_time(host: HostProcess, alpha: Tenant) -> None:
    invited, user = outsider(host, alpha)
    made = alpha.api.post(f"/v1/orgs/{alpha.id}/invites", {"emails": [f"{user}@example.com"]}).json
    _, invite = HREF.fullmatch(made["links"][0]["url"]).groups()  # type: ignore[union-attr]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: invited.post(f"/v1/orgs/{alpha.id}/invites/{invite}").status, range(8)))
    assert sorted(answers) == [200] + [404] * 7
    people = alpha.api.get(f"/v1/orgs/{alpha.id}/members", search=user).json
    assert people["count"] == 1


@pytest.mark.parametrize("gone", [False, True])
def test_an_invite_does_not_undo_what_was_decided_about_its_person(
    host: HostProcess, alpha: Tenant, linked: str, gone: bool
) -> None:
    token, user = reader(host, alpha)
    member, theirs = f"{linked}/members/{user}", Api(host.url, token)
    assert alpha.api.call("DELETE", member).status == 205
    made = alpha.api.post(f"{linked}/invites", {"emails": [f"{user}@example.com"], "role": "admin"}).json
    link = alpha.api.post(f"{linked}/link-invites", {"role": "read"}).json["id"]
    assert theirs.post(f"{linked}/invites/{link}").status == 200
    decided = alpha.api.call("DELETE", member) if gone else alpha.api.call("PATCH", member, {"role": "comment"})
    assert decided.status in (200, 205)
    invite = made["links"][0]["url"].rsplit("/", 1)[-1]
    assert theirs.post(f"{linked}/invites/{invite}").status == 404
    found = alpha.api.get(member)
    assert (found.status, found.json.get("role")) == ((404, None) if gone else (200, "comment"))
