"""Links of spaces and change requests: what is there, what is broken, and who refers to what."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from runtime.contract.document_references import Reference, references_in
from runtime.contract.identifiers import new_id
from tests.conftest import HostProcess, Tenant, installed
from tests.contract.requests_table import SPECIFICATION
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.people import person
from tests.scenarios.script_calls import CALLS, call

GUIDE = """# Begin here

See [the reference](/pages/reference), [its end](/pages/reference#the-end), [its middle](/pages/reference#middle),
[nothing](/pages/nothing), [here](#begin-here), [nowhere](#nowhere) and [elsewhere](https://example.com/).

[The platform]({app}/spaces) · [a colleague](/users/{user}) · [a stranger](/users/stranger)

{{% content-ref url="/pages/reference" %}}
[reference](/pages/reference)
{{% endcontent-ref %}}
"""


@pytest.fixture
def space(alpha: Tenant) -> Space:
    space = Space(alpha)
    guide = GUIDE.format(app=f"{alpha.api.url}/app", user=alpha.user)
    space.merge(
        page("Guide", guide, id="guide"),
        page("Reference", "# Reference\n\n## The end\n\nBack to [the guide](/pages/guide).", id="reference"),
        {
            "type": "insert_page",
            "title": "Link",
            "page": "link",
            "id": "link",
            "target": {"kind": "page", "page": "guide"},
        },
    )
    return space


def links(space: Space, place: str = "", **query: str) -> dict[str, Any]:
    found: dict[str, Any] = ok(space.api.get(f"{place or space.path}/links", **query))
    return found


def targets(found: dict[str, Any]) -> list[str]:
    """Say what each item leads to, in a word."""
    words = []
    for item in found["items"]:
        target = item.get("targetReference", {})
        kind = target.get("kind", "?")
        named = target.get("url") or target.get(kind, {}).get("id") or target.get(kind, {}).get("title", "?")
        words.append(f"{named}#{target['internalLocation']['anchor']}" if "internalLocation" in target else named)
    return words


def test_every_link_has_its_status(space: Space, alpha: Tenant) -> None:
    found = links(space)
    assert targets(links(space, status="ok")) == [
        "reference",
        "reference#the-end",
        "guide#begin-here",
        "https://example.com/",
        alpha.user,
        "guide",
    ]
    assert targets(links(space, status="in-app")) == [f"{alpha.api.url}/app/spaces"]
    broken = links(space, status="broken")
    assert len(broken["items"]) == 4 == broken["count"]
    assert all("targetReference" not in item for item in broken["items"])
    assert found["stats"] == {"total": 13, "broken": {"total": 4}}
    used = {
        item["targetReference"].get("page", {}).get("id"): item for item in found["items"] if "targetReference" in item
    }
    assert [place["page"]["id"] for place in used["guide"]["locationReferences"]] == ["reference", "link"]


def test_links_of_one_page(space: Space) -> None:
    found = links(space, f"{space.path}/content/page/reference")
    assert targets(found) == ["guide"] and found["stats"]["total"] == 1
    assert space.api.get(f"{space.path}/content/page/none/links").status == 404


def test_a_link_is_told_with_the_version_it_is_in(space: Space) -> None:
    revision = ok(space.api.get(f"{space.path}/content"))["id"]
    item = links(space)["items"][0]
    backlinks = ok(space.api.get(f"{space.path}/content/page/guide/backlinks"))["items"]
    for place in [item["targetReference"], *item["locationReferences"], *backlinks]:
        context = place["versionContext"]
        assert context["type"] == "revision" and context["revision"]["id"] == revision
        assert [context["revision"][name] for name in ("pages", "files", "reusableContents")] == [[], [], []]
    path = space.change_request({"type": "delete_page", "id": "link"})
    number = ok(space.api.get(path))["number"]
    item = links(space, path)["items"][0]
    backlinks = ok(space.api.get(f"{path}/content/page/guide/backlinks"))["items"]
    for place in [item["targetReference"], *item["locationReferences"], *backlinks]:
        context = place["versionContext"]
        assert context["type"] == "changeRequest" and context["changeRequest"]["number"] == number


def test_a_link_into_another_space_is_told_with_what_it_leads_to(space: Space, alpha: Tenant) -> None:
    other = Space(alpha)
    other.merge(page("There", "# There\n\n## End\n\nText.", id="there"))
    second = Tenant(alpha.api.post("/v1/orgs", {"title": "Second"}).json["id"], alpha.user, alpha.api)
    theirs = Space(second)
    theirs.merge(page("Theirs", "Text.", id="theirs"))
    text = f"[a](/spaces/{other.id}/pages/there#end) [b](/spaces/{theirs.id}/pages/theirs) [c](/spaces/{theirs.id})"
    space.merge(page("Out", text, id="out"))
    into, foreign, whole = (
        one["targetReference"] for one in ok(space.api.get(f"{space.path}/content/page/out/links"))["items"]
    )
    assert (into["kind"], into["page"]["id"], into["space"]["id"]) == ("page", "there", other.id)
    assert into["internalLocation"] == {"type": "anchor", "anchor": "end"}
    assert into["versionContext"]["revision"]["id"] == ok(space.api.get(f"{other.path}/content"))["id"]
    assert (foreign["page"]["id"], foreign["space"]["id"]) == ("theirs", theirs.id)
    assert foreign["organization"]["id"] == whole["organization"]["id"] == second.id
    assert whole["space"]["id"] == theirs.id


def test_lists_of_links_are_paged(space: Space) -> None:
    every, query = links(space)["items"], {"limit": "3"}
    seen: list[Any] = []
    while True:
        part = links(space, **query)
        seen += part["items"]
        if "next" not in part:
            break
        query["page"] = part["next"]["page"]
    assert seen == every


def test_many_links_in_many_pages_make_no_long_answer(space: Space) -> None:
    text = " ".join(f"[x](https://e.example/{number})" for number in range(100))
    space.merge(*(page(f"Page {number}", text) for number in range(20)))
    shown = links(space)["items"]
    many = [item for item in shown if "e.example" in str(item.get("targetReference"))]
    assert len(shown) == 100 and 0 < max(len(item["locationReferences"]) for item in many) <= 10
    assert max(len(item["locationReferences"]) for item in links(space, limit="40")["items"]) == 20
    assert links(space)["stats"]["total"] >= 2000


def test_a_change_request_tells_what_it_broke(space: Space) -> None:
    path = space.change_request({"type": "delete_page", "id": "reference"})
    stats = links(space, path)["stats"]
    assert stats == {"total": 12, "broken": {"total": 7, "changeRequest": 3}}
    broken = {context: links(space, path, brokenContext=context)["items"] for context in ("change-request", "space")}
    assert all(one["status"] == "broken" for items in broken.values() for one in items)
    assert [sum(len(one["locationReferences"]) for one in items) for items in broken.values()] == [3, 4]
    assert space.api.get(f"{path}/links", brokenContext="page").status == 400
    of_page = links(space, f"{path}/content/page/guide")["stats"]
    assert of_page["broken"] == {"total": 7, "changeRequest": 3}
    assert links(space)["stats"]["broken"]["total"] == 4


def test_what_refers_to_a_page_and_to_a_file(space: Space) -> None:
    path = space.change_request()
    upload = space.api.call("POST", f"{path}/content/files", data=b"x", params={"name": "a.png", "id": "picture"})
    assert upload.status == 201
    changes = [
        page("Shows", "![](/files/picture)", id="shows"),
        {
            "type": "put_reusable_content",
            "id": "part",
            "title": "Part",
            "document": {"markdown": "[guide](/pages/guide)"},
        },
        {"type": "update_page", "id": "guide", "cover": {"ref": {"kind": "file", "file": "picture"}, "yPos": 0}},
    ]
    ok(space.api.post(f"{path}/content", {"changes": changes}))
    for place in (f"{path}/content", f"{space.path}/content"):
        if place.startswith(f"{space.path}/content"):
            ok(space.api.post(f"{path}/merge"))
        files = ok(space.api.get(f"{place}/files/picture/backlinks"))
        assert [item["page"]["id"] for item in files["items"]] == ["guide", "shows"]
        pages = ok(space.api.get(f"{place}/page/guide/backlinks"))
        assert [item["kind"] for item in pages["items"]] == ["page", "page", "page", "reusable-content"]
    assert space.api.get(f"{space.path}/content/files/none/backlinks").status == 404


def test_what_one_may_not_see_is_broken(host: HostProcess, space: Space, alpha: Tenant, beta: Tenant) -> None:
    hidden = Space(alpha)
    hidden.merge(page("Secret", "Text.", id="secret"))
    theirs = Space(beta)
    theirs.merge(page("Theirs", "Text.", id="theirs"))
    text = f"[a](/spaces/{theirs.id}) [b](/spaces/{theirs.id}/pages/theirs) [c](/spaces/{hidden.id}/pages/secret)"
    space.merge(page("Out", text, id="out"))
    found = links(space, f"{space.path}/content/page/out")
    assert [item["status"] for item in found["items"]] == ["broken", "broken", "ok"]
    assert ["targetReference" in item for item in found["items"]] == [False, False, True]
    guest = person(host, alpha, None)
    ok(alpha.api.post(f"{space.path}/permissions", {"role": "read", "users": [guest.id]}), 204)
    seen = ok(guest.api.get(f"{space.path}/content/page/out/links"))
    assert [item["status"] for item in seen["items"]] == ["broken", "broken", "broken"]
    assert not any("targetReference" in item for item in seen["items"])


def test_what_one_may_not_read_by_itself_is_named_and_not_shown(host: HostProcess, space: Space, alpha: Tenant) -> None:
    stranger, slug = person(host, alpha, "read"), f"s-{new_id().lower()}"
    source = {"text": SPECIFICATION}
    ok(alpha.api.post(f"/v1/orgs/{alpha.id}/openapi", {"slug": slug, "source": source}), 201)
    text = f"[a](/users/{stranger.id}) [b](/spaces/{Space(alpha).id})"
    space.merge(page("Out", text, id="out"))
    path = f"{space.path}/content/page/out/links"
    spec = f'{{% openapi-operation spec="{slug}" path="/switch" method="get" %}}\n{{% endopenapi-operation %}}'
    space.merge(page("Spec", spec, id="spec"))
    guest = person(host, alpha, None)
    ok(alpha.api.post(f"{space.path}/permissions", {"role": "edit", "users": [guest.id]}), 204)
    seen = ok(guest.api.get(path))["items"]
    assert [item["status"] for item in seen] == ["broken", "broken"]
    for place in (place for item in seen for place in item["locationReferences"]):
        assert place["organization"]["id"] == alpha.id and not place["organization"]["permissions"]["listMembers"]
        assert place["space"]["title"] == "Content"
    every = ["space:content:read", "space:metadata:read", "openapi:read"]
    for scopes, whole in ((every[:1], False), (every, True)):
        script = installed(alpha, CALLS, scopes=scopes)
        ok(alpha.api.post(f"{script.path}/installations/{script.installation}/spaces", {"space": space.id}), 201)
        items = call(script, "installation", "GET", path)["answer"]["items"]
        assert stranger.id in json.dumps(items) and "@" not in json.dumps(items)
        for place in (place for item in items for place in item["locationReferences"]):
            assert ("title" in place["space"], "title" in place["organization"]) == (whole, whole)
        there = call(script, "installation", "GET", f"{space.path}/content/page/spec/links")["answer"]["items"]
        assert ["targetReference" in item for item in there] == [whole]


def test_an_answer_stays_short_whatever_is_shown_at_each_place(space: Space) -> None:
    text = " ".join(f"[x](https://e.example/{number})" for number in range(100))
    path = space.change_request(*(page(f"Page {number}", text) for number in range(10)))
    description = {"object": "document", "data": {"said": "x" * 100_000}, "nodes": []}
    ok(space.api.call("PATCH", path, {"description": description}))
    answer = space.api.get(f"{path}/links", limit="1000")
    assert ok(answer)["count"] >= 100 and len(answer.text) < 12 << 20
    assert "said" not in answer.text
    longer = {**description, "data": {"said": "x" * 200_000}}
    assert space.api.call("PATCH", path, {"description": longer}).status == 400


def test_what_is_stored_of_a_reference_is_what_it_names(space: Space) -> None:
    leaf = {"object": "leaf", "text": "x", "marks": []}
    ref = {"kind": "url", "url": "https://e.example/", "junk": "z" * 9000}
    link = {
        "object": "inline", "type": "link", "data": {"ref": ref}, "nodes": [{"object": "text", "leaves": [leaf]}]
    }  # fmt: skip
    block = {"object": "block", "type": "paragraph", "key": "k" * 100_000, "data": {}, "nodes": [link] * 50}
    document = {"object": "document", "data": {}, "nodes": [block]}
    space.merge({**page("Long", id="long"), "document": {"document": document}})
    answer = space.api.get(f"{space.path}/content/page/long/links")
    (item,) = ok(answer)["items"]
    assert item["targetReference"] == {"kind": "url", "url": "https://e.example/"} and len(answer.text) < 200_000
    assert "internalLocation" not in item["locationReferences"][0]


def test_what_is_stored_of_the_references_of_a_document_is_bounded() -> None:
    cells = {"r": {"values": {"c": ["x"] * 5000}}}
    table = {"type": "table", "data": {"definition": {"c": {"type": "files"}}, "records": cells}, "key": "k" * 100}
    assert references_in({"nodes": [table]}) == [Reference({"kind": "file", "file": "x"}, "k" * 100, "reference")]
    links = [{"type": "link", "data": {"ref": {"kind": "url", "url": "u" * 2000}}} for _ in range(5000)]
    assert 100 < len(references_in({"nodes": links})) < 140


def test_a_copy_has_the_same_links(space: Space, alpha: Tenant) -> None:
    copy = ok(space.api.post(f"{space.path}/duplicate"), 201)["id"]
    assert ok(alpha.api.get(f"/v1/spaces/{copy}/links"))["stats"] == links(space)["stats"]


def test_an_organization_makes_few_long_lists_at_a_time(host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    space, other = Space(alpha), Space(beta)
    for part in range(4):
        text = " ".join(f"[x](https://e.example/{number})" for number in range(1500))
        space.merge(*(page(f"Page {part} {number}", text) for number in range(3)))
    other.merge(page("Theirs", "[x](https://e.example/)"))
    for _ in range(2):  # from then on it is known that they take long
        links(space)
    with ThreadPoolExecutor(43) as pool:
        many = [pool.submit(space.api.get, f"{space.path}/links") for _ in range(40)]
        few = [pool.submit(other.api.get, f"{other.path}/links") for _ in range(3)]
        answers, theirs = [one.result() for one in many], [one.result() for one in few]
    assert [one.status for one in theirs] == [200] * 3
    refused = [one for one in answers if one.status != 200]
    assert 2 <= len(answers) - len(refused) < 40
    assert all(one.status == 503 and "lists of links" in one.json["error"]["message"] for one in refused)
