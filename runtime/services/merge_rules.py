"""Decides whether the merge rules of a space, or those it inherits from its organization, allow a merge.

All rules must be met, except for people who may bypass them. What cannot be decided is not met (docs/contract/api.md,
"Merge rules").
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.conditions import BadCondition, ConditionEvaluator
from runtime.contract.document_nodes import text_of
from runtime.contract.merge_expressions import ROOTS, checked
from runtime.contract.organizations import reaches
from runtime.contract.titles import shows
from runtime.serializers.view import View
from runtime.store import membership, rows
from runtime.store.comments import open_counts
from runtime.store.levels import level_on
from runtime.store.reach import HOST, Reach
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.organizations import MemberRow, OrganizationRow, UserRow
from runtime.store.tables.reviews import ReviewRow
from runtime.store.tables.spaces import SpaceRow

REFUSED = "The merge rules of {whose} do not allow merging this change request yet: {what}."
BYPASS = "allow_bypass"
Rule = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Attempt:
    """Somebody's attempt to merge a change request; `approving` and `refusing` are ids of people."""

    view: View
    space: SpaceRow
    row: ChangeRequestRow
    user_id: str
    approving: Collection[str]
    refusing: Collection[str]


def check(view: View, space: SpaceRow, row: ChangeRequestRow, user_id: str) -> None:
    """Raise PreconditionFailed if the rules do not let somebody merge a change request; the message names all unmet.

    Hold the lock of the space's content where the merge must not happen after a review that forbids it.
    """
    whose, rules = _rules(view, space)
    if not rules or any(rule["rule"] == BYPASS and user_id in rule["users"] for rule in rules):
        return
    attempt = Attempt(view, space, row, user_id, *_opinions(view.session, space, row))
    unmet = [said for rule in rules if (said := _UNMET[rule["rule"]](attempt, rule)) is not None]
    if unmet:
        raise errors.PreconditionFailed(REFUSED.format(whose=whose, what="; ".join(unmet)))


def any_for(view: View, space: SpaceRow) -> bool:
    """Return whether merging into a space is restricted."""
    return bool(_rules(view, space)[1])


def any_in(organization: OrganizationRow) -> bool:
    """Return whether merging is restricted in the spaces of an organization that say nothing else."""
    return bool(_listed(organization.merge_rules))


def _rules(view: View, space: SpaceRow) -> tuple[str, Sequence[Rule]]:
    rules, whose = space.merge_rules, "this space"
    if rules["type"] == "inherit":
        organization = view.by_id(OrganizationRow, [space.organization_id])[space.organization_id]
        rules, whose = organization.merge_rules, "the organization"
    return whose, _listed(rules)


def _listed(rules: Mapping[str, Any]) -> Sequence[Rule]:
    listed: Sequence[Rule] = rules["rules"] if rules["type"] == "rules" else ()
    return listed


def _opinions(session: Session, space: SpaceRow, row: ChangeRequestRow) -> tuple[set[str], set[str]]:
    """Find who approves a change request as it is now, and who wants changes, among those who may review it.

    An approval is of one revision, and nobody approves what they wrote. A refusal holds until the same person approves:
    asking somebody anew, which needs less than a review, does not take it back.
    """
    of_it = {"change_request_id": row.id}
    current = {one.id for one in rows.every(session, HOST, ReviewRow, ~ReviewRow.outdated(), **of_it)}
    reviews = sorted(rows.every(session, HOST, ReviewRow, **of_it), key=lambda one: (one.created_at, one.id))
    last = {one.user_id: one for one in reviews}
    authors = {row.user_id, *(person for person, did in row.contributors.items() if did["count"])}
    refusing = {person for person, one in last.items() if one.status != "approved"}
    approving = (
        {person for person, one in last.items() if one.id in current and one.revision_id == row.revision_id}
        - refusing
        - authors
    )
    reviewers = _reviewers_among(session, space, approving | refusing)
    return approving & reviewers, refusing & reviewers


def _reviewers_among(session: Session, space: SpaceRow, people: Collection[str]) -> set[str]:
    members = membership.enabled(session, MemberRow.user_id.in_(people), organization_id=space.organization_id)
    theirs = {one.user_id: Reach("user", user_id=one.user_id, roles=membership.roles_of([one])) for one in members}
    return {person for person, reach in theirs.items() if reaches(level_on(session, reach, space), "review")}


