"""Reading a project: where it is, what is wrong with it and where, and what its secrets are filled with."""

from __future__ import annotations

from pathlib import Path

import pytest

from devkit.manifests.findings import InvalidProject
from devkit.projects.names import guess_name
from devkit.projects.project import find_folder, load, secrets, warnings
from devkit.terminal.output import Problem
from tests.devkit.projects.manifest import GOOD, write


def wrong(folder: Path, text: str) -> list[str]:
    with pytest.raises(InvalidProject) as caught:
        load(str(write(folder, text)))
    return [finding.sentence for finding in caught.value.findings]


def test_the_manifest_is_found_above_and_under_each_of_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    write(tmp_path, GOOD, "gitbook-manifest.yaml")
    monkeypatch.chdir(tmp_path / "deep" / "deeper")
    assert find_folder(None) == (tmp_path, tmp_path / "gitbook-manifest.yaml")
    with pytest.raises(Problem, match=r"no integration\.yaml or gitbook-manifest\.yaml in"):
        find_folder(str(tmp_path / "deep"))
    write(tmp_path, GOOD)
    assert find_folder(None)[1].name == "integration.yaml"
    assert find_folder(str(tmp_path / "gitbook-manifest.yaml"))[1].name == "gitbook-manifest.yaml"
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "script.py").touch()
    assert find_folder(str(tmp_path / "src" / "script.py")) == (tmp_path, tmp_path / "integration.yaml")
    with pytest.raises(Problem, match="there is no folder"):
        find_folder(str(tmp_path / "nowhere"))


def test_everything_that_is_wrong_is_reported_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "integration.py").touch()
    findings = wrong(
        tmp_path, GOOD.replace("title: Sample", "title: S").replace("scopes: []", "scopes: [a]\ntarget: x")
    )
    assert [sentence.split(":")[1] for sentence in findings] == ["2", "5", "6"]


def test_files_that_are_not_there_are_reported_with_the_errors_of_the_manifest(tmp_path: Path) -> None:
    (tmp_path / "there.png").touch()
    text = GOOD.replace("title: Sample", "title: S").replace("integration.py", "gone.py")
    findings = wrong(tmp_path, f"{text}icon: ./gone.png\npreviewImages: [there.png, gone.png]\n")
    assert [sentence.split(":")[1] for sentence in findings] == ["2", "4", "6", "7"]
    assert [sentence.split(": ", 1)[1] for sentence in findings[1:3]] == [
        "there is no file gone.py",
        "there is no image ./gone.png: add the file, or remove the line",
    ]


def test_a_manifest_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "integration.yaml").mkdir()
    with pytest.raises(Problem, match=r"integration\.yaml"):
        load(str(tmp_path))
    with pytest.raises(Problem, match="a manifest has at most 1,000,000"):
        load(str(write(tmp_path, "x" * 1_000_001, "gitbook-manifest.yaml")))


def test_a_name_is_seen_in_a_manifest_that_is_wrong_elsewhere(tmp_path: Path) -> None:
    for line, name in (
        ("name: one-2", "one-2"),
        ('name: "two"', "two"),
        ("name: three # it", "three"),
        ("nam: x", None),
    ):
        assert guess_name(str(write(tmp_path, f"title: [\n{line}\n"))) == name


def test_secrets_are_filled_from_the_environment_over_the_projects_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, GOOD + 'secrets:\n  A: ${{ env.SAMPLE_A }}\n  B: "x-${{env.SAMPLE_B}}-y"\n  C: plain\n')
    write(tmp_path, "# a remark\nexport SAMPLE_A='from file'\nSAMPLE_B=\"from file\"\n", ".env")
    monkeypatch.setenv("SAMPLE_B", "from process")
    monkeypatch.setenv("DEVKIT_ALLOW_ENV", "SAMPLE_B")
    assert secrets(load(str(tmp_path))) == {"A": "from file", "B": "x-from process-y", "C": "plain"}


def test_secrets_that_are_not_set_are_reported_with_their_place(tmp_path: Path) -> None:
    project = load(
        str(write(tmp_path, GOOD + "secrets:\n  A: ${{ env.SAMPLE_MISSING }}\n  B: ${{ env.SAMPLE_GONE }}\n"))
    )
    with pytest.raises(InvalidProject) as caught:
        secrets(project)
    assert [finding.sentence for finding in caught.value.findings] == [
        "integration.yaml:7:6: the variable `SAMPLE_MISSING` is not set; write it into .env",
        "integration.yaml:8:6: the variable `SAMPLE_GONE` is not set; write it into .env",
    ]


def test_policies_as_text_and_as_object_are_warned_about(tmp_path: Path) -> None:
    assert warnings(load(str(write(tmp_path, GOOD)))) == []
    text = warnings(load(str(write(tmp_path, GOOD + "contentSecurityPolicy: script-src self\n"))))
    assert [(finding.line, finding.column) for finding in text] == [(6, 1)]
    parts = GOOD + "contentSecurityPolicy:\n  img-src: https://a.example\n  script-src: |\n    self;\n"
    project = warnings(load(str(write(tmp_path, parts))))
    assert [(finding.line, finding.column) for finding in project] == [(8, 3)]
    assert "must be in single quotes" in project[0].message
