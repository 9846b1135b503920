"""An integration's life over HTTP: published, installed, configured, paused, uninstalled, unpublished."""

from __future__ import annotations

import base64
import io
import time
import zipfile
from typing import Any

import pytest
import requests

from tests import databases
from tests.conftest import COUNTER, HostProcess, Installed, Tenant, installed, publication, wait_for

SCHEMA = {"account": {"properties": {"key": {"type": "string"}}, "required": ["key"]}}


def events(one: Installed, kind: str) -> list[dict[str, Any]]:
    items = one.owner.api.get(f"{one.path}/events", limit=1000).json["items"]
    return [item["payload"] for item in items if item["payload"]["type"] == kind]


def test_publishing_again_makes_a_new_version_and_a_broken_script_changes_nothing(alpha: Tenant) -> None:
    one = installed(alpha)
    changed = COUNTER.replace("Clicked", "Pressed")
    second = alpha.api.post(one.path, publication(alpha.id, changed))
    assert second.json["version"] == 2
    assert "Pressed 0 times" in one.render().text
    for script, says in (
        ("def broken(:\n    pass", "integration.py:1:12"),
        ("import nothing_of_this_name", "nothing_of_this_name"),
        ("from runtime.sdk import Integration", "Integration"),
        ("raise ValueError('at load')", "at load"),
        ("export default { async fetch() {} }", "JavaScript"),
    ):
        refused = alpha.api.post(one.path, publication(alpha.id, script))
        assert refused.status == 400
        assert says in refused.json["error"]["message"], refused.text
        assert "Traceback" not in refused.text
    assert alpha.api.get(one.path).json["version"] == 2
    assert "Pressed 0 times" in one.render().text


def test_a_python_script_published_for_another_runtime_is_refused_with_a_sentence(alpha: Tenant) -> None:
    refused = alpha.api.post("/v1/integrations/wrong-runtime", publication(alpha.id, runtime="v1"))
    assert refused.status == 400
    assert "python" in refused.json["error"]["message"]


def test_a_folder_travels_as_a_zip(alpha: Tenant) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("words.py", "WORD = 'from another module'")
        archive.writestr(
            "main.py",
            "from words import WORD\nfrom runtime.sdk import Integration, ui\nintegration = Integration()\n"
            "@integration.component('counter')\ndef counter(element):\n    return ui.block(ui.text(WORD))\n",
        )
    code = "data:application/zip;base64," + base64.b64encode(buffer.getvalue()).decode()
    one = installed(alpha, code, entry="main.py")
    assert "from another module" in one.render().text


def test_a_call_in_flight_finishes_on_the_old_version(alpha: Tenant) -> None:
    slow = COUNTER + (
        "\nimport time\n@integration.fetch('GET', '/slow')\ndef slow(request):\n"
        "    time.sleep(1.5)\n    return Response('old')\n"
    )
    one = installed(alpha, slow)
    endpoint = alpha.api.get(one.path).json["urls"]["publicEndpoint"]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(requests.get, f"{endpoint}/slow", timeout=30)
        time.sleep(0.5)  # until the call has begun, which takes 1.5 s
        assert alpha.api.post(one.path, publication(alpha.id, slow.replace("'old'", "'new'"))).status == 200
        assert running.result().text == "old"
    assert requests.get(f"{endpoint}/slow", timeout=30).text == "new"


def test_installations_are_pending_until_they_are_configured(alpha: Tenant) -> None:
    one = installed(alpha, configurations=SCHEMA)
    path = f"{one.path}/installations/{one.installation}"
    assert alpha.api.get(path).json["status"] == "pending"
    changed = alpha.api.call("PATCH", path, {"configuration": {"key": "x"}, "externalIds": ["a", "b"]})
    assert changed.json["status"] == "active"
    assert changed.json["configuration"] == {"key": "x"}
    assert changed.json["externalIds"] == ["a", "b"]
    told = wait_for(lambda: [one for one in events(one_(one), "installation_setup") if "previous" in one])
    assert told[0]["status"] == "active"
    assert told[0]["previous"] == {"status": "pending", "configuration": {}}
    paused = alpha.api.call("PATCH", path, {"status": "paused"})
    assert paused.json["status"] == "paused"
    sent = alpha.api.post(f"{one.path}/events", {"event": {"type": "space_content_updated", "revisionId": "r"}})
    assert sent.json == {"events": [], "reason": "the installation is paused"}
    assert alpha.api.call("PATCH", path, {"status": "active"}).json["status"] == "active"


def one_(value: Installed) -> Installed:
    return value


