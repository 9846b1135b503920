"""Nothing secret is kept: not in events, their requests and bodies, nor in what scripts log, through a real host."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import requests

from runtime.store import secrets
from tests import databases
from tests.conftest import COUNTER, HostProcess, Installed, init, installed, tenant, wait_for

KEY = 'the "key" / of ünser door+1'
PIN = "4711"
ACCESS, REFRESH, MARKED = "at-0a1b2c3d4e5f", "rt-5f4e3d2c1b0a", "my door opens"
SCRIPT = (
    COUNTER
    + """
import base64, json
from urllib.parse import quote_plus


@integration.fetch("POST", "/leak")
def leak(request, context):
    key, signing = context.secrets["KEY"], context.environment["signingSecrets"]
    context.log.info("plain %s pin %s mode %s", key, context.secrets["PIN"], context.secrets["MODE"])
    context.log.info("json %s", json.dumps({"told": key, "signing": signing}))
    context.log.info("url %s %s", quote_plus(key), quote_plus(quote_plus(key)))
    context.log.info("basic %s", base64.b64encode(("me:" + key).encode()).decode())
    context.log.info("all %s %s", json.dumps(context.installation), json.dumps(context.environment["apiTokens"]))
    context.log.info("fresh %s", json.dumps({"access_token": "brand-new"}))
    return Response("ok")


@integration.on("installation_setup")
def setup(event, context):
    seen = event.get("previous", {}).get("configuration", {})
    context.log.info("previous has %s", sorted(seen))
    if seen and seen["oauth_credentials"]["access_token"].startswith("at-"):
        context.log.info("it is whole")
        raise ValueError("no: " + seen["oauth_credentials"]["access_token"])
"""
)
CONFIGURATION = {
    "oauth_credentials": {"access_token": ACCESS, "refresh_token": REFRESH},
    "door": MARKED,
    "color": "a nice green",
}
SCREEN = {"properties": {"door": {"type": "string", "secret": True}, "color": {"type": "string"}}}


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    data = tmp_path_factory.mktemp("keeping")
    init(data, "First", "first@example.com")
    process = HostProcess(data, environ={"DEVKIT_RETRY_SECONDS": "0.2"}).start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="module")
def one(keeping: HostProcess) -> Installed:
    owner = tenant(keeping, "Owner", "owner@example.com")
    values = {"KEY": KEY, "PIN": PIN, "MODE": "production"}
    made = installed(owner, SCRIPT, secrets=values, configurations={"account": SCREEN})
    path = f"{made.path}/installations/{made.installation}"
    assert owner.api.call("PATCH", path, {"configuration": CONFIGURATION}).status == 200
    return made


def events(one: Installed, kind: str) -> list[dict[str, Any]]:
    listed = one.owner.api.get(f"{one.path}/events", type=kind).json["items"]
    return [one.owner.api.get(f"{one.path}/events/{item['id']}").json for item in listed]


def test_requests_and_logs_keep_no_secret(one: Installed) -> None:
    shown = one.owner.api.get(f"{one.path}/installations/{one.installation}").json
    query = f"?code=c0de-of-provider&state=st4te&jwt_token=a.b.c&page=2&echo={quote(KEY, safe='')}"
    headers = {"X-Gitlab-Token": "hook-token", "Referer": "https://a.example/?access_token=ref-token", "X-Kind": "k"}
    body = {"pin": 17, "password": "pass-in-body", "note": f"about {KEY}", "kept": "readable"}
    address = f"{shown['urls']['publicEndpoint']}/leak{query}"
    assert requests.post(address, json=body, headers=headers, timeout=20).text == "ok"
    (detail,) = wait_for(lambda: events(one, "fetch"))
    told = json.dumps(detail, ensure_ascii=False)
    for hidden in (
        *(KEY, "key\\", "door+1", "door%2B1", "door%252B1", PIN, ACCESS, REFRESH, MARKED, "c0de-of", "st4te", "a.b.c"),
        *("hook-token", "ref-token", "pass-in-body", "brand-new", "eyJ", base64.b64encode(KEY.encode()).decode()[4:20]),
    ):
        assert hidden not in told, hidden
    assert "mode production" in told
    assert "a nice green" in told
    request = detail["event"]["payload"]["request"]
    assert "page=2" in request["url"]
    assert request["headers"]["x-kind"] == "k"
    assert json.loads(detail["body"])["kept"] == "readable"


def test_what_waits_is_delivered_whole_and_kept_without_secrets(one: Installed, keeping: HostProcess) -> None:
    """The configuration before a change is in its event: each attempt has it, the history does not."""
    path = f"{one.path}/installations/{one.installation}"
    assert one.owner.api.call("PATCH", path, {"configuration": {**CONFIGURATION, "color": "red"}}).status == 200

    def ended() -> list[dict[str, Any]]:
        told = events(one, "installation_setup")
        for detail in told:  # also while it waits for its next attempt
            assert not any(secret in json.dumps(detail) for secret in (ACCESS, REFRESH, MARKED))
        carried = [one for one in told if one["event"]["payload"].get("previous", {}).get("configuration")]
        return [one for one in carried if one["event"]["delivery"]["state"] == "given-up"]

    (detail,) = wait_for(ended)
    assert detail["event"]["delivery"]["attempts"] == 2
    assert "it is whole" in json.dumps(detail["trace"]["logs"])
    kept = detail["event"]["payload"]["previous"]["configuration"]
    assert kept["oauth_credentials"] == {"access_token": "[secret]", "refresh_token": "[secret]"}
    assert (kept["door"], kept["color"]) == ("[secret]", "a nice green")
    assert _stored(keeping.data, detail["event"]["id"])["previous"]["configuration"] == kept


def _stored(data: Path, event: str) -> dict[str, Any]:
    secrets.use_keyring(secrets.load_keyring(data, None))
    ((sealed,),) = databases.ask(data, "SELECT payload FROM events WHERE id = ?", [event])
    stored: dict[str, Any] = json.loads(secrets.decrypt(sealed))
    return stored
