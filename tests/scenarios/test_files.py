"""Files of the content: uploaded into change requests, listed, and read at their addresses."""

from __future__ import annotations

import gzip
import http.client
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from tests import databases
from tests.conftest import HostProcess, Tenant
from tests.scenarios.answers import ok
from tests.scenarios.content import Space
from tests.scenarios.files import picture, upload, with_file
from tests.scenarios.people import person

MEGABYTE = 1024 * 1024


def test_a_compressed_upload_is_refused(space: Space) -> None:
    sent = {"data": gzip.compress(picture(3, 2)), "params": {"name": "a.png"}, "headers": {"Content-Encoding": "gzip"}}
    refused = space.api.call("POST", f"{space.change_request()}/content/files", **sent)
    assert (refused.status, refused.headers["Accept-Encoding"]) == (415, "identity")


def test_a_file_comes_by_upload_and_is_read_at_its_address(space: Space) -> None:
    content = picture(3, 2)
    path = space.change_request()
    made = ok(upload(space, path, "small picture.png", content), 201)
    assert made["dimensions"] == {"width": 3, "height": 2}
    assert (made["name"], made["contentType"], made["size"]) == ("small picture.png", "image/png", len(content))
    assert ok(space.api.get(f"{path}/content/files"))["items"] == [made]
    assert ok(space.api.get(f"{space.path}/content/files"))["items"] == []
    revision = ok(space.api.post(f"{path}/merge"))["revision"]
    for place in (f"{space.path}/content", f"{space.path}/revisions/{revision}", f"{path}/content"):
        assert ok(space.api.get(f"{place}/files/{made['id']}")) == made
        assert ok(space.api.get(place))["files"] == [made]
    read = requests.get(made["downloadURL"], timeout=30)
    assert (read.status_code, read.content, read.headers["Content-Type"]) == (200, content, "image/png")
    assert read.headers["Content-Disposition"].startswith("inline")
    assert "sandbox" in read.headers["Content-Security-Policy"]
    assert read.headers["X-Content-Type-Options"] == "nosniff"
    again = requests.get(made["downloadURL"], headers={"If-None-Match": read.headers["ETag"]}, timeout=30)
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("asked", "status", "start", "end"),
    [
        ("bytes=0-4", 206, 0, 5),
        ("bytes=5-", 206, 5, 20),
        ("bytes=-3", 206, 17, 20),
        ("bytes=-300", 206, 0, 20),
        ("bytes=4-400", 206, 4, 20),
        ("bytes=20-", 416, 0, 0),
        ("bytes=0-1,3-4", 200, 0, 20),
        ("lines=1-2", 200, 0, 20),
        ("bytes=9-4", 416, 0, 0),
    ],
)
def test_a_part_of_a_file(space: Space, asked: str, status: int, start: int, end: int) -> None:
    content = b"0123456789abcdefghij"
    file = with_file(space, "letters.txt", content)
    read = requests.get(file["downloadURL"], headers={"Range": asked}, timeout=30)
    assert (read.status_code, read.content) == (status, content[start:end])
    if status == 206:
        assert read.headers["Content-Range"] == f"bytes {start}-{end - 1}/20"


def test_a_large_file_travels_in_pieces_both_ways(space: Space) -> None:
    def pieces() -> Iterator[bytes]:
        for number in range(24):
            yield bytes([number]) * MEGABYTE

    path = space.change_request()
    made = ok(upload(space, path, "large.bin", pieces()), 201)
    assert made["size"] == 24 * MEGABYTE
    with requests.get(made["downloadURL"], stream=True, timeout=60) as read:
        assert read.headers["Content-Length"] == str(24 * MEGABYTE)
        assert read.headers["Content-Disposition"].startswith("attachment")
        assert b"".join(read.iter_content(MEGABYTE)) == b"".join(pieces())


def test_what_no_file_may_be(space: Space) -> None:
    path = space.change_request()
    assert upload(space, path, "empty.txt", b"").status == 400
    for name in ("", "a/b", "..", "a\\b", "x" * 201, "line\nbreak"):
        assert upload(space, path, name, b"x").status == 400, name
    assert space.api.call("POST", f"{path}/content/files", data=b"x").status == 400
    assert says_that_it_is_long(space, f"{path}/content/files?name=a") == 413
    ok(space.api.post(f"{path}/merge"))
    assert upload(space, path, "late.txt", b"x").status == 400


def says_that_it_is_long(space: Space, path: str) -> int:
    """Begin to send more than a file may have; gives the status that comes before any of it."""
    connection = http.client.HTTPConnection(urlsplit(space.api.url).netloc, timeout=30)
    connection.putrequest("POST", path)
    connection.putheader("Authorization", f"Bearer {space.api.token}")
    connection.putheader("Content-Length", str(101 * MEGABYTE))
    connection.endheaders(b"x")
    status = connection.getresponse().status
    connection.close()
    return status


