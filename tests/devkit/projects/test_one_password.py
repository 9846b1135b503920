"""References into 1Password: read with its program where it is, and missing where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from devkit.manifests.findings import InvalidProject
from devkit.projects.project import load, secrets
from devkit.terminal.output import Problem
from tests.devkit.projects.manifest import GOOD, write

PROGRAM = """#!/bin/sh
echo "$@" >> "$0.calls"
case "$3" in
  op://vault/locked/key) echo "[ERROR] you are not currently signed in" >&2; exit 1 ;;
  *) printf 'value of %s' "$3" ;;
esac
"""
REFERENCES = """secrets:
  A: ${{ "op://vault/item/key" }}
  B: "Bearer ${{ 'op://vault/item/two words' }}"
  C: ${{ op://vault/item/key }}
"""


@pytest.fixture
def op(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "bin" / "op"
    program.parent.mkdir()
    program.write_text(PROGRAM)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("DEVKIT_ALLOW_ENV", "op://vault/*")
    return program.with_name("op.calls")


def test_references_are_read_when_secrets_are_needed(tmp_path: Path, op: Path) -> None:
    project = load(str(write(tmp_path, GOOD + REFERENCES)))
    assert not op.exists()
    assert secrets(project) == {
        "A": "value of op://vault/item/key",
        "B": "Bearer value of op://vault/item/two words",
        "C": "value of op://vault/item/key",
    }
    # Who has to be asked is asked once.
    assert op.read_text().splitlines() == [
        "read --no-newline op://vault/item/key",
        "read --no-newline op://vault/item/two words",
    ]


def test_references_that_nobody_allowed_are_not_read(tmp_path: Path, op: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVKIT_ALLOW_ENV", "op://vault/other/*")
    with pytest.raises(InvalidProject) as caught:
        secrets(load(str(write(tmp_path, GOOD + REFERENCES))))
    assert "`devkit secrets --allow op://vault/item/key` lets it" in str(caught.value.findings[0])
    assert not op.exists()


def test_what_the_program_refuses_is_told(tmp_path: Path, op: Path) -> None:
    project = load(str(write(tmp_path, GOOD + 'secrets:\n  A: ${{ "op://vault/locked/key" }}\n')))
    with pytest.raises(Problem, match=r"could not read op://vault/locked/key: .*not currently signed in; `op signin`"):
        secrets(project)


def test_without_the_program_they_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidProject) as caught:
        secrets(load(str(write(tmp_path, GOOD + REFERENCES))))
    assert len(caught.value.findings) == 3
    assert "`op://vault/item/key` is in 1Password, but its command line `op` is not installed" in str(
        caught.value.findings[0]
    )


@pytest.mark.parametrize("text", ["${{ secrets.KEY }}", "${{ env.A B }}", "x${{ }}", "${{ op:/vault }}"])
def test_other_expressions_are_not_published_as_text(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidProject) as caught:
        secrets(load(str(write(tmp_path, GOOD + f"secrets:\n  A: '{text}'\n"))))
    assert "is not understood; write `${{ env.NAME }}`" in str(caught.value.findings[0])
