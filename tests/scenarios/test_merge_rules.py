"""Merge rules: what must hold before a change request is merged, and who may merge without."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runtime.contract.organizations import Role
from runtime.services import merge_rules
from tests import databases
from tests.conftest import HostProcess, Tenant
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.people import Person, give, person

SUBJECT = "require_change_request_subject"


@pytest.fixture
def reviewer(host: HostProcess, alpha: Tenant) -> Person:
    return person(host, alpha, "review")


@pytest.fixture
def ruled(alpha: Tenant) -> Iterator[Callable[..., None]]:
    """Sets the rules of the organization, for one test: other files have it, too."""

    def rule(*rules: dict[str, Any]) -> None:
        ok(alpha.api.call("PATCH", f"/v1/orgs/{alpha.id}", {"mergeRules": {"type": "rules", "rules": list(rules)}}))

    yield rule
    ok(alpha.api.call("PATCH", f"/v1/orgs/{alpha.id}", {"mergeRules": {"type": "none"}}))


def set_rules(space: Space, *rules: dict[str, Any]) -> None:
    ok(space.api.call("PATCH", space.path, {"mergeRules": {"type": "rules", "rules": list(rules)}}))


def approve(reviewer: Person, path: str, status: str = "approved") -> None:
    ok(reviewer.api.post(f"{path}/reviews", {"status": status}), 201)


def update(space: Space, path: str) -> None:
    ok(space.api.post(f"{path}/update"))


def change(space: Space, path: str, **fields: Any) -> None:
    ok(space.api.call("PATCH", path, fields))


def document(text: str) -> dict[str, Any]:
    leaf = {"object": "leaf", "text": text, "marks": []}
    block = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [leaf]}]}
    return {"object": "document", "data": {}, "nodes": [block]}


def by_approval(_space: Space, reviewer: Person, path: str) -> None:
    approve(reviewer, path)


def nothing_more(_space: Space, _reviewer: Person) -> dict[str, Any]:
    return {}


Cure = Callable[[Space, Person, str], None]
RULES: dict[str, tuple[Callable[[Space, Person], dict[str, Any]], str, Cure]] = {
    "custom": (
        lambda _space, _reviewer: {"expression": "reviews.length >= 1 && changeRequest.comments == 0"},
        "is not true",
        by_approval,
    ),
    "require_all_reviews_approved": (
        nothing_more,
        "asked for changes",
        by_approval,
    ),
    "require_at_least_one_review": (
        nothing_more,
        "did not write it",
        by_approval,
    ),
    "require_change_request_description": (
        nothing_more,
        "needs a description",
        lambda space, _reviewer, path: change(space, path, description=document("Why.")),
    ),
    "require_change_request_subject": (
        nothing_more,
        "needs a subject",
        lambda space, _reviewer, path: change(space, path, subject="Say it"),
    ),
    "require_one_of_specific_reviewers": (
        lambda _space, reviewer: {"users": [reviewer.id, "x" * 20]},
        "the approval of one of",
        by_approval,
    ),
    "require_specific_reviewers": (
        lambda _space, reviewer: {"users": [reviewer.id]},
        "the approval of",
        by_approval,
    ),
    "require_up_to_date_change_request": (
        nothing_more,
        "must be updated first",
        lambda space, _reviewer, path: update(space, path),
    ),
}
"""Name of a rule -> the rest of it, a part of the refusal, and what makes the merge possible."""


def test_every_rule_has_its_case() -> None:
    assert RULES.keys() == merge_rules._UNMET.keys() - {merge_rules.BYPASS, "require_agent_review"}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_holds_a_merge_back_until_it_is_met(space: Space, reviewer: Person, name: str) -> None:
    more, said, cure = RULES[name]
    path = space.change_request(page("A", "Text."))
    change(space, path, subject="")
    if name == "require_up_to_date_change_request":
        ok(space.api.post(f"{space.change_request(page('B', 'Other.'))}/merge"))
    if name == "require_all_reviews_approved":
        approve(reviewer, path, "changes-requested")
    set_rules(space, {"rule": name, **more(space, reviewer)})
    refused = space.api.post(f"{path}/merge")
    assert refused.status == 412 and "merge rules of this space" in refused.text and said in refused.text
    assert ok(space.api.get(path))["status"] in ("draft", "open")
    cure(space, reviewer, path)
    assert ok(space.api.post(f"{path}/merge"))["result"] == "merge"


def test_all_unmet_rules_are_named_together(space: Space) -> None:
    path = space.change_request(page("A", "Text."))
    change(space, path, subject=" ")
    set_rules(space, {"rule": SUBJECT}, {"rule": "require_change_request_description"})
    refused = space.api.post(f"{path}/merge")
    assert refused.status == 412 and "needs a subject; it needs a description" in refused.text


def test_who_proposes_does_not_approve_and_approvals_end(space: Space, reviewer: Person, alpha: Tenant) -> None:
    path = space.change_request(page("A", "Text."))
    set_rules(space, {"rule": "require_at_least_one_review"})
    ok(space.api.post(f"{path}/reviews", {"status": "approved"}), 201)
    assert space.api.post(f"{path}/merge").status == 412
    approve(reviewer, path)
    approve(reviewer, path, "changes-requested")
    assert space.api.post(f"{path}/merge").status == 412
    approve(reviewer, path)
    member = f"/v1/orgs/{alpha.id}/members/{reviewer.id}"
    assert alpha.api.call("DELETE", member).status == 205
    assert space.api.post(f"{path}/merge").status == 412


def test_an_approval_is_of_what_was_approved(space: Space, reviewer: Person) -> None:
    path = space.change_request(page("A", "Text."))
    set_rules(space, {"rule": "require_at_least_one_review"})
    approve(reviewer, path)
    ok(space.api.post(f"{path}/content", {"changes": [page("B", "Slipped in.")]}))
    assert space.api.post(f"{path}/merge").status == 412
    approve(reviewer, path)
    assert ok(space.api.post(f"{path}/merge"))["result"] == "merge"


def test_nobody_approves_what_they_added_to_the_request_of_another(space: Space, reviewer: Person) -> None:
    path = space.change_request(page("A", "Text."))
    set_rules(space, {"rule": "require_at_least_one_review"})
    ok(reviewer.api.post(f"{path}/content", {"changes": [page("B", "Slipped in.")]}))
    approve(reviewer, path)
    assert reviewer.api.post(f"{path}/merge").status == 412


def test_a_refusal_is_not_undone_by_asking_again(space: Space, reviewer: Person) -> None:
    path = space.change_request(page("A", "Text."))
    set_rules(space, {"rule": "require_all_reviews_approved"})
    approve(reviewer, path, "changes-requested")
    ok(space.api.post(f"{path}/requested-reviewers", {"users": [reviewer.id]}))
    assert space.api.post(f"{path}/merge").status == 412


def test_only_who_may_review_counts(space: Space, reviewer: Person, alpha: Tenant) -> None:
    path = space.change_request(page("A", "Text."))
    set_rules(space, {"rule": "require_at_least_one_review"})
    approve(reviewer, path)
    ok(alpha.api.call("PATCH", f"/v1/orgs/{alpha.id}/members/{reviewer.id}", {"role": "edit"}))
    assert space.api.post(f"{path}/merge").status == 412


def test_only_administrators_open_a_space_with_rules(host: HostProcess, space: Space, alpha: Tenant) -> None:
    creator = person(host, alpha, "create")
    assert creator.api.call("PATCH", space.path, {"editMode": "live"}).status == 200
    assert creator.api.call("PATCH", space.path, {"editMode": "locked"}).status == 200
    set_rules(space, {"rule": SUBJECT})
    refused = creator.api.call("PATCH", space.path, {"editMode": "live"})
    assert refused.status == 403 and "merge rules" in refused.text
    ok(space.api.call("PATCH", space.path, {"editMode": "live"}))


def test_only_administrators_make_a_space_without_rules(
    host: HostProcess, alpha: Tenant, ruled: Callable[..., None]
) -> None:
    creator = person(host, alpha, "create")
    ruled({"rule": SUBJECT})
    refused = creator.api.post(f"/v1/orgs/{alpha.id}/spaces", {"editMode": "live"})
    assert refused.status == 403 and "merge rules" in refused.text
    ok(creator.api.post(f"/v1/orgs/{alpha.id}/spaces"), 201)
    ok(alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"editMode": "live"}), 201)


@pytest.mark.parametrize(("role", "kept"), [("create", False), ("admin", True)])
def test_rules_hold_in_a_space_that_comes_from_elsewhere(
    host: HostProcess, alpha: Tenant, ruled: Callable[..., None], role: Role, kept: bool
) -> None:
    creator = person(host, alpha, role)
    own = creator.api.post("/v1/orgs", {"title": "Own"}).json["id"]
    brought = creator.api.post(f"/v1/orgs/{own}/spaces", {"editMode": "live"}).json["id"]
    ok(creator.api.call("PATCH", f"/v1/spaces/{brought}", {"mergeRules": {"type": "none"}}))
    ruled({"rule": SUBJECT})
    came = creator.api.post(f"/v1/spaces/{brought}/transfer", {"organization": alpha.id})
    said = came.json["mergeRules"]["type"], came.json["editMode"]
    assert said == (("none", "live") if kept else ("inherit", "locked"))


def test_a_rule_is_shown_to_those_who_see_where_it_is_set(
    host: HostProcess, space: Space, alpha: Tenant, ruled: Callable[..., None]
) -> None:
    path, guest = space.change_request(page("A", "Text.")), person(host, alpha, None)
    rule = {"rule": "custom", "expression": 'actor.email == "head@corp.example"'}
    ruled(rule)
    give(alpha, space.path, "review", users=[guest.id])
    refused = guest.api.post(f"{path}/merge")
    assert refused.status == 412 and "head@corp" not in refused.text and "cannot see" in refused.text
    assert "head@corp" in space.api.post(f"{path}/merge").text


def test_what_is_not_seen_is_no_subject(space: Space) -> None:
    path = space.change_request(page("A", "Text."))
    change(space, path, subject="\u200b", description=document("\u200b"))
    set_rules(space, {"rule": SUBJECT}, {"rule": "require_change_request_description"})
    refused = space.api.post(f"{path}/merge")
    assert refused.status == 412 and "needs a subject; it needs a description" in refused.text


def test_some_may_merge_without(space: Space, reviewer: Person, alpha: Tenant) -> None:
    path = space.change_request(page("A", "Text."))
    change(space, path, subject="")
    set_rules(space, {"rule": SUBJECT}, {"rule": "allow_bypass", "users": [reviewer.id]})
    assert space.api.post(f"{path}/merge").status == 412
    assert ok(reviewer.api.post(f"{path}/merge"))["result"] == "merge"


def test_spaces_inherit_the_rules_of_their_organization(space: Space, ruled: Callable[..., None]) -> None:
    path = space.change_request(page("A", "Text."))
    change(space, path, subject="")
    ruled({"rule": SUBJECT})
    refused = space.api.post(f"{path}/merge")
    assert refused.status == 412 and "merge rules of the organization" in refused.text
    ok(space.api.call("PATCH", space.path, {"mergeRules": {"type": "none"}}))
    assert ok(space.api.post(f"{path}/merge"))["result"] == "merge"


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("visitor.claims.plan == 1", "one of `actor`, `changeRequest`, `reviews`, `space`"),
        ("reviews.some(r => r)", "cannot be read at"),
        ("actor.id ==", "the end"),
        ("reviews.length", "needs a comparison"),
        ("changeRequest.createdBy != actor", "cannot use"),
        ("!(changeRequest.createdBy == actor)", "cannot use"),
        ("actor.id != changeRequest.creator.id", "changeRequest.creator.id"),
        ("!reviews.some", "reviews.some"),
        ("reviews != 0", "`reviews`"),
        ('!(reviews.length < "1")', "never true"),
        ("!(actor.id == null)", "never true"),
        ('"x" in actor.id', "no lists"),
    ],
)
def test_expressions_that_cannot_be_decided_are_refused(space: Space, expression: str, said: str) -> None:
    rule = {"rule": "custom", "expression": expression}
    answer = space.api.call("PATCH", space.path, {"mergeRules": {"type": "rules", "rules": [rule]}})
    assert answer.status == 400 and said in answer.text


def test_rules_that_nobody_could_meet_are_refused(space: Space) -> None:
    rule = {"rule": "require_one_of_specific_reviewers", "users": []}
    answer = space.api.call("PATCH", space.path, {"mergeRules": {"type": "rules", "rules": [rule]}})
    assert answer.status == 400 and "at least one person" in answer.text


def test_a_rule_from_before_expressions_were_parsed_says_so(host: HostProcess, space: Space) -> None:
    path = space.change_request(page("A", "Text."))
    old = {"type": "rules", "rules": [{"rule": "custom", "expression": "reviews.some(r => r)"}]}
    databases.ask(host.data, "UPDATE spaces SET merge_rules = ? WHERE id = ?", [json.dumps(old), space.id])
    refused = space.api.post(f"{path}/merge")
    assert refused.status == 412 and "cannot be decided" in refused.text and "administrator" in refused.text


def test_reviews_of_agents_are_refused_since_there_are_none(space: Space) -> None:
    rules = {"type": "rules", "rules": [{"rule": "require_agent_review"}]}
    answer = space.api.call("PATCH", space.path, {"mergeRules": rules})
    assert answer.status == 400 and "no agents" in answer.text


@pytest.mark.parametrize(
    ("expression", "status"),
    [
        ('actor.email == "nobody@example.com"', 412),
        ('changeRequest.createdBy.id == actor.id && space.editMode == "locked"', 200),
        ('changeRequest["subject"] != "" && changeRequest.outdated == false', 200),
        ("reviews.length > 0", 412),
        ("changeRequest.createdBy.id != actor.id", 412),
    ],
)
def test_expressions_know_who_merges_what_where(space: Space, expression: str, status: int) -> None:
    path = space.change_request(page("A", "Text."))
    change(space, path, subject="Said")
    set_rules(space, {"rule": "custom", "expression": expression})
    assert space.api.post(f"{path}/merge").status == status
