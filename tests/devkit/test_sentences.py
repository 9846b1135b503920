"""What commands say where something small is wrong: what happened, where, and what to do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from devkit.cli import COMMANDS
from tests.conftest import HostProcess, Tenant, tenant
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import SAMPLES, environment


@pytest.mark.parametrize("name", ["check", "hosts", "events", "new", "doctor"])
def test_a_folder_that_was_deleted_is_told_in_a_sentence(name: str, tmp_path: Path) -> None:
    assert name in COMMANDS
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"import os, sys; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); sys.argv[1:] = [{name!r}]\n"
    code += "from devkit.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "the current folder does not exist any more" in done.stderr


def test_an_address_without_its_scheme_is_corrected(shell: Shell) -> None:
    done = shell("whoami", DEVKIT_HOST="docs.example.com", DEVKIT_TOKEN="dk_x")
    assert (done.code, done.err) == (
        2,
        "error: DEVKIT_HOST: `docs.example.com` is not an address; write `https://docs.example.com`\n",
    )
    done = shell("login", "--host", "127.0.0.1:8080", "--token", "dk_x")
    assert "write `http://127.0.0.1:8080`" in done.err
    done = shell("login", "--host", "ftp://127.0.0.1", "--token", "dk_x")
    assert "`ftp://127.0.0.1` must begin with http:// or https://" in done.err


def test_login_without_a_host_says_how_one_is_given_and_takes_it_in_its_place(
    shell: Shell, host: HostProcess, alpha: Tenant
) -> None:
    done = shell("login")
    assert (done.code, "devkit login --host https://docs.example.com" in done.err) == (2, True)
    done = shell("login", DEVKIT_HOST=host.url)
    assert (done.code, f"devkit login --host {host.url}" in done.err) == (2, True)
    assert shell("login", host.url, "--token", str(alpha.api.token)).code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("trigger", "space_content_update"), "did you mean `space_content_updated`?"),
        (("events", "counter", "--type", "site_views"), "did you mean `site_view`?"),
        (("record", "new.yaml", "--type", "taks"), "did you mean `task`?"),
        (("render", "countr", "--project", str(SAMPLES / "counter")), "did you mean `counter`?"),
    ],
)
def test_a_misspelled_name_is_answered_with_the_nearest(arguments: tuple[str, ...], words: str, shell: Shell) -> None:
    done = shell(*arguments)
    assert done.code == 2
    assert (words in done.err, done.err.count("\n")) == (True, 1), done.err


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("login",), "which host?", "Give its address, for example `devkit login --host https://docs.example.com`"),
        (
            ("login", "docs.example.com"),
            "HOST: `docs.example.com` is not an address",
            "write `https://docs.example.com`",
        ),
        (("reindex",), "which host?", "Give `--data DIR`, or `--database-url URL`"),
        (("new", "a", "--template", "blok"), "there is no template `blok`", "did you mean `block`? Templates: block,"),
        (
            ("render", "countr", "--project", str(SAMPLES / "counter")),
            "there is no component `countr`",
            "did you mean `counter`? the script has counter",
        ),
        (
            ("secrets", str(SAMPLES / "counter"), "--set", "KEY"),
            "cannot prompt for KEY",
            "pass its value on standard input",
        ),
    ],
)
def test_programs_read_what_to_do_apart_from_what_happened(
    arguments: tuple[str, ...], message: str, hint: str, shell: Shell
) -> None:
    error = json.loads(shell(*arguments, "--json").err.splitlines()[-1])["error"]
    assert error["message"].startswith(message) and error["hint"].startswith(hint), error


@pytest.mark.parametrize("name", ["events", "logs", "versions", "install"])
def test_a_folder_without_a_project_is_told_before_a_host_is_missed(name: str, shell: Shell) -> None:
    done = shell(name)
    assert (done.code, "no integration.yaml" in done.err) == (1, True), done.err


def test_a_variable_that_the_manifest_does_not_use_is_warned_of(project: Path, tmp_path: Path) -> None:
    manifest = project / "integration.yaml"
    manifest.write_text(manifest.read_text() + "secrets:\n  API_KEY: ${{ env.API_KEY }}\n")

    def put(name: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "devkit", "secrets", "--set", name, "--stdin"],
            env=environment(tmp_path), cwd=project, input="value", capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    assert put("API_KEY").stderr == ""
    done = put("API_KYE")
    assert done.returncode == 0
    assert "integration.yaml uses no variable API_KYE: did you mean `API_KEY`?" in done.stderr


def test_a_backup_names_the_file_that_was_asked_for(shell: Shell, tmp_path: Path) -> None:
    made = shell("init", "--data", "host", "--organization", "One", "--hostname", "one", "--email", "one@example.com")
    assert made.code == 0, made.err
    done = shell("backup", "nowhere/host.zip", "--data", "host")
    assert (done.code, f"there is no folder {tmp_path / 'nowhere'}; create it" in done.err) == (1, True)
    done = shell("backup", "/proc/host.zip", "--data", "host")
    assert (done.code, "error: /proc/host.zip: " in done.err) == (1, True), done.err


def test_a_restore_that_fails_leaves_no_folder(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"no backup")
    done = shell("restore", "bad.zip", "--data", "new/host")
    assert done.code == 1
    assert not (tmp_path / "new").exists()


def test_what_the_doctor_did_not_look_at_is_not_ticked(shell: Shell, project: Path) -> None:
    done = shell("doctor", str(project))
    lines = {line.split(":")[0]: line for line in done.out.splitlines() if ": " in line}
    assert lines["- token"] == "- token: not checked: no host to ask"
    assert not [line for line in done.out.splitlines() if line.startswith("✓") and "no host" in line]


def test_an_integration_on_no_space_says_what_comes_next(
    shell: Shell, host: HostProcess, project: Path, tmp_path: Path
) -> None:
    own = tenant(host, "Empty", "empty-of-next-steps@example.com")
    assert shell("login", "--host", host.url, "--token", str(own.api.token)).code == 0
    name = f"next-{own.id.lower()[:8]}"
    manifest = project / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("name: counter", f"name: {name}"))
    published = shell("publish", str(project), "--yes")
    assert f"Next: `devkit install {name} --all-spaces`" in published.out, published.err
    installed = shell("install", name)
    assert f"yet: create one at {host.url}/app/orgs/{own.id}/content" in installed.out, installed.err
    own.api.post(f"/v1/orgs/{own.id}/spaces", {"title": "A space"})
    assert f"`devkit install {name} --all-spaces" in shell("install", name).out
    done = shell("install", name, "--all-spaces")
    assert (done.code, "yet" in done.out) == (0, False), done.out


def test_tests_that_are_interrupted_end_without_a_traceback(project: Path, tmp_path: Path) -> None:
    (project / "test_slow.py").write_text(
        "import time\nfrom pathlib import Path\n\n\ndef test_slow():\n    Path('begun').touch()\n    time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "devkit", "test"],
        env=environment(tmp_path), cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (project / "begun").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    shown, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert ("KeyboardInterrupt" in shown, "interrupted" in shown) == (False, True), shown
