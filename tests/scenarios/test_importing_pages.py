"""Imports and reviews begun on pages: forms with files, what is refused, and the rights of who sends them."""

from __future__ import annotations

import http.client
import re
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from runtime.contract.identifiers import new_id
from tests.conftest import HostProcess, Tenant, tenant, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.browsing import Browser, alert, signed_in
from tests.scenarios.content import Space
from tests.scenarios.elsewhere import packed
from tests.scenarios.people import person

FOLDER = packed({"a.md": "# A"})


@pytest.fixture(scope="module")
def owner(host: HostProcess) -> Tenant:
    return tenant(host, "Importers", f"{new_id()}@example.com")


@pytest.fixture
def space(owner: Tenant) -> Space:
    return Space(owner)


@pytest.fixture
def admin(host: HostProcess, owner: Tenant) -> Browser:
    return signed_in(host, owner.api.token)


def send(browser: Browser, space: Space, content: bytes = FOLDER, name: str = "a.zip", **form: str) -> Any:
    """Send the form of imports with a file."""
    at = f"/app/spaces/{space.id}/imports"
    token = re.search(r'name="csrf" value="(\w+)"', browser.ask("GET", at).text)
    assert token is not None
    fields = {"csrf": token[1], "source": "zip", "url": "", "page": "", "into": "new", **form}
    files = {"file": (name, content, "application/zip")}
    return browser.ask("POST", at, data=fields, files=files, headers={"Origin": browser.base})


def imports(space: Space) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ok(space.api.get(f"{space.path}/imports"))["items"]
    return found


def over(space: Space) -> dict[str, Any]:
    """Wait until the last import is over."""
    wait_for(lambda: imports(space)[0]["status"] not in ("pending", "in-progress"), 60)
    return imports(space)[0]


def test_a_file_goes_where_it_is_sent(admin: Browser, space: Space) -> None:
    answer = send(admin, space)
    assert answer.status_code == 303 and answer.headers["Location"].startswith(f"/app/spaces/{space.id}/imports/")
    done = over(space)
    assert done["status"] == "completed" and space.outline() == []
    request = ok(space.api.get(f"{space.path}/change-requests/{done['changeRequest']}"))
    assert (request["subject"], request["status"]) == ("Import a.zip", "draft")
    page = ok(space.api.get(f"{space.path}/change-requests/{request['id']}/content/pages"))["pages"][0]["id"]
    assert send(admin, space, packed({"b.md": "# B"}), into=request["id"], page=page).status_code == 303
    assert over(space)["page"] == page
    ok(space.api.call("PATCH", space.path, {"editMode": "live"}))
    assert send(admin, space, into="space").status_code == 303
    assert over(space)["status"] == "completed" and space.outline() == [["A"]]


def test_what_is_refused_leaves_no_open_change_request(admin: Browser, space: Space) -> None:
    answer = send(admin, space, b"", "empty.zip")
    assert answer.status_code == 400 and "empty" in alert(answer)
    answer = send(admin, space, url="https://example.com/")
    assert answer.status_code == 400 and "but not both" in alert(answer)
    assert send(admin, space, source="nothing").status_code == 400
    assert send(admin, space, into="space").status_code == 412
    assert send(admin, space, into="none").status_code == 404
    assert imports(space) == []
    assert ok(space.api.get(space.path))["changeRequestsDraft"] == 0


def test_forms_of_others_and_of_nobody(host: HostProcess, admin: Browser, space: Space) -> None:
    at = f"/app/spaces/{space.id}/imports"
    assert send(admin, space, csrf="0" * 64).status_code == 403
    nobody = requests.post(host.url + at, files={"file": ("a.zip", FOLDER)}, allow_redirects=False, timeout=30)
    assert nobody.status_code == 303 and "sign-in" in nobody.headers["Location"]
    assert admin.ask("POST", at, data={"csrf": "x"}).status_code == 415
    assert admin.ask("POST", at, data=b"--", headers={"Content-Type": "multipart/form-data"}).status_code in (400, 403)
    many = [("file", (f"{number}.zip", b"x")) for number in range(100)]
    assert admin.ask("POST", at, files=many).status_code in (400, 413)
    assert imports(space) == []


def test_a_file_that_is_too_large_is_not_read(host: HostProcess, admin: Browser, space: Space) -> None:
    connection = http.client.HTTPConnection(urlsplit(host.url).netloc, timeout=30)
    connection.putrequest("POST", f"/app/spaces/{space.id}/imports")
    connection.putheader("Content-Type", "multipart/form-data; boundary=x")
    connection.putheader("Content-Length", str(200 << 20))
    connection.putheader("Cookie", "; ".join(f"{one.name}={one.value}" for one in admin.cookies))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_names_of_files_are_made_fit(admin: Browser, space: Space) -> None:
    for name in ("..\\..\\x.zip", "/etc/passwd", "...", "a" * 300 + ".zip", "ü\u202e.zip"):
        assert send(admin, space, name=name).status_code == 303, name
        assert over(space)["status"] == "completed"


def test_who_may_what(host: HostProcess, owner: Tenant, admin: Browser, space: Space) -> None:
    request = space.change_request()
    at = request.replace("/v1", "/app")
    reader, editor, other = person(host, owner), person(host, owner, "edit"), person(host, owner, None)
    reading, editing = (signed_in(host, one.api.token) for one in (reader, editor))
    shown = reading.ask("GET", at).text
    assert "/reviews" not in shown and "/reviewers" not in shown
    assert send(reading, space).status_code == 403
    for part, form in (("reviewers", {"user": editor.id}), ("reviews", {"status": "approved"})):
        assert reading.submit(at, f"{at}/{part}", **form).status_code == 403
    assert editing.submit(at, f"{at}/reviews", status="approved").status_code == 403
    assert editing.submit(at, f"{at}/reviewers", user=reader.id).status_code == 303
    refused = editing.submit(at, f"{at}/reviewers", user=other.id)
    assert refused.status_code == 400 and "cannot see this space" in alert(refused)
    assert signed_in(host, other.api.token).ask("GET", f"/app/spaces/{space.id}/imports").status_code == 404
    assert ok(space.api.get(request))["status"] == "open"
    assert admin.submit(at, f"{at}/reviews", status="approved", comment="<b>Good</b>").status_code == 303
    shown = reading.ask("GET", at).text
    assert "Approved" in shown and "&lt;b&gt;Good&lt;/b&gt;" in shown
    refused = admin.submit(at, f"{at}/reviews", status="perhaps", comment="Kept")
    assert refused.status_code == 400 and ">Kept</textarea>" in refused.text
    assert editing.submit(at, f"{at}/reviewers/{reader.id}/remove").status_code == 303
    assert ok(space.api.get(f"{request}/requested-reviewers"))["items"] == []
