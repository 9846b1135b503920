"""Invites into an organization: by e-mail, and by a link that anybody who has it may use."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import MISSING, AfterValidator, Field, StringConstraints

from runtime.contract.base import Body, Moment, Text, WireModel, refusing
from runtime.contract.expected import expecting
from runtime.contract.organizations import OrganizationTitle, Role
from runtime.contract.titles import ONE_LINE

MAX_INVITED = 100
"""Addresses in one request: each gets an e-mail."""

EMAIL = expecting(
    "an e-mail address such as name@example.com",
    r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$",
)
"""What browsers take for an e-mail address, with a dot in its domain."""


def no_encoded_word(address: str) -> str:
    """Refuse what mail programs would decode on the way (RFC 2047): the e-mail would go to another address."""
    if "=?" in address:
        raise ValueError("must be an e-mail address without `=?`")
    return address


EmailAddress = Annotated[
    str, StringConstraints(to_lower=True, max_length=254, pattern=EMAIL), AfterValidator(no_encoded_word)
]


class InvitedPerson(Body):
    """An address with a role of its own; null makes a guest."""

    email: EmailAddress
    role: Role | None


class InviteUsers(Body):
    """People to invite by e-mail; without a role they get the organization's default one."""

    emails: Annotated[list[EmailAddress | InvitedPerson], Field(max_length=MAX_INVITED)]
    role: Role | MISSING | None = MISSING
    sso: bool = False


class InviteToFollow(WireModel):
    """The address for an invited person, for an administrator to pass on."""

    email: str
    url: str


class InvitedUsers(WireModel):
    """What came of inviting people.

    `users` are those among them who are members already. `links` is there on a host that sends no e-mail (extension).
    """

    users: list[str]
    invited: int
    failed_sso_emails: list[str] = Field(alias="failedSSOEmails")
    links: list[InviteToFollow] | MISSING = MISSING


TO_ALL = "invites are into the whole organization; share spaces and collections with `POST .../permissions`"
_whole = {"level": TO_ALL, "space": TO_ALL, "collection": TO_ALL}


class CreateInviteLink(Body):
    """A link that makes whoever follows it a member with this role; null makes a guest."""

    role: Role | None
    _refused = refusing(**_whole)


class UpdateInviteLink(Body):
    """Another role for people who use a link from now on."""

    role: Role | None
    _refused = refusing(**_whole)


class EmailInviteUrls(WireModel):
    location: str


class EmailInvite(WireModel):
    """A pending invite to an e-mail address (extension); a null role makes a guest.

    The id is omitted: whoever knows it can accept the invite.
    """

    object: Literal["email-invite"] = "email-invite"
    email: str
    role: Role | None
    sso: bool
    created_at: Moment
    expires_at: Moment
    urls: EmailInviteUrls


class InviteLinkUrls(WireModel):
    location: str
    app: str


class InviteLink(WireModel):
    """A link into an organization; `redundant` if the requester already has the role."""

    object: Literal["invite"] = "invite"
    id: str
    role: Role | None
    redundant: bool
    urls: InviteLinkUrls


PersonName = Annotated[Text, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=ONE_LINE)]


class FirstPerson(WireModel):
    """The person who creates the first account of a host."""

    name: PersonName
    email: EmailAddress
    organization: OrganizationTitle


class Joined(WireModel):
    """An invite was accepted."""