def test_selecting_everything_installs_on_what_is_there_and_what_comes(alpha: Tenant) -> None:
    name = installed(alpha).name
    made = alpha.api.get(f"/v1/orgs/{alpha.id}/installations", search=name).json["items"][0]["installation"]
    path = f"/v1/integrations/{name}/installations/{made['id']}"
    before = alpha.api.get(f"{path}/spaces", limit=1000).json["count"]
    changed = alpha.api.call("PATCH", path, {"space_selection": "all"})
    spaces = alpha.api.get(f"/v1/orgs/{alpha.id}/spaces", limit=1000).json["count"]
    assert changed.json["spaces"] == spaces >= before
    new = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"title": "Later"}).json["id"]
    assert alpha.api.get(f"{path}/spaces/{new}").status == 200


def test_uninstalling_tells_the_script_of_each_part(alpha: Tenant) -> None:
    one = installed(alpha)
    assert alpha.api.call("DELETE", f"{one.path}/installations/{one.installation}").status == 205
    for kind in ("space_installation_deleted", "site_installation_deleted", "installation_deleted"):
        told = wait_for(lambda kind=kind: events(one, kind))
        assert told[0]["previous"] == {"configuration": {}}
    assert one.render().status == 404
    again = alpha.api.post(f"{one.path}/installations", {"organization": alpha.id})
    assert again.status == 201 and again.json["id"] != one.installation


def test_unpublishing_ends_everything(alpha: Tenant) -> None:
    one = installed(alpha)
    endpoint = alpha.api.get(one.path).json["urls"]["publicEndpoint"]
    assert requests.get(f"{endpoint}/hello", timeout=10).status_code == 200
    assert alpha.api.call("DELETE", one.path).status == 205
    assert alpha.api.get(one.path).status == 404
    assert requests.get(f"{endpoint}/hello", timeout=10).status_code == 404
    assert one.render().status == 404


def test_names_are_taken_once(alpha: Tenant, beta: Tenant) -> None:
    one = installed(alpha)
    answer = beta.api.post(one.path, publication(beta.id))
    assert answer.status == 403
    assert alpha.api.get(one.path).json["version"] == 1


def test_private_integrations_are_hidden_and_public_ones_are_not(alpha: Tenant, beta: Tenant) -> None:
    hidden, shown = installed(alpha, visibility="private"), installed(alpha, visibility="public")
    assert beta.api.get(hidden.path).status == 404
    seen = beta.api.get(shown.path).json
    assert seen["permissions"] == {"admin": False, "install": True}
    listed = [item["name"] for item in beta.api.get("/v1/integrations", limit=1000).json["items"]]
    assert shown.name in listed and hidden.name not in listed
    theirs = beta.api.post(f"{shown.path}/installations", {"organization": beta.id})
    assert theirs.status == 201
    assert alpha.api.get(f"{shown.path}/installations/{theirs.json['id']}").status == 404


def test_filters_of_the_integration_list(alpha: Tenant) -> None:
    one = installed(alpha, visibility="public", categories=["analytics"], target="space", scopes=["space:content:read"])

    def found(**query: Any) -> bool:
        return one.name in [
            item["name"] for item in alpha.api.get("/v1/integrations", limit=1000, **query).json["items"]
        ]

    assert found(search=one.name[5:9]) and not found(search="no such thing")
    assert found(category="analytics") and not found(category="marketing")
    assert found(blocks="true") and not found(blocks="false")
    assert found(contentSources="false") and not found(contentSources="true")
    assert found(scope="space:content:read") and not found(scope="site:views:read")
    assert found(target="space") and not found(target="site")
    assert found(owner=alpha.id) and not found(owner="somebody")
    assert not found(search="%") and not found(search="_")


@pytest.mark.parametrize(
    ("signature", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image/webp"),
    ],
)
def test_pictures_are_served_as_what_they_are(alpha: Tenant, signature: bytes, kind: str) -> None:
    picture = signature + b"x" * 100
    text = base64.b64encode(picture).decode()
    one = installed(alpha, icon=text, previewImages=[text])
    shown = alpha.api.get(one.path).json
    for url in (shown["urls"]["icon"], shown["previewImages"][0]):
        answer = requests.get(url, timeout=10)
        assert answer.content == picture
        assert answer.headers["Content-Type"] == kind and answer.headers["X-Content-Type-Options"] == "nosniff"
    assert requests.get(shown["urls"]["assets"] + "/1/../../secret.key", timeout=10).status_code == 404


def test_what_is_no_picture_is_not_published(alpha: Tenant) -> None:
    for content in (b"", b"<svg onload=alert(1)>", b"RIFF\x00\x00\x00\x00WAVE", b"\x89PNG"):
        body = publication(alpha.id, COUNTER, icon=base64.b64encode(content).decode())
        refused = alpha.api.post("/v1/integrations/test-no-picture", body)
        assert refused.status == 400 and "icon: it is not an image in PNG, JPEG, GIF or WebP" in refused.text


