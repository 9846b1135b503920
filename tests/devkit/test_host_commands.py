"""Commands that make a host's database, and commands that talk with a host."""

from __future__ import annotations

import json
import socket
import stat
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from runtime.contract.identifiers import new_id
from tests.conftest import HostProcess, Installed, Tenant, init, tenant, wait_for
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import Ran


def test_init_makes_organizations_and_keeps_their_admin(shell: Shell, tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    first = shell("init", "--data", data, "--organization", "One", "--email", "a@example.com", "--json").json
    assert set(first) == {"organization", "hostname", "user", "token"}
    again = shell("init", "--data", data, "--organization", "One", "--email", "a@example.com", "--json").json
    assert (again["organization"], again["user"]) == (first["organization"], first["user"])
    other = shell("init", "--data", data, "--organization", "Two", "--email", "a@example.com", "--json").json
    assert other["user"] == first["user"]
    assert other["organization"] != first["organization"]
    stranger = shell("init", "--data", data, "--organization", "One", "--email", "b@example.com", "--json").json
    assert stranger["user"] != first["user"]
    assert stranger["organization"] != first["organization"]
    host = HostProcess(Path(data)).start()
    try:
        for created in (first, again, other):
            result = shell("whoami", "--json", DEVKIT_HOST=host.url, DEVKIT_TOKEN=created["token"])
            assert result.json["user"]["id"] == first["user"]
    finally:
        assert host.stop() == 0
    named = shell(
        "init", "--data", data, "--organization", "One", "--email", "a@example.com", "--hostname", "one-of-us", "--json"
    )
    assert (named.json["organization"], named.json["hostname"]) == (first["organization"], "one-of-us")
    taken = shell("init", "--data", data, "--organization", "Three", "--hostname", "one-of-us")
    assert taken.code == 1 and "another organization has the hostname `one-of-us`" in taken.err
    assert shell("init", "--data", data, "--hostname", "No Name").code == 2
    text = shell("init", "--data", data)
    assert text.out.split()[::2] == ["organization", "hostname", "user", "token"]


def test_init_says_what_was_there_before(shell: Shell, tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    one = ("init", "--data", data, "--organization", "One", "--email", "a@example.com")
    assert shell(*one).err == ""
    assert f"{data} already has the organization `One` with the admin a@example.com" in shell(*one).err
    for title in ("Two", "Three", "Four", "Five", "Six"):
        assert shell("init", "--data", data, "--organization", title).code == 0
    added = shell("init", "--data", data, "--organization", "Seven").err
    assert "is already a host, with `One`, `Two`, `Three`, `Four`, `Five` and more; `Seven` was added" in added


def test_init_keeps_its_folder_out_of_git_unless_others_use_it(shell: Shell, tmp_path: Path) -> None:
    shell("init", "--data", str(tmp_path / "host"))
    assert (tmp_path / "host" / ".gitignore").read_text() == "*\n"
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "notes.txt").write_text("mine")
    shell("init", "--data", str(theirs))
    assert not (theirs / ".gitignore").exists()


def test_login_remembers_host_and_token_for_its_owner_only(
    logged_in: Shell, host: HostProcess, alpha: Tenant, tmp_path: Path
) -> None:
    file = tmp_path / ".config" / "devkit" / "credentials.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    name = host.url.removeprefix("http://")
    assert json.loads(file.read_text()) == {
        "default": name,
        "hosts": {name: {"host": host.url, "token": alpha.api.token}},
    }
    body = logged_in("whoami", "--json").json
    assert (body["host"], body["user"]["id"]) == (host.url, alpha.user)
    assert alpha.user in logged_in("whoami").out


@pytest.fixture
def alone(shell: Shell, host: HostProcess) -> Shell:
    """A shell of somebody who is in one organization."""
    one = tenant(host, "Alone", f"{new_id()}@example.com")

    def run(*arguments: str, **environ: str) -> Ran:
        return shell(*arguments, DEVKIT_HOST=host.url, DEVKIT_TOKEN=str(one.api.token), **environ)

    return run


def test_tokens_are_listed_and_revoked(shell: Shell, host: HostProcess) -> None:
    email = f"{new_id()}@example.com"
    first, second, third = (init(host.data, "Tokens", email)["token"] for _ in range(3))
    here = {"DEVKIT_HOST": host.url, "DEVKIT_TOKEN": first}
    listed = shell("tokens", "--json", **here).json["tokens"]
    assert [entry["current"] for entry in listed].count(True) == 1 and len(listed) == 3
    text = shell("tokens", **here).out
    assert all(entry["id"] in text for entry in listed) and text.count("in use here") == 1
    assert not any(token in text + str(listed) for token in (first, second, third))
    other = next(entry["id"] for entry in listed if not entry["current"])
    assert shell("tokens", "--revoke", other, **here).out == f"Revoked {other}.\n"
    removed = shell("tokens", "--revoke", other, **here)
    assert removed.code == 1 and "you have no token" in removed.err
    assert sorted(shell("whoami", DEVKIT_HOST=host.url, DEVKIT_TOKEN=token).code for token in (second, third)) == [0, 1]
    mine = next(entry["id"] for entry in listed if entry["current"])
    body = shell("tokens", "--revoke", mine, "--json", **here).json
    assert body == {"host": host.url, "id": mine, "revoked": True, "current": True}
    assert "revoked" in shell("tokens", **here).err


def test_a_token_is_created_and_shown_once(shell: Shell, host: HostProcess, alpha: Tenant) -> None:
    here = {"DEVKIT_HOST": host.url, "DEVKIT_TOKEN": alpha.api.token}
    made = shell("tokens", "--create", "Build server", "--days", "30", **here)
    note, token = made.out.strip().splitlines()
    assert "(Build server)" in note and "shown only this once" in note
    listed = shell("tokens", DEVKIT_HOST=host.url, DEVKIT_TOKEN=token)
    assert "Build server" in listed.out and "(in use here)" in listed.out and token not in listed.out
    body = shell("tokens", "--create", "For ever", "--days", "0", "--json", **here).json
    assert body["expiresAt"] is None and body["token"].startswith("dk_")
    assert "cannot be combined" in shell("tokens", "--create", "x", "--revoke", "y", **here).err
    assert "title" in shell("tokens", "--create", "  ", **here).err


class Nobody(BaseHTTPRequestHandler):
    """A server that answers with an object, and is no host."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_login_keeps_nothing_that_does_not_work(shell: Shell, host: HostProcess, tmp_path: Path) -> None:
    done = shell("login", "--host", host.url, "--token", "dk_wrong")
    assert done.code == 1
    assert "unknown, revoked or expired. Create a token at" in done.err
    with ThreadingHTTPServer(("127.0.0.1", 0), Nobody) as stranger:
        threading.Thread(target=stranger.serve_forever, daemon=True).start()
        done = shell("login", "--host", f"http://127.0.0.1:{stranger.server_port}", "--token", "dk_any")
        stranger.shutdown()
    assert done.code == 1 and "`displayName` is missing" in done.err
    assert not (tmp_path / ".config").exists()
    assert "write `http://127.0.0.1`" in shell("login", "--host", "127.0.0.1", "--token", "x").err
    done = shell("login", "--host", f"{host.url}/app", "--token", "dk_wrong")
    assert done.code == 1 and f"try `devkit login --host {host.url}`" in done.err


def test_a_damaged_credentials_file_is_reported(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / ".config" / "devkit" / "credentials.json"
    file.parent.mkdir(parents=True)
    for text in ("{", "[]", '{"host": 1}'):
        file.write_text(text)
        done = shell("whoami")
        assert done.code == 1
        assert "run `devkit login` again" in done.err


def test_a_token_never_goes_to_a_host_it_was_not_kept_for(logged_in: Shell) -> None:
    done = logged_in("whoami", "--host", "http://127.0.0.1:1")
    assert done.code == 1
    assert "no token is known for http://127.0.0.1:1" in done.err


def test_publish_and_unpublish(alone: Shell, alpha: Tenant, project: Path) -> None:
    name = f"published-{alpha.id[:6].lower()}"
    manifest = project / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("name: counter", f"name: {name}"))
    first = alone("publish", str(project), "--json").json
    assert (first["name"], first["version"], first["runtime"]) == (name, 1, "python")
    script = project / "integration.py"
    script.write_text(script.read_text().replace("Clicked", "Pressed"))
    assert "version 2" in alone("publish", folder=project / "assets").out
    removed = alone("unpublish", name, "--yes", "--json")
    assert removed.json == {"name": name, "unpublished": True}
    missing = alone("unpublish", name)
    assert (missing.code, f"there is no integration {name}" in missing.err) == (1, True)


def test_publish_asks_which_organization_when_there_are_several(shell: Shell, host: HostProcess, project: Path) -> None:
    both = [
        shell("init", "--data", str(host.data), "--organization", title, "--email", "two@example.com", "--json").json
        for title in ("This one", "That one")
    ]
    known = {"DEVKIT_HOST": host.url, "DEVKIT_TOKEN": both[0]["token"]}
    done = shell("publish", str(project), **known)
    assert done.code == 1
    assert "This one" in done.err
    assert "That one" in done.err
    manifest = project / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("name: counter", "name: chosen-organization"))
    configuration = shell("publish", str(project), "--organization", both[1]["organization"], "--json", **known)
    assert configuration.json["owner"]["id"] == both[1]["organization"], configuration.err


def test_a_script_the_host_refuses_is_reported_with_its_place(alone: Shell, project: Path) -> None:
    script = project / "integration.py"
    script.write_text(script.read_text() + "\ndef broken(:\n")
    done = alone("publish", str(project))
    assert done.code == 1
    assert "integration.py:67:" in done.err
    assert "SyntaxError" in done.err


def test_odd_policies_are_warnings(alone: Shell, shell: Shell, project: Path) -> None:
    manifest = project / "integration.yaml"
    text = manifest.read_text().replace("name: counter", "name: odd-policy")
    manifest.write_text(text + "contentSecurityPolicy:\n  img-src: https://example.com\n  script-src: self\n")
    done = alone("publish", str(project), "--json")
    assert done.code == 0
    assert done.json["name"] == "odd-policy"
    told = json.loads(done.err)["warning"]["message"]
    assert told.startswith("integration.yaml:21:3: contentSecurityPolicy: `script-src`: `self` must be")
    checked = shell("check", str(project), "--json")
    assert (checked.code, checked.json["ok"]) == (0, True)
    assert [(warning["line"], warning["column"]) for warning in checked.json["warnings"]] == [(21, 3)]


def test_trigger_and_logs(logged_in: Shell, counter: Installed, tmp_path: Path) -> None:
    name = ("--integration", counter.name)
    sent = logged_in("trigger", "space_content_updated", "--set", "revisionId=abc", *name, "--json")
    assert len(sent.json["events"]) == 1
    body = tmp_path / "body.json"
    body.write_text(json.dumps({"revisionId": "from-file"}))
    assert logged_in("trigger", "space_content_updated", "--body", str(body), *name).code == 0

    def logged() -> str:
        result = logged_in("logs", counter.name)
        assert result.code == 0, result.err
        return result.out if "revision from-file" in result.out and "revision abc" in result.out else ""

    text = wait_for(logged)
    assert "info  revision abc" in text
    lines = logged_in("logs", counter.name, "--json", "--limit", "1").out.splitlines()
    assert len(lines) == 1
    assert set(json.loads(lines[0])) == {"event", "trace"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--set", "type.deeper=1"), "type is not an object"),
        (("--body", "list.json"), "must contain a JSON object"),
        (("--body", "broken.json"), "is not JSON"),
        (("--set", "revisionId=5"), "event.revisionId"),
    ],
)
def test_trigger_says_what_is_wrong(
    arguments: tuple[str, ...], words: str, logged_in: Shell, counter: Installed, tmp_path: Path
) -> None:
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "broken.json").write_text("{")
    done = logged_in("trigger", "space_content_updated", *arguments, "--integration", counter.name)
    assert done.code == 1
    assert words in done.err


def test_an_event_for_nobody_is_an_error(logged_in: Shell, counter: Installed) -> None:
    done = logged_in("trigger", "page_feedback", "--integration", counter.name)
    assert done.code == 1
    assert "page:feedback:read" in done.err


def test_logs_of_nothing_are_an_error(logged_in: Shell) -> None:
    done = logged_in("logs", "no-such-integration")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)


def test_serve_reports_where_it_listens(shell: Shell, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shell("init", "--data", str(data))
    host = HostProcess(data, "--json").start()
    assert host.stop() == 0
    lines = (data / "host.log").read_text().splitlines()
    assert {"type": "listening", "url": host.url} in [json.loads(line) for line in lines if line.startswith("{")]


@pytest.mark.parametrize(
    ("arguments", "environ", "words"),
    [
        (
            ("--database-url", "sqlite:///here.sqlite"),
            {"DEVKIT_BLOB_URL": "s3://files/here"},
            "set DEVKIT_SECRET_KEY",
        ),
        (
            ("--database-url", "sqlite:////nowhere/at/all.sqlite", "--data", "data"),
            {"DEVKIT_SECRET_KEY": "a text that is long enough"},
            "unable to open database file",
        ),
        (
            ("--database-url", "sqlite:////nowhere/at/all.sqlite"),
            {"DEVKIT_SECRET_KEY": "a text that is long enough"},
            "give a data folder (--data DIR) or object storage (DEVKIT_BLOB_URL) for files",
        ),
        *(
            (("--data", "data"), {"DEVKIT_SECRET_KEY": key}, f"DEVKIT_SECRET_KEY {words}: it must have at least 16")
            for key, words in (
                ("fifteen charact", "has 15 characters"),
                ("short           ", "has 5 characters"),
                (" " * 32, "has 0 characters"),
                ("a" * 16, "repeats the same few characters"),
                ("abab" * 10, "repeats the same few characters"),
            )
        ),
    ],
)
def test_serve_says_why_it_cannot_start(
    arguments: tuple[str, ...], environ: dict[str, str], words: str, shell: Shell
) -> None:
    done = shell("serve", *arguments, "--sandbox", "off", **environ)
    assert done.code == (2 if "give a data folder" in words else 1)
    assert words in done.err
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err


def test_serve_refuses_settings_that_no_host_could_have(shell: Shell) -> None:
    done = shell("serve")
    assert (done.code, "give a data folder" in done.err) == (2, True)
    done = shell("serve", "--data", "data", DEVKIT_WALL_SECONDS="soon")
    assert (done.code, "DEVKIT_WALL_SECONDS='soon' cannot be read as float" in done.err) == (2, True)
    done = shell("serve", "--data", "data", "--database-url", "postgresql//me:hush@host")
    assert (done.code, "--database-url" in done.err, "hush" in done.err) == (2, True, False)


@pytest.mark.parametrize(
    ("address", "cure"),
    [("203.0.113.9", "another --host"), ("nowhere.invalid", "another --host"), ("127.0.0.1", "another --port")],
)
def test_where_a_host_cannot_listen_the_error_says_which_option_is_wrong(
    shell: Shell, tmp_path: Path, address: str, cure: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = shell("serve", "--data", str(tmp_path / "data"), "--port", port, "--host", address)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert f"cannot listen on {address}:{port}: " in done.err and done.err.endswith(f"choose {cure}\n")