def _names(view: View, ids: Collection[str]) -> str:
    known = view.seen(UserRow, ids)
    unknown = ["somebody you cannot see"] if len(known) < len(set(ids)) else []
    return ", ".join([*sorted(one.display_name for one in known.values()), *unknown])


def _specific(attempt: Attempt, rule: Rule) -> str | None:
    missing = set(rule["users"]) - set(attempt.approving)
    return f"it needs, as it is now, the approval of {_names(attempt.view, missing)}" if missing else None


def _one_of_specific(attempt: Attempt, rule: Rule) -> str | None:
    if set(rule["users"]) & set(attempt.approving):
        return None
    return f"it needs, as it is now, the approval of one of {_names(attempt.view, rule['users'])}"


def _one_review(attempt: Attempt, _rule: Rule) -> str | None:
    return None if attempt.approving else "it needs, as it is now, the approval of somebody who did not write it"


def _all_approved(attempt: Attempt, _rule: Rule) -> str | None:
    if not attempt.refusing:
        return None
    return f"{_names(attempt.view, attempt.refusing)} asked for changes and must approve it"


def _agent(_attempt: Attempt, _rule: Rule) -> str:
    return "it needs the review of an agent, which this host does not have: an administrator can remove that rule"


def _up_to_date(attempt: Attempt, _rule: Rule) -> str | None:
    if attempt.row.ancestor_id == attempt.space.revision_id:
        return None
    return "the space has changed since it was last updated, so that it must be updated first"


def _subject(attempt: Attempt, _rule: Rule) -> str | None:
    return None if any(map(shows, attempt.row.subject)) else "it needs a subject"


def _description(attempt: Attempt, _rule: Rule) -> str | None:
    written = attempt.row.description
    return None if written and any(map(shows, text_of(written))) else "it needs a description"


def _custom(attempt: Attempt, rule: Rule) -> str | None:
    expression = rule["expression"]
    shown = f"`{expression}`" if _sees_rules(attempt) else "a rule that you cannot see"
    try:
        checked(expression)
    except BadCondition as problem:  # it was kept before expressions were checked
        return f"{shown} cannot be decided, so that an administrator must correct or remove it ({problem})"
    return None if ConditionEvaluator(_facts(attempt), roots=ROOTS).meets(expression) else f"{shown} is not true"


def _sees_rules(attempt: Attempt) -> bool:
    if attempt.space.merge_rules["type"] != "inherit":
        return True
    reach, home = attempt.view.reach, attempt.space.organization_id
    if reach.kind == "user":
        return reach.role_in(home) is not None
    return rows.find(attempt.view.session, reach, OrganizationRow, id=home) is not None


def _facts(attempt: Attempt) -> dict[str, Any]:
    """Collect what expressions may name (`contract/merge_expressions.py`)."""
    view, row, space = attempt.view, attempt.row, attempt.space
    actor = view.by_id(UserRow, [attempt.user_id])[attempt.user_id]
    return {
        "actor": {"id": actor.id, "displayName": actor.display_name, "email": actor.email},
        "changeRequest": {
            "comments": open_counts(view.session, [row.id]).get(row.id, 0),
            "createdBy": {"id": row.user_id},
            "number": row.number,
            "outdated": row.ancestor_id != space.revision_id,
            "status": row.status,
            "subject": row.subject,
        },
        "reviews": {"length": len(attempt.approving)},
        "space": {"editMode": space.edit_mode, "id": space.id, "title": space.title, "visibility": space.visibility},
    }


_UNMET: Mapping[str, Callable[[Attempt, Rule], str | None]] = {
    BYPASS: lambda _attempt, _rule: None,
    "custom": _custom,
    "require_agent_review": _agent,
    "require_all_reviews_approved": _all_approved,
    "require_at_least_one_review": _one_review,
    "require_change_request_description": _description,
    "require_change_request_subject": _subject,
    "require_one_of_specific_reviewers": _one_of_specific,
    "require_specific_reviewers": _specific,
    "require_up_to_date_change_request": _up_to_date,
}
"""Name of a rule -> what says why it is not met, or None; tests/scenarios/test_merge_rules.py walks them."""