def test_the_policy_is_normalised_and_listed(alpha: Tenant) -> None:
    policy = {"script-src": "\n  self\n  https://cdn.example.com;\n", "connect-src": "'self' https:;"}
    one = installed(alpha, contentSecurityPolicy=policy)
    listed = alpha.api.get(f"/v1/orgs/{alpha.id}/sites/{one.site}/integration-scripts").json
    assert [entry["contentSecurityPolicy"] for entry in listed] == [
        "script-src 'self' https://cdn.example.com; connect-src 'self' https:"
    ]
    assert listed[0]["cookies"] is False
    assert one.render().headers["Content-Security-Policy"] == listed[0]["contentSecurityPolicy"]
    script = requests.get(listed[0]["script"], timeout=10)
    assert script.status_code == 200
    assert script.headers["Content-Type"].startswith("application/javascript")
    assert script.headers["Content-Security-Policy"] == listed[0]["contentSecurityPolicy"]


def test_the_script_address_changes_with_version_and_configuration(alpha: Tenant) -> None:
    one = installed(alpha)
    path = f"/v1/orgs/{alpha.id}/sites/{one.site}/integration-scripts"
    seen = {alpha.api.get(path).json[0]["script"]}
    part = f"{one.path}/installations/{one.installation}/sites/{one.site}"
    assert alpha.api.call("PATCH", part, {"configuration": {"id": "1"}}).status == 200
    seen.add(alpha.api.get(path).json[0]["script"])
    assert alpha.api.post(one.path, publication(alpha.id)).status == 200
    seen.add(alpha.api.get(path).json[0]["script"])
    assert len(seen) == 3


def test_the_owner_of_an_integration_does_not_see_what_others_configured(alpha: Tenant, beta: Tenant) -> None:
    one = installed(alpha, visibility="public")
    made = beta.api.post(f"{one.path}/installations", {"organization": beta.id}).json["id"]
    for word in ("first-secret", "second-secret"):
        beta.api.call("PATCH", f"{one.path}/installations/{made}", {"configuration": {"token": word}})
    told = wait_for(lambda: len(found := events(one, "installation_setup")) == 4 and found)
    assert [payload["previous"]["configuration"] for payload in told if "previous" in payload] == [{}, {}]
    listed = alpha.api.get(f"{one.path}/events").json["items"]
    for item in listed:
        assert "secret" not in alpha.api.get(f"{one.path}/events/{item['id']}").text


def test_secrets_stay_inside(host: HostProcess, alpha: Tenant) -> None:
    secret = "s3cr3t-value-that-nobody-sees"
    script = COUNTER + (
        "\n@integration.fetch('GET', '/leak')\ndef leak(context):\n"
        "    context.log.info('it is %s', context.secrets['KEY'])\n    print(context.environment['apiTokens'])\n"
        "    return Response('ok')\n"
    )
    one = installed(alpha, script, secrets={"KEY": secret})
    path = f"{one.path}/installations/{one.installation}"
    for number in range(2):
        alpha.api.call("PATCH", path, {"configuration": {"token": f"configured-{number}-{secret}"}})
    endpoint = alpha.api.get(one.path).json["urls"]["publicEndpoint"]
    headers = {"Authorization": "Bearer visitor-credential", "Cookie": "session=visitor-cookie"}
    assert requests.get(f"{endpoint}/leak", headers=headers, timeout=10).text == "ok"
    listed = wait_for(
        lambda: [e for e in alpha.api.get(f"{one.path}/events").json["items"] if e["payload"]["type"] == "fetch"]
    )
    detail = alpha.api.get(f"{one.path}/events/{listed[0]['id']}")
    assert "it is [secret]" in detail.text
    for hidden in (secret, "visitor-credential", "visitor-cookie", "eyJ"):
        assert hidden not in detail.text
    assert secret not in alpha.api.get(one.path).text
    assert secret.encode() not in databases.everything_in(host.data)
    assert (host.data / "secret.key").stat().st_mode & 0o077 == 0


def test_a_selection_alone_is_changed(alpha: Tenant) -> None:
    one = installed(alpha)
    path = f"{one.path}/installations/{one.installation}"
    for selection in ("all", "selected", "all"):
        for kind in ("space_selection", "site_selection"):
            assert alpha.api.call("PATCH", path, {kind: selection}).json[kind] == selection
            assert alpha.api.get(path).json[kind] == selection
    # Else it would be on every site that other tests make.
    assert alpha.api.call("DELETE", path).status == 205
