"""One organization stores as much as the host allows, in whatever way, and others go on."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from runtime.contract.identifiers import new_id
from tests.conftest import COUNTER, Answer, HostProcess, Tenant, publication, tenant, wait_for
from tests.contract.requests_table import SPECIFICATION
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page

MEGABYTE = 1 << 20
MOST = 2 * MEGABYTE


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    host = HostProcess(tmp_path_factory.mktemp("host"), environ={"DEVKIT_ORGANIZATION_STORAGE": str(MOST / (1 << 30))})
    host.start()
    yield host
    host.stop()


@pytest.fixture
def greedy(host: HostProcess) -> Tenant:
    return tenant(host, "Greedy", f"{new_id().lower()}@example.com")


def upload(space: Space, path: str, megabytes: float) -> Answer:
    content = new_id().encode() + b"x" * int(megabytes * MEGABYTE)
    return space.api.call("POST", f"{path}/content/files", data=content, params={"name": "a.bin"})


def publish(owner: Tenant, name: str, megabytes: float, number: int = 0) -> Answer:
    script = f"{COUNTER}\n# {number} {'x' * int(megabytes * MEGABYTE)}\n"
    return owner.api.post("/v1/integrations/" + name, publication(owner.id, script))


def is_full(answer: Answer) -> bool:
    return answer.status == 400 and "DEVKIT_ORGANIZATION_STORAGE" in answer.json["error"]["message"]


def test_files_of_all_spaces_count_together(host: HostProcess, greedy: Tenant) -> None:
    first, second = Space(greedy), Space(greedy)
    here, there = first.change_request(), second.change_request()
    ok(upload(first, here, 1), 201)
    ok(upload(second, there, 0.5), 201)
    for space, path in ((first, here), (second, there)):
        assert is_full(upload(space, path, 1))
    ok(first.api.post(f"{here}/merge"))
    assert is_full(first.api.post(f"{first.path}/duplicate"))
    other = Space(tenant(host, "Other", f"{new_id().lower()}@example.com"))
    ok(upload(other, other.change_request(), 1), 201)


def test_a_full_organization_reads_merges_and_deletes(greedy: Tenant) -> None:
    space, spare = Space(greedy), Space(greedy)
    begun = space.change_request(page("Begun", "Text.", id="begun"))
    ok(upload(spare, spare.change_request(), 1.999), 201)
    publishing = publish(greedy, new_id().lower(), 0.1)
    assert is_full(publishing), publishing.text
    ok(space.api.post(f"{begun}/merge"))
    assert "Text." in space.markdown("begun")
    assert spare.api.call("DELETE", spare.path).status in (204, 205)


def test_moves_and_deletions_go_beyond_the_limit_a_little(greedy: Tenant) -> None:
    space = Space(greedy)
    texts = [new_id() * 9 for _ in range(1000)]
    path = space.change_request(*(page(text[:90], id=f"p{n}", description=text) for n, text in enumerate(texts)))
    ok(upload(space, space.change_request(), 1.7), 201)
    chance, rounds = random.Random(1), 0

    def moves() -> Answer:
        pairs = [(chance.randrange(1000), chance.randrange(1000)) for _ in range(100)]
        changes = [{"type": "move_page", "id": f"p{a}", "position": {"before": f"p{b}"}} for a, b in pairs if a != b]
        return space.api.post(f"{path}/content", {"changes": changes})

    beyond, full = 0, False
    while (moved := moves()).status == 200:
        beyond += full
        full = full or is_full(space.api.post(f"{path}/content", {"changes": [page("One more")]}))
        rounds += 1
        assert rounds < 50
    assert is_full(moved)
    assert beyond > 0, "what adds is refused sooner than what moves"


def test_versions_of_integrations_count(greedy: Tenant) -> None:
    name = new_id().lower()
    assert publish(greedy, name, 1).status in (200, 201)
    assert publish(greedy, name, 0.5, 1).status in (200, 201)
    assert is_full(publish(greedy, name, 0.9, 2))
    assert is_full(publish(greedy, new_id().lower(), 0.9))
    assert greedy.api.post(f"/v1/integrations/{name}/rollback", {"version": 1}).status == 200


def test_manifests_and_secrets_of_versions_count(greedy: Tenant) -> None:
    name, choices = new_id().lower(), ["x" * 1000] * 400
    properties = {"choice": {"type": "string", "enum": choices}}
    long = {"configurations": {"account": {"properties": properties}}, "secrets": {"A": "x" * 10_000}}

    def published(number: int) -> Answer:
        body = publication(greedy.id, f"{COUNTER}\n# {number}\n", **long)
        return greedy.api.post(f"/v1/integrations/{name}", body)

    statuses = [published(number).status for number in range(5)]
    assert statuses == [200] * 5
    assert is_full(published(5))


def test_a_version_that_is_gone_back_to_moves_where_no_more_may_be_stored(greedy: Tenant) -> None:
    name = new_id().lower()
    assert publish(greedy, name, 1.5).status == 200
    for number in range(1, 5):
        assert greedy.api.post(f"/v1/integrations/{name}/rollback", {"version": number}).status == 200
    versions = ok(greedy.api.get(f"/v1/integrations/{name}/versions"))["items"]
    assert [(one["version"], one["current"]) for one in versions] == [(5, True)]
    assert is_full(publish(greedy, name, 1, 1))


def test_specifications_count(greedy: Tenant) -> None:
    space = Space(greedy)
    ok(upload(space, space.change_request(), 1.5), 201)
    long: dict[str, Any] = json.loads(SPECIFICATION)
    long["info"]["description"] = "x" * MEGABYTE
    at = f"/v1/orgs/{greedy.id}/openapi"
    assert is_full(greedy.api.post(at, {"slug": "long", "source": {"text": json.dumps(long)}}))
    long["info"]["description"] = "x" * (MEGABYTE // 8)
    ok(greedy.api.post(at, {"slug": "short", "source": {"text": json.dumps(long)}}), 201)
    found = wait_for(
        lambda: one if (one := ok(greedy.api.get(f"{at}/short")))["processingState"] == "complete" else None, seconds=60
    )
    assert "lastProcessErrorCode" not in found, found


LONG = "y" * 200_000


@pytest.mark.parametrize(
    "event", [{"type": "task", "task": {"x": LONG}}, {"type": "space_content_updated", "revisionId": "r", "x": LONG}]
)
def test_an_event_that_waits_is_small(greedy: Tenant, event: dict[str, Any]) -> None:
    name = new_id().lower()
    assert publish(greedy, name, 0).status in (200, 201)
    answer = greedy.api.post(f"/v1/integrations/{name}/events", {"event": event})
    assert answer.status == 400 and "131,072" in answer.json["error"]["message"], answer.text


def on_disk(host: HostProcess) -> int:
    return sum(file.stat().st_size for file in (host.data / "blobs").rglob("*") if file.is_file())


def test_what_is_refused_or_over_leaves_the_disk(host: HostProcess, greedy: Tenant) -> None:
    space = Space(greedy)
    path, before = space.change_request(), on_disk(host)
    for _ in range(3):
        assert is_full(upload(space, path, 3))
    archive = b"# Text\n\n" + b"x" * (MEGABYTE // 2)
    for _ in range(3):
        query = {"source": "markdown", "name": "a.md", "changeRequest": path.rpartition("/")[2]}
        sent = archive + new_id().encode()
        begun = space.api.call("POST", f"{space.path}/content/import/upload", data=sent, params=query)
        made = ok(begun, 201)["id"]
        ok(space.api.post(f"{space.path}/imports/{made}/cancel"))
    text: dict[str, Any] = json.loads(SPECIFICATION)
    at = f"/v1/orgs/{greedy.id}/openapi/one"
    for number in range(3):
        text["info"]["description"] = f"{number}" + "x" * (MEGABYTE // 4)
        answer = greedy.api.call("PUT", at, {"source": {"text": json.dumps(text)}})
        assert answer.status in (200, 201), answer.text
    wait_for(lambda: ok(greedy.api.get(at))["processingState"] == "complete")
    for number in range(3):  # deleted before they are read, or while they are
        text["info"]["description"] = f"gone {number}" + "x" * (MEGABYTE // 4)
        gone = f"/v1/orgs/{greedy.id}/openapi/gone-{number}"
        ok(greedy.api.call("PUT", gone, {"source": {"text": json.dumps(text)}}), 201)
        assert greedy.api.call("DELETE", gone).status == 205
    # Versions are kept, and what was sent is not there a second time.
    versions = len(ok(greedy.api.get(f"{at}/versions"))["items"])
    wait_for(lambda: on_disk(host) - before < (versions + 0.5) * MEGABYTE // 4)


def test_files_that_are_sent_and_let_go_again_and_again_are_refused(host: HostProcess, greedy: Tenant) -> None:
    """Each is sent twice, so that it is not known which of the two may delete it: it stays on the disk for a day."""
    space = Space(greedy)
    path, before = space.change_request(), on_disk(host)
    query = {"source": "markdown", "name": "a.md", "changeRequest": path.rpartition("/")[2]}
    refused = None
    for _ in range(8):
        archive = b"# Text\n\n" + new_id().encode() + b"x" * (MEGABYTE // 2)
        begun = [
            space.api.call("POST", f"{space.path}/content/import/upload", data=archive, params=query) for _ in range(2)
        ]
        for one in begun:
            if one.status == 201:
                ok(space.api.post(f"{space.path}/imports/{one.json['id']}/cancel"))
            else:
                refused = one
    assert refused is not None and refused.status == 400, "8 MB were sent"
    assert "within a day" in refused.json["error"]["message"]
    assert on_disk(host) - before <= MOST


def test_long_configurations_count(greedy: Tenant) -> None:
    names = [new_id().lower() for _ in range(20)]
    answers = []
    for name in names:
        assert publish(greedy, name, 0).status in (200, 201)
        installation = ok(greedy.api.post(f"/v1/integrations/{name}/installations", {"organization": greedy.id}), 201)
        path = f"/v1/integrations/{name}/installations/{installation['id']}"
        answers.append(greedy.api.call("PATCH", path, {"configuration": {"long": "x" * 125_000}}))
        # What is there may change, and become shorter.
        if answers[-1].status == 200:
            assert greedy.api.call("PATCH", path, {"configuration": {"long": "y" * 124_000}}).status == 200
        assert greedy.api.call("PATCH", path, {"configuration": {"short": "x"}}).status == 200
        answers.append(greedy.api.call("PATCH", path, {"configuration": {"long": "x" * 125_000}}))
        if answers[-1].status != 200:
            break
    assert is_full(answers[-1]), answers[-1].text
    assert len(answers) > 8
