"""`devkit secrets`: names and sources, never a value."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from devkit.projects import environments
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import Ran, environment

HUSH = "s3cret-v4lue"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "integration.yaml").write_text(
        "name: shop\ntitle: Shop\nscript: integration.py\nscopes: []\nsecrets:\n"
        "  KEY: ${{ env.API_KEY }}\n  BOTH: ${{ env.API_KEY }}-${{ env.OTHER }}\n"
        "envs:\n  staging:\n    secrets:\n      KEY: ${{ env.STAGING_KEY }}\n"
    )
    (folder / "integration.py").write_text("")
    return folder


def test_it_lists_where_values_come_from(shell: Shell, shop: Path) -> None:
    (shop / ".env").write_text(f"API_KEY={HUSH}\n")
    done = shell("secrets", str(shop))
    assert (done.code, done.out) == (1, "KEY: API_KEY (.env)\nBOTH: API_KEY (.env), OTHER (missing)\n")
    result = shell("secrets", str(shop), "--json", OTHER=HUSH, API_KEY=HUSH, DEVKIT_ALLOW_ENV="OTHER API_KEY")
    assert result.json == {
        "ok": True,
        "secrets": [
            {"name": "KEY", "variables": {"API_KEY": "the process's environment"}, "written": False},
            {
                "name": "BOTH",
                "variables": {"API_KEY": "the process's environment", "OTHER": "the process's environment"},
                "written": False,
            },
        ],
    }
    staged = shell(
        "secrets", str(shop), "--env", "staging", OTHER="x", STAGING_KEY=HUSH, DEVKIT_ALLOW_ENV="OTHER,STAGING_*"
    )
    assert staged.out.startswith("KEY: STAGING_KEY (the process's environment)\n")
    assert all(HUSH not in entry.out + entry.err for entry in (done, result, staged))
    assert shell("secrets", str(shop), DEVKIT_ENV="staging", OTHER="x").code == 1


@pytest.mark.parametrize(("terminal", "said"), [(True, "not allowed"), (False, "the process's environment")])
def test_an_environment_is_taken_as_it_stands_where_nobody_sits_at_a_terminal(
    terminal: bool, said: str, shop: Path, tmp_path: Path
) -> None:
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "devkit", "secrets", str(shop)],
            env=environment(tmp_path, API_KEY=HUSH, OTHER=HUSH),
            stdin=slave if terminal else subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        os.close(master)
        os.close(slave)
    assert done.returncode == int(terminal) and f"API_KEY ({said})" in done.stdout


def test_a_project_reads_of_its_authors_own_what_was_allowed(shell: Shell, shop: Path, tmp_path: Path) -> None:
    """Whoever clones a project did not write its manifest, which may name any variable."""
    known = {"API_KEY": HUSH, "OTHER": HUSH, "DEVKIT_ALLOW_ENV": ""}
    done = shell("secrets", str(shop), **known)
    assert (done.code, done.out.splitlines()[0]) == (1, "KEY: API_KEY (not allowed)")
    manifest = shop / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("title: Shop", "title: Shop ${{ env.API_KEY }}"))
    refused = shell("check", str(shop), **known)
    assert refused.code == 1 and HUSH not in refused.out + refused.err
    assert "the variable `API_KEY` is in your environment" in refused.out + refused.err
    manifest.write_text(manifest.read_text().replace("title: Shop ${{ env.API_KEY }}", "title: Shop"))
    assert shell("secrets", str(shop), "--allow", "API_KEY", "--allow", "OTH*").code == 0
    assert shell("secrets", str(shop), **known).code == 0
    kept = tmp_path / ".config" / "devkit" / "allowed.json"
    assert kept.stat().st_mode & 0o777 == 0o600 and HUSH not in kept.read_text()
    other = tmp_path / "another"
    shutil.copytree(shop, other)
    assert shell("secrets", str(other), **known).code == 1
    # A file of the project that names a variable takes nothing either, and what was taken instead is told.
    (other / ".env").write_text("API_KEY=its own\nOTHER=its own\n")
    told = shell("check", str(other), **known)
    assert "taken from .env, not from your environment" in told.out
    assert shell("secrets", str(shop), "--withdraw", "API_KEY", "--json").json == {"allowed": ["OTH*"]}
    assert shell("secrets", str(shop), **known).code == 1
    kept.write_text("[]")
    assert "run `devkit secrets --allow` again" in shell("secrets", str(shop), **known).err


def put(shop: Path, home: Path, value: str, *options: str) -> Ran:
    command = [sys.executable, "-m", "devkit", "secrets", str(shop), "--stdin", *options]
    done = subprocess.run(command, input=value, env=environment(home), capture_output=True, text=True, timeout=60)
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("value", [HUSH, "with spaces", "quo'te\"s", "#hash=1", "a$b${c}", "ünï"])
def test_a_value_goes_into_a_file_that_only_the_author_reads(shop: Path, tmp_path: Path, value: str) -> None:
    (shop / ".gitignore").write_text("*.pyc\n")
    done = put(shop, tmp_path, value + "\n", "--set", "API_KEY")
    assert (done.code, done.err) == (0, "")
    assert value not in done.out
    file = shop / ".env"
    assert file.stat().st_mode & 0o777 == 0o600
    assert (shop / ".gitignore").read_text() == "*.pyc\n.env\n"

    assert environments.variables(shop, None)["API_KEY"].value == value
    assert put(shop, tmp_path, "second", "--set", "API_KEY").code == 0
    assert environments.variables(shop, None)["API_KEY"].value == "second"
    assert (shop / ".gitignore").read_text() == "*.pyc\n.env\n"


def test_an_environment_has_a_file_of_its_own(shop: Path, tmp_path: Path) -> None:
    done = put(shop, tmp_path, HUSH, "--set", "STAGING_KEY", "--env", "staging", "--json")
    assert done.json == {"name": "STAGING_KEY", "file": ".env.staging"}
    assert not (shop / ".env").exists()


@pytest.mark.parametrize(
    ("options", "value", "sentence"),
    [
        (("--set", "no name"), HUSH, "is not a variable name"),
        (("--set", "API_KEY"), "", "got no value"),
        (("--set", "API_KEY"), "x" * 10_001, "longer than 10000"),
        ((), HUSH, "--stdin is for --set"),
    ],
)
def test_what_it_refuses(shop: Path, tmp_path: Path, options: tuple[str, ...], value: str, sentence: str) -> None:
    done = put(shop, tmp_path, value, *options)
    assert (done.code != 0, sentence in done.err, done.err.count("\n"), done.out) == (True, True, 1, "")
    assert not (shop / ".env").exists()


def test_nobody_to_ask_and_a_folder_that_cannot_be_written(shell: Shell, shop: Path, tmp_path: Path) -> None:
    done = shell("secrets", str(shop), "--set", "API_KEY")
    assert (done.code, "pass its value on standard input" in done.err) == (2, True)
    (shop / ".env").mkdir()
    refused = put(shop, tmp_path, HUSH, "--set", "API_KEY")
    assert (refused.code, "cannot be written" in refused.err, HUSH in refused.err) == (1, True, False)
    assert not any((shop / ".env").iterdir())


def test_secrets_of_an_environment_count_as_declared(shell: Shell, shop: Path) -> None:
    manifest = shop / "integration.yaml"
    manifest.write_text(manifest.read_text() + "      ONLY_STAGED: ${{ env.STAGED }}\n")
    script = "from runtime.sdk import Integration\n\nintegration = Integration()\n\n\n@integration.fetch()\n"
    read = 'context.environment.secrets["{}"]'
    uses = f"def answer(request, context):\n    return {read.format('ONLY_STAGED')} + {read.format('KEY')}\n"
    (shop / "integration.py").write_text(script + uses)
    found = shell("check", str(shop), "--json", API_KEY="x", OTHER="x", DEVKIT_ALLOW_ENV="*").json
    rules = [finding["rule"] for finding in found["findings"] + found["warnings"]]
    assert rules == ["secret-unused"]  # BOTH


@pytest.mark.parametrize("name", [".env", ".env.staging"])
def test_a_link_out_of_the_project_is_no_file_of_variables(shell: Shell, shop: Path, tmp_path: Path, name: str) -> None:
    """A repository may hold one to what its author keeps elsewhere, or to the environment itself."""
    env = ["--env", "staging"] if name != ".env" else []
    outside = tmp_path / "credentials"
    outside.write_text(f"[default]\nAPI_KEY = {HUSH}\n")
    for target in (Path("..", "credentials"), outside, Path("/proc/self/environ"), tmp_path / "not-there"):
        (shop / name).symlink_to(target)
        for done in (shell("secrets", str(shop), *env), put(shop, tmp_path, "value", "--set", "API_KEY", *env)):
            assert done.code == 1 and f"{name} is a link to" in done.err and HUSH not in done.out + done.err
        (shop / name).unlink()
    assert HUSH in outside.read_text() and not (tmp_path / "not-there").exists()
    (shop / "own").write_text("API_KEY=a\nOTHER=b\nSTAGING_KEY=c\n")
    (shop / name).symlink_to("own")
    assert shell("secrets", str(shop), *env).code == 0
