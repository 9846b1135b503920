"""Organizations, users and the roles between them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import MISSING, AfterValidator, Field, StringConstraints, model_validator

from runtime.contract import merge_expressions
from runtime.contract.base import Body, Moment, Text, WebAddress, WireModel, has_no_nul, refusing
from runtime.contract.expected import expecting
from runtime.contract.identifiers import ObjectId
from runtime.contract.titles import Title, on_one_line

Role = Literal["read", "comment", "edit", "review", "create", "admin"]
ROLES: tuple[Role, ...] = ("read", "comment", "edit", "review", "create", "admin")
"""From weak to strong (docs/contract/api.md, "Roles")."""


def reaches(role: str | None, needed: Role) -> bool:
    """Return whether a member's role is at least the needed one; a guest has none."""
    return role in ROLES and ROLES.index(role) >= ROLES.index(needed)


class PersonalToken(WireModel):
    """A token of a person, as its owner sees it: `current` is the one the request came with."""

    id: str
    title: str | None
    created_at: Moment
    expires_at: Moment | None
    current: bool


class CreateToken(Body):
    """A token to make: `expires_in` is in days, and null for one that holds until it is revoked."""

    title: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=100),
        AfterValidator(has_no_nul),
        AfterValidator(on_one_line),
    ]
    expires_in: Annotated[int, Field(ge=1, le=3650)] | None = 90

    _refused = refusing(expiresAt="say how many days the token holds, in `expiresIn`")


class CreatedToken(PersonalToken):
    """A token that was just made: `token` is shown this once."""

    token: str


class UserUrls(WireModel):
    location: str


class User(WireModel):
    """A person."""

    object: Literal["user"] = "user"
    id: str
    display_name: str
    email: str | MISSING = MISSING
    photo_url: str | MISSING = Field(MISSING, alias="photoURL")
    urls: UserUrls


class DefaultContent(Body):
    """What an organization shows first: one of its sites."""

    type: Literal["site"]
    site: ObjectId


class PeopleRule(Body):
    """A rule about these people: all of them review, one of them does, or they may merge without."""

    rule: Literal["require_specific_reviewers", "require_one_of_specific_reviewers", "allow_bypass"]
    users: Annotated[list[ObjectId], Field(max_length=100)]

    @model_validator(mode="after")
    def _names_somebody(self) -> Self:
        if not self.users and self.rule != "allow_bypass":
            raise ValueError("users: must name at least one person, or nothing could be merged")
        return self


def _without_agents(rule: str) -> str:
    if rule == "require_agent_review":
        raise ValueError("this host has no agents that review, so that nothing could be merged; leave this rule out")
    return rule


class PlainRule(Body):
    """A rule that needs nothing else."""

    rule: Annotated[
        Literal[
            "require_at_least_one_review",
            "require_all_reviews_approved",
            "require_agent_review",
            "require_up_to_date_change_request",
            "require_change_request_subject",
            "require_change_request_description",
        ],
        AfterValidator(_without_agents),
    ]


class CustomRule(Body):
    """A rule written as an expression (docs/contract/api.md, "Merge rules")."""

    rule: Literal["custom"]
    expression: Annotated[
        Text, StringConstraints(min_length=1, max_length=1024), AfterValidator(merge_expressions.checked)
    ]


class NoMergeRules(Body):
    """Change requests are merged without further ado."""

    type: Literal["none"]


class SomeMergeRules(Body):
    """What must hold before a change request is merged."""

    type: Literal["rules"]
    rules: Annotated[
        list[Annotated[PeopleRule | PlainRule | CustomRule, Field(discriminator="rule")]], Field(max_length=20)
    ]


MergeRules = Annotated[NoMergeRules | SomeMergeRules, Field(discriminator="type")]


OrganizationTitle = Annotated[Title, StringConstraints(min_length=2, max_length=255)]
HOSTNAME = expecting(
    "3 to 32 lowercase letters, digits and hyphens, with a letter or digit at both ends, such as my-company",
    r"^[a-z0-9](?:[a-z0-9-]{1,30})[a-z0-9]$",
)
Hostname = Annotated[str, StringConstraints(max_length=32, pattern=HOSTNAME)]
EMAIL_DOMAIN = expecting("a domain such as example.com", r"^(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z][A-Za-z0-9-]{1,62}$")
MAX_DOMAIN = 253
EmailDomain = Annotated[str, StringConstraints(to_lower=True, max_length=MAX_DOMAIN, pattern=EMAIL_DOMAIN)]


class CreateOrganization(Body):
    """A new organization, whose first administrator is who makes it (extension)."""

    title: OrganizationTitle
    hostname: Hostname | MISSING = MISSING


class UpdateOrganization(Body):
    """A change of an organization: what is absent stays, null clears what may be empty."""

    title: OrganizationTitle | MISSING = MISSING
    email_domains: Annotated[list[EmailDomain], Field(max_length=100)] | MISSING = MISSING
    hostname: Hostname | MISSING = MISSING
    default_role: Role | MISSING | None = MISSING
    default_content: DefaultContent | MISSING | None = MISSING
    logo: WebAddress | MISSING | None = MISSING
    sso: bool | MISSING = MISSING
    ai: bool | MISSING = MISSING
    invite_links: bool | MISSING = MISSING
    merge_rules: MergeRules | MISSING = MISSING


class OrganizationsOfDomain(WireModel):
    """The organizations of an e-mail domain."""

    organizations: list[Organization]


class Ping(WireModel):
    """What a member who is there gets: a token that says who they are, under both of its names."""

    service_visitor_claims: str
    gitbook_visitor_claims: str = Field(alias="gitbookVisitorClaims")


class OrganizationUrls(WireModel):
    location: str
    app: str
    logo: str | MISSING = MISSING


class Organization(WireModel):
    """An organization as its members and integrations see it."""

    object: Literal["organization"] = "organization"
    id: str
    title: str
    created_at: Moment
    email_domains: list[str]
    hostname: str | MISSING = MISSING
    type: Literal["business", "community"]
    default_role: Role | MISSING | None = MISSING
    default_content: dict[str, Any] | MISSING = MISSING
    sso: bool = False
    ai: bool = False
    invite_links: bool = False
    plan: str = "internal"
    merge_rules: dict[str, Any]
    urls: OrganizationUrls
    trial: dict[str, Any]
    permissions: dict[str, bool]