def test_only_editors_upload_and_nothing_is_stored_for_others(host: HostProcess, space: Space, alpha: Tenant) -> None:
    path = space.change_request()
    reader = person(host, alpha, "read")
    content = b"by somebody who may not"
    answer = reader.api.call("POST", f"{path}/content/files", data=content, params={"name": "a.txt"})
    assert answer.status == 403
    assert not databases.ask(host.data, "SELECT name FROM blobs WHERE size = ?", [len(content)])


def test_replaced_renamed_and_deleted(space: Space) -> None:
    path = space.change_request()
    made = ok(upload(space, path, "one.txt", b"first"), 201)
    again = ok(upload(space, path, "one.txt", b"second", id=made["id"]), 201)
    assert again["id"] == made["id"] and again["downloadURL"] != made["downloadURL"]
    changes = [{"type": "update_file", "id": made["id"], "name": "two.txt"}]
    ok(space.api.post(f"{path}/content", {"changes": changes}))
    ok(space.api.post(f"{path}/merge"))
    assert [file["name"] for file in ok(space.api.get(f"{space.path}/content/files"))["items"]] == ["two.txt"]
    kinds = [change["type"] for change in ok(space.api.get(f"{path}/changes"))["changes"]]
    assert kinds == ["file_created"]
    space.merge({"type": "delete_file", "id": made["id"]})
    assert ok(space.api.get(f"{space.path}/content/files"))["items"] == []
    assert requests.get(again["downloadURL"], timeout=30).content == b"second", "earlier revisions have it still"
    late = space.change_request()
    assert space.api.post(f"{late}/content", {"changes": changes}).status == 400


def test_two_who_replace_one_file_are_in_conflict(space: Space) -> None:
    file = with_file(space, "shared.txt", b"before")
    paths = [space.change_request() for _ in range(2)]
    for path, content in zip(paths, (b"mine", b"theirs"), strict=True):
        ok(upload(space, path, "shared.txt", content, id=file["id"]), 201)
    assert ok(space.api.post(f"{paths[0]}/merge"))["result"] == "merge"
    second = ok(space.api.post(f"{paths[1]}/merge"))
    assert second["result"] == "conflicts" and second["conflicts"][0]["id"] == file["id"]


def test_lists_are_paged(space: Space) -> None:
    path = space.change_request()
    names = [f"file {number}.txt" for number in range(5)]
    for name in names:
        ok(upload(space, path, name, name.encode()), 201)
    seen: list[str] = []
    query: dict[str, Any] = {"limit": "2"}
    while True:
        answer = ok(space.api.get(f"{path}/content/files", **query))
        assert answer["count"] == 5
        seen += [file["name"] for file in answer["items"]]
        if "next" not in answer:
            break
        query["page"] = answer["next"]["page"]
    assert seen == names
    assert space.api.get(f"{path}/content/files", page="nonsense").status == 400


@pytest.mark.parametrize("part", [2, 3, 4, 5, "type"])
def test_an_address_that_was_changed_leads_nowhere(space: Space, part: int | str) -> None:
    file = with_file(space, "page.html", b"<script>alert(1)</script>")
    address = file["downloadURL"]
    if part == "type":
        changed = address.replace("text%2Fhtml", "text%2Fplain")
    else:
        pieces = address.split("/")
        place = pieces.index("files") + part - 1
        pieces[place] = ("X" if pieces[place][0] != "X" else "Y") + pieces[place][1:]
        changed = "/".join(pieces)
    assert changed != address
    assert requests.get(changed, timeout=30).status_code == 404


@pytest.mark.parametrize("name", ["page.html", "picture.svg", "page.xhtml", "script.js", "document.xml", "unknown"])
def test_nothing_in_a_file_runs(space: Space, name: str) -> None:
    file = with_file(space, name, b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    read = requests.get(file["downloadURL"], timeout=30)
    policy = read.headers["Content-Security-Policy"]
    assert "sandbox" in policy.split("; ") and "default-src 'none'" in policy
    assert "allow-scripts" not in policy and read.headers["X-Content-Type-Options"] == "nosniff"
    assert "Set-Cookie" not in read.headers


def test_a_name_cannot_write_headers(space: Space) -> None:
    file = with_file(space, 'a"; filename=x.html; €.txt', b"x")
    read = requests.get(file["downloadURL"], timeout=30)
    assert read.status_code == 200
    assert "filename*=utf-8''a%22%3B%20filename%3Dx.html%3B%20%E2%82%AC.txt" in read.headers["Content-Disposition"]


def test_files_of_a_deleted_space_are_gone_and_of_a_copy_stay(space: Space, alpha: Tenant) -> None:
    file = with_file(space, "a.txt", b"copied")
    copy = ok(space.api.post(f"{space.path}/duplicate"), 201)["id"]
    assert space.api.call("DELETE", space.path).status == 205
    assert requests.get(file["downloadURL"], timeout=30).status_code == 404
    (copied,) = ok(alpha.api.get(f"/v1/spaces/{copy}/content/files"))["items"]
    assert requests.get(copied["downloadURL"], timeout=30).content == b"copied"


def test_a_file_of_another_space_is_not_here(space: Space, alpha: Tenant) -> None:
    file = with_file(Space(alpha), "a.txt", b"x")
    assert space.api.get(f"{space.path}/content/files/{file['id']}").status == 404
