"""Organisations, users and the roles between them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import MISSING, Field

from runtime.contract.base import Moment, WireModel

Role = Literal["read", "comment", "edit", "review", "create", "admin"]
ROLES: tuple[Role, ...] = ("read", "comment", "edit", "review", "create", "admin")
"""From weak to strong (section 6 of the design)."""


def reaches(role: str | None, needed: Role) -> bool:
    """Tell whether a member's role is at least the needed one; a guest has none."""
    return role in ROLES and ROLES.index(role) >= ROLES.index(needed)


class PersonalToken(WireModel):
    """A token of a person, as its owner sees it: `current` is the one the request came with."""

    id: str
    created_at: Moment
    current: bool


class UserUrls(WireModel):
    location: str


class User(WireModel):
    """A person (specification, Conventions)."""

    object: Literal["user"] = "user"
    id: str
    display_name: str
    email: str | MISSING = MISSING
    photo_url: str | MISSING = Field(MISSING, alias="photoURL")
    urls: UserUrls


class OrganizationUrls(WireModel):
    location: str
    app: str


class Organization(WireModel):
    """An organisation as its members and integrations see it (contract/schemas.md)."""

    object: Literal["organization"] = "organization"
    id: str
    title: str
    created_at: Moment
    email_domains: list[str]
    hostname: str | MISSING = MISSING
    type: Literal["business", "community"]
    default_role: Role | MISSING | None = MISSING
    sso: bool = False
    ai: bool = False
    invite_links: bool = False
    plan: str = "internal"
    merge_rules: dict[str, Any]
    urls: OrganizationUrls
    trial: dict[str, Any]
    permissions: dict[str, bool]
