"""`devkit check`: everything that can be known without a host."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.devkit.conftest import Shell
from tests.devkit.dev_process import SAMPLES


@pytest.mark.parametrize("name", sorted(path.parent.name for path in SAMPLES.glob("*/integration.yaml")))
def test_the_samples_have_no_fault(name: str, shell: Shell) -> None:
    done = shell("check", str(SAMPLES / name))
    assert (done.code, done.out, done.err) == (0, f"{name}: no problem found.\n", "")


def test_a_fault_in_the_script_is_shown_with_its_line(shell: Shell, project: Path) -> None:
    script = project / "integration.py"
    script.write_text(script.read_text().replace("def reset(element):", "def reset(element)"))
    done = shell("check", str(project))
    assert done.code == 1
    assert done.err.startswith("error: integration.py:34:19: SyntaxError: expected ':'")
    assert done.out.splitlines() == ["    def reset(element)", " " * 22 + "^"]
    finding = shell("check", str(project), "--json").json["findings"][0]
    assert (finding["file"], finding["line"], finding["column"]) == ("integration.py", 34, 19)
    assert finding["source"] == "def reset(element)"


def test_every_fault_of_a_manifest_is_listed(shell: Shell, project: Path) -> None:
    manifest = project / "integration.yaml"
    manifest.write_text(
        manifest.read_text().replace("title: Counter\nd", "title: C\nd").replace("target: space", "target: x")
    )
    done = shell("check", str(project), "--json")
    assert (done.code, done.json["ok"], done.json["name"]) == (1, False, None)
    assert [one["line"] for one in done.json["findings"]] == [2, 11]


def test_what_the_manifest_promises_must_be_registered(shell: Shell, project: Path) -> None:
    manifest = project / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("- id: counter", "- id: missing"))
    done = shell("check", str(project), "--json")
    assert done.code == 1
    finding = done.json["findings"][0]
    assert (finding["line"], finding["message"]) == (
        16,
        "the script registers no component `missing`; it has counter, set_count",
    )
