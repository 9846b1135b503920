"""Every fault of a manifest: its place, and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from devkit.manifests.faults import EXAMPLES, judge
from devkit.manifests.findings import InvalidProject
from devkit.manifests.reading import parse, read
from devkit.projects.folder import find_folder
from devkit.terminal.output import Problem
from runtime.contract.manifest import ProjectManifest
from tests.devkit.conftest import Shell
from tests.devkit.manifests.manifests_with_faults import BLOCKS, FAULTS, FORM, POLICY, findings
from tests.devkit.projects.manifest import GOOD


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_reported_with_its_place_and_its_cure(name: str) -> None:
    text, line, column, cure = FAULTS[name]
    report = findings(text)
    matching = [
        finding for finding in report if (finding.line, finding.column) == (line, column) and cure in finding.message
    ]
    assert matching, [entry.sentence for entry in report]
    assert matching[0].rule.startswith("manifest-")
    others = [finding for finding in report if (finding.line, finding.column) != (line, column)]
    assert not others, [other.sentence for other in others]


def test_a_variable_that_is_not_text_is_reported() -> None:
    text = parse("m.yaml", GOOD + "summary: x\n")
    text.value["summary"] = "a\udcff"  # as a variable of the environment has a byte that is not UTF-8
    manifest, findings = judge(text)
    assert manifest is None
    assert [(finding.line, finding.column, finding.rule) for finding in findings] == [(6, 10, "manifest-type")]
    assert findings[0].message.startswith("`summary` has a byte that is not UTF-8")


def test_whatever_the_model_refuses_has_a_reason() -> None:
    text = parse("m.yaml", GOOD + "blocks:\n" + "".join(f"  - {{id: b{n}, title: abc}}\n" for n in range(3)))
    text.value["blocks"][0]["icon"] = "x" * 3_000_000  # as a file that is put in has
    manifest, findings = judge(text)
    assert manifest is None
    assert [finding.message for finding in findings if finding.level == "error"]


def test_a_good_manifest_has_no_findings() -> None:
    for text in (GOOD, BLOCKS, FORM, POLICY):
        manifest, findings = judge(parse("m.yaml", text))
        assert isinstance(manifest, ProjectManifest)
        assert findings == []


def test_what_hosts_leave_out_is_a_warning_only() -> None:
    manifest, findings = judge(parse("m.yaml", GOOD + "color: red\n"))
    assert manifest is not None
    assert [one.level for one in findings] == ["warning"]


def test_what_is_merged_in_counts_as_written() -> None:
    text = BLOCKS.replace("  - id: one", "  - &one\n    id: one") + "  - <<: *one\n    id: two\n"
    manifest, findings = judge(parse("m.yaml", text))
    assert findings == []
    assert manifest is not None
    assert [(block.id, block.title) for block in manifest.blocks] == [("one", "One block"), ("two", "One block")]  # type: ignore[union-attr]


def test_a_mark_at_the_beginning_is_read_over_and_other_encodings_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "integration.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert judge(read(file))[1] == []
    for content, place, cure in (
        (GOOD.encode() + b"summary: caf\xe9\n", (6, 13), "the byte 0xe9 is not UTF-8; save the manifest as UTF-8"),
        (GOOD.encode("utf-16"), (1, 1), "the file is UTF-16; save the manifest as UTF-8"),
    ):
        file.write_bytes(content)
        with pytest.raises(InvalidProject) as caught:
            read(file)
        findings = caught.value.findings[0]
        assert (findings.line, findings.column, findings.message) == (*place, cure)


def test_a_link_out_of_the_project_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "credentials").write_text("KEY=secret\n")
    project = tmp_path / "project"
    project.mkdir()
    manifest = project / "integration.yaml"
    manifest.symlink_to(tmp_path / "credentials")
    with pytest.raises(Problem, match=r"integration\.yaml is a link to .*, outside the project") as refused:
        read(manifest)
    assert "secret" not in str(refused.value)
    for named in (str(project), str(manifest)):
        assert find_folder(named) == (project.resolve(), project.resolve() / "integration.yaml")
    (project / "own.yaml").write_text(GOOD)
    manifest.unlink()
    manifest.symlink_to(project / "own.yaml")
    assert read(manifest).value["name"]


def test_examples_are_good_themselves() -> None:
    inside = {"componentId", "properties", "required", "type", "enum", "callback_url", "completion_url", "button_text"}
    inside |= {"id", "url", "label", "urlUnfurl", "markdown", "codeblock", "body", "configuration"}
    for key, line in EXAMPLES.items():
        assert isinstance(parse("m.yaml", line + "\n").value, dict), line
        if key not in inside:
            rest = "".join(line for line in GOOD.splitlines(keepends=True) if not line.startswith(f"{key}:"))
            assert findings(f"{rest}{line}\n") == [], line


def test_all_faults_are_reported_at_once_by_the_command(shell: Shell, tmp_path: Path) -> None:
    text = GOOD.replace("title: Sample", "titel: Sample").replace("[]", "[site:view:read]") + (
        "visibility: publik\nblocks:\n  - id: one\n    title: O\n  - id: one\n    title: Two\n    color: red\n"
        "runtime: 3\n"
    )
    (tmp_path / "integration.yaml").write_text(text)
    (tmp_path / "integration.py").touch()
    done = shell("check", str(tmp_path), "--json")
    assert done.code == 1
    places = [(finding["line"], finding["column"]) for finding in done.json["findings"]]
    assert places == [(2, 1), (5, 10), (6, 13), (9, 12), (10, 9), (13, 10)]
    assert [(warning["line"], warning["column"]) for warning in done.json["warnings"]] == [(12, 5)]
    plain = shell("check", str(tmp_path))
    assert plain.code == 1
    output = plain.out + plain.err
    assert "integration.yaml:6:13: `visibility` must be one of" in output
    assert "    visibility: publik\n" + " " * 16 + "^" in output
