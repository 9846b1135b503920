"""Reviews of change requests: who may, what is superseded, and the comment that comes along."""

from __future__ import annotations

from tests.conftest import HostProcess, Tenant
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.people import person


def test_a_review_with_a_comment(space: Space) -> None:
    path = space.change_request(page("A", "Text."))
    body = {"status": "changes-requested", "comment": {"markdown": "Say more."}}
    answer = space.api.post(f"{path}/reviews", body)
    review = ok(answer, 201)
    assert answer.headers["Location"].endswith(f"/reviews/{review['id']}")
    assert (review["status"], review["outdated"], review["revision"]) == (
        "changes-requested",
        False,
        ok(space.api.get(path))["revision"],
    )
    assert review["comment"]["target"]["review"] == review["id"]
    (comment,) = ok(space.api.get(f"{path}/comments", format="markdown"))["items"]
    assert comment["id"] == review["comment"]["id"] and comment["body"] == {"markdown": "Say more."}
    (listed,) = ok(space.api.get(f"{path}/reviews", format="markdown"))["items"]
    assert listed["comment"]["body"] == {"markdown": "Say more."}


def test_later_reviews_and_requests_supersede(host: HostProcess, space: Space, alpha: Tenant) -> None:
    path = space.change_request(page("A", "Text."))
    reviewer = person(host, alpha, "review")
    ok(space.api.post(f"{path}/requested-reviewers", {"users": [reviewer.id]}))
    first = ok(reviewer.api.post(f"{path}/reviews", {"status": "changes-requested"}), 201)
    assert first["requestedBy"]["id"] == alpha.user and first["reviewer"]["id"] == reviewer.id
    own = ok(space.api.post(f"{path}/reviews", {"status": "approved"}), 201)
    assert "requestedBy" not in own

    def listed(outdated: str) -> list[str]:
        return [one["id"] for one in ok(space.api.get(f"{path}/reviews", outdated=outdated))["items"]]

    assert listed("false") == [own["id"], first["id"]] and listed("true") == []
    second = ok(reviewer.api.post(f"{path}/reviews", {"status": "approved"}), 201)
    assert listed("false") == [second["id"], own["id"]] and listed("true") == [first["id"]]
    ok(space.api.post(f"{path}/requested-reviewers", {"users": [reviewer.id]}))
    assert listed("false") == [own["id"]] and listed("true") == [second["id"], first["id"]]


def test_who_may_review_what(host: HostProcess, space: Space, alpha: Tenant) -> None:
    path = space.change_request(page("A", "Text."))
    approve = {"status": "approved"}
    assert person(host, alpha, "comment").api.post(f"{path}/reviews", approve).status == 403
    assert person(host, alpha, None).api.get(f"{path}/reviews").status == 404
    ok(person(host, alpha, "read").api.get(f"{path}/reviews"))
    ok(space.api.post(f"{path}/merge"))
    assert space.api.post(f"{path}/reviews", approve).status == 400


def test_nobody_is_asked_and_the_subject_changes(space: Space) -> None:
    path = space.change_request(page("A", "Text."))
    assert ok(space.api.get(path))["status"] == "draft"
    assert ok(space.api.post(f"{path}/requested-reviewers", {"users": [], "subject": "Better"}))["users"] == []
    shown = ok(space.api.get(path))
    assert (shown["status"], shown["subject"]) == ("draft", "Better")
