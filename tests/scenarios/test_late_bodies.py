"""Who may do something no longer when the body of a request has arrived does not do it, however early they began."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from runtime.contract.identifiers import new_id
from tests.conftest import COUNTER, Api, HostProcess, Installed, Tenant, publication
from tests.scenarios.answers import ok
from tests.scenarios.browsing import Browser
from tests.scenarios.content import Space, page
from tests.scenarios.people import Person, person


class Late:
    """A request whose body has come but for its last byte."""

    def __init__(self, host: HostProcess, method: str, path: str, body: bytes, **headers: str) -> None:
        lines = {"Host": f"127.0.0.1:{host.port}", "Content-Length": str(len(body)), "Connection": "close", **headers}
        head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
        self._rest = body[-1:]
        self._line = socket.create_connection(("127.0.0.1", host.port), timeout=60)
        self._line.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body[:-1])
        time.sleep(0.5)  # until the host waits for the rest

    def status(self) -> int:
        """Send the rest; gives the status of the answer."""
        with self._line:
            self._line.sendall(self._rest)
            answer = b""
            while piece := self._line.recv(65_536):
                answer += piece
        return int(answer.split(b" ", 2)[1])


def late(host: HostProcess, api: Api, method: str, path: str, body: Any) -> Late:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
    return Late(host, method, path, content, Authorization=f"Bearer {api.token}", Content_Type=kind)


def removed(owner: Tenant, who: Person) -> None:
    assert owner.api.call("DELETE", f"/v1/orgs/{owner.id}/members/{who.id}").status < 300


def demoted(owner: Tenant, who: Person) -> None:
    ok(owner.api.call("PATCH", f"/v1/orgs/{owner.id}/members/{who.id}", {"role": "read"}))


def signed_out(owner: Tenant, who: Person) -> None:
    for token in ok(who.api.get("/v1/user/tokens"))["items"]:
        assert who.api.call("DELETE", f"/v1/user/tokens/{token['id']}").status < 300


@pytest.mark.parametrize(("change", "status"), [(removed, 404), (demoted, 403), (signed_out, 401)])
def test_an_administrator_who_is_none_by_then_invites_nobody(
    host: HostProcess, alpha: Tenant, change: Callable[[Tenant, Person], None], status: int
) -> None:
    who = person(host, alpha, "admin")
    address = f"back-{who.id.lower()}@example.com"
    path = f"/v1/orgs/{alpha.id}/invites"
    begun = late(host, who.api, "POST", path, {"emails": [address], "role": "admin"})
    change(alpha, who)
    assert begun.status() == status
    invites = ok(alpha.api.get(f"/v1/orgs/{alpha.id}/email-invites", limit=1000))["items"]
    assert address not in {one["email"] for one in invites}


def test_who_is_removed_uploads_nothing(host: HostProcess, alpha: Tenant) -> None:
    space, who = Space(alpha), person(host, alpha, "edit")
    change_request = space.change_request(page("One", "Text."))
    begun = [
        late(host, who.api, "POST", f"{change_request}/content/files?name=a.png", b"picture"),
        late(host, who.api, "POST", f"{change_request}/content", {"changes": [page("Two", "Text.")]}),
    ]
    cr = change_request.rpartition("/")[2]
    sent = late(
        host, who.api, "POST", f"{space.path}/import/upload?source=markdown&name=a.md&changeRequest={cr}", b"# Three"
    )
    removed(alpha, who)
    assert {one.status() for one in [*begun, sent]} == {404}
    assert ok(alpha.api.get(f"{change_request}/content/files"))["items"] == []
    assert [one["title"] for one in ok(alpha.api.get(f"{change_request}/content/pages"))["pages"]] == ["One"]
    assert ok(alpha.api.get(f"{space.path}/imports"))["items"] == []


def test_who_is_removed_renders_nothing(host: HostProcess, counter: Installed) -> None:
    owner = counter.owner
    who = person(host, owner, "read")
    body = {"componentId": "counter", "props": {}, "context": counter.context()}
    path = f"{counter.path}/render"
    assert who.api.post(path, body).status == 200
    begun = late(host, who.api, "POST", path, body)
    removed(owner, who)
    assert begun.status() == 404


@pytest.mark.parametrize(("change", "status"), [(removed, 404), (demoted, 403), (signed_out, 401)])
def test_a_script_that_loads_slowly_is_published_by_nobody_who_may_not(
    host: HostProcess, alpha: Tenant, change: Callable[[Tenant, Person], None], status: int
) -> None:
    who, path = person(host, alpha, "admin"), f"/v1/integrations/late-{new_id()[:8].lower()}"
    slow = f"import time\n\ntime.sleep(4)\n{COUNTER}"
    with ThreadPoolExecutor(1) as pool:
        begun = pool.submit(who.api.post, path, publication(alpha.id, slow))
        time.sleep(1.5)  # until the script is checked
        change(alpha, who)
        assert begun.result().status == status
    assert alpha.api.get(path).status == 404


def test_a_session_that_ended_submits_no_form(host: HostProcess, alpha: Tenant) -> None:
    who, browser = person(host, alpha, "admin"), Browser(host.url)
    assert browser.submit("/app/sign-in", "/app/sign-in", token=str(who.api.token)).status_code == 303
    place = f"/app/orgs/{alpha.id}/invites"
    hidden = dict(re.findall(r'name="(csrf|once)" value="([\w-]+)"', browser.ask("GET", place).text))
    address = f"form-{who.id.lower()}@example.com"
    cookies = "; ".join(f"{one.name}={one.value}" for one in browser.cookies)
    form = f"csrf={hidden['csrf']}&once={hidden['once']}&emails={address.replace('@', '%40')}&role=admin".encode()
    kind = "application/x-www-form-urlencoded"
    begun = Late(host, "POST", place, form, Cookie=cookies, Content_Type=kind, Origin=host.url)
    removed(alpha, who)
    assert begun.status() == 404
    invites = ok(alpha.api.get(f"/v1/orgs/{alpha.id}/email-invites", limit=1000))["items"]
    assert address not in {one["email"] for one in invites}
