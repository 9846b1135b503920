"""What `permissions` promises: for each kind of object, the level that each of its entries needs.

Operations ask for the same levels, and a test holds both against each other. Source: docs/contract/api.md, "Roles".
"""

from __future__ import annotations

from collections.abc import Mapping

from runtime.contract.organizations import Role, reaches

Promises = Mapping[str, Role]

ORGANIZATION: Promises = {
    "view": "read",
    "admin": "admin",
    "ownTeam": "admin",
    "createContent": "create",
    "createOpenAPISpec": "create",
    "ingestConversations": "admin",
    "viewBilling": "admin",
    "listMembers": "read",
    "listTeams": "read",
    "listIntegrations": "read",
    "listInstallations": "read",
    "installIntegration": "admin",
}
SPACE: Promises = {
    "view": "read",
    "access": "read",
    "admin": "admin",
    "viewInviteLinks": "admin",
    "edit": "edit",
    "triggerGitSync": "admin",
    "comment": "comment",
    "merge": "review",
    "review": "review",
    "installIntegration": "admin",
}
COLLECTION: Promises = {"view": "read", "admin": "admin", "viewInviteLinks": "admin", "create": "create"}
OPENAPI_SPEC: Promises = {"view": "read", "edit": "create"}
TRANSLATION: Promises = {"view": "read", "edit": "create"}
TEAM: Promises = {"view": "read", "admin": "admin"}
MEMBERSHIP: Promises = {"view": "read"}


def permissions(promises: Promises, level: Role | None) -> dict[str, bool]:
    """Return the `permissions` of an object for an actor who has this level on it."""
    return {name: reaches(level, needed) for name, needed in promises.items()}


def comment_permissions(level: Role | None, *, own: bool) -> dict[str, bool]:
    """Return the `permissions` of a comment or a reply; authors can change their own while they may comment."""
    comments = reaches(level, "comment")
    changes = (own and comments) or reaches(level, "admin")
    return {
        "view": reaches(level, "read"),
        "edit": changes,
        "reply": comments,
        "delete": changes,
    }


def may_resolve(level: Role | None, *, own: bool) -> bool:
    """Return whether somebody may resolve a comment, or open it again."""
    return reaches(level, "review") or (own and reaches(level, "comment"))
