"""Decides whether the merge rules of a space, or those it inherits from its organization, allow a merge.

All rules must be met, except for people who may bypass them. What cannot be decided is not met (docs/contract/api.md,
"Merge rules").
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.contract import errors
from runtime.contract.conditions import OF_MERGES, BadCondition, ConditionEvaluator, read
from runtime.contract.document_nodes import text_of
from runtime.serializers.change_requests import change_requests
from runtime.serializers.people import users
from runtime.serializers.spaces import spaces
from runtime.serializers.view import View
from runtime.store import rows
from runtime.store.rows import HOST
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
    current: Sequence[ReviewRow]
    approving: Collection[str]
    refusing: Collection[str]


def check(view: View, space: SpaceRow, row: ChangeRequestRow, user_id: str) -> None:
    """Raise PreconditionFailed if the rules do not let somebody merge a change request; the message names all unmet.

    Hold the lock of the space's content where the merge must not happen after a review that forbids it.
    """
    whose, rules = _rules(view, space)
    if not rules or any(rule["rule"] == BYPASS and user_id in rule["users"] for rule in rules):
        return
    attempt = _attempt(view, space, row, user_id)
    unmet = [said for rule in rules if (said := _UNMET[rule["rule"]](attempt, rule)) is not None]
    if unmet:
        raise errors.PreconditionFailed(REFUSED.format(whose=whose, what="; ".join(unmet)))


def _rules(view: View, space: SpaceRow) -> tuple[str, Sequence[Rule]]:
    rules, whose = space.merge_rules, "this space"
    if rules["type"] == "inherit":
        organization = view.by_id(OrganizationRow, [space.organization_id])[space.organization_id]
        rules, whose = organization.merge_rules, "the organization"
    return whose, rules["rules"] if rules["type"] == "rules" else ()


def _attempt(view: View, space: SpaceRow, row: ChangeRequestRow, user_id: str) -> Attempt:
    current = rows.every(view.session, HOST, ReviewRow, ~ReviewRow.outdated(), change_request_id=row.id)
    by = {one.user_id for one in current}
    who = rows.every(
        view.session, HOST, MemberRow, MemberRow.user_id.in_(by), organization_id=space.organization_id, disabled=False
    )
    members = {one.user_id for one in who}
    counted = [one for one in current if one.user_id in members]
    return Attempt(
        view,
        space,
        row,
        user_id,
        counted,
        # Nobody approves what they proposed themselves.
        approving={one.user_id for one in counted if one.status == "approved"} - {row.user_id},
        refusing={one.user_id for one in counted if one.status != "approved"},
    )


def _names(view: View, ids: Collection[str]) -> str:
    known = view.seen(UserRow, ids)
    unknown = ["somebody you cannot see"] if len(known) < len(set(ids)) else []
    return ", ".join([*sorted(one.display_name for one in known.values()), *unknown])


def _specific(attempt: Attempt, rule: Rule) -> str | None:
    missing = set(rule["users"]) - set(attempt.approving)
    return f"it needs the approval of {_names(attempt.view, missing)}" if missing else None


def _one_of_specific(attempt: Attempt, rule: Rule) -> str | None:
    if set(rule["users"]) & set(attempt.approving):
        return None
    return f"it needs the approval of one of {_names(attempt.view, rule['users'])}"


def _one_review(attempt: Attempt, _rule: Rule) -> str | None:
    return None if attempt.approving else "it needs the approval of somebody who did not create it"


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
    return None if attempt.row.subject.strip() else "it needs a subject"


def _description(attempt: Attempt, _rule: Rule) -> str | None:
    written = attempt.row.description
    return None if written and text_of(written).strip() else "it needs a description"


def _custom(attempt: Attempt, rule: Rule) -> str | None:
    view, expression = attempt.view, rule["expression"]
    try:
        read(expression, OF_MERGES)
    except BadCondition as problem:  # it was kept before expressions were parsed
        return f"`{expression}` {problem}: an administrator can correct or remove that rule, which cannot be parsed"
    actor = users(view, list(view.by_id(UserRow, [attempt.user_id]).values()))
    known = {
        "actor": actor[0],
        "changeRequest": change_requests(view, [attempt.row])[0],
        "space": spaces(view, [attempt.space])[0],
    }
    claims: dict[str, Any] = {name: shown.model_dump(mode="json", by_alias=True) for name, shown in known.items()}
    claims["reviews"] = {"length": len(attempt.current)}
    if ConditionEvaluator(claims, roots=OF_MERGES).meets(expression):
        return None
    return f"`{expression}` is not true"


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
