"""Reading a project: where it is, what is wrong with it and where, and what its secrets are filled with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from devkit.output import Problem
from devkit.project import Wrong, find_folder, guess_name, load, secrets, warnings

GOOD = "name: sample\ntitle: Sample\ndescription: A sample.\nscript: integration.py\nscopes: []\n"


def write(folder: Path, text: str, name: str = "integration.yaml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def wrong(folder: Path, text: str) -> list[str]:
    with pytest.raises(Wrong) as caught:
        load(str(write(folder, text)))
    return [one.sentence for one in caught.value.findings]


def test_the_manifest_is_found_above_and_under_each_of_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    write(tmp_path, GOOD, "gitbook-manifest.yaml")
    monkeypatch.chdir(tmp_path / "deep" / "deeper")
    assert find_folder(None) == (tmp_path, tmp_path / "gitbook-manifest.yaml")
    with pytest.raises(Problem, match=r"no integration\.yaml in"):
        find_folder(str(tmp_path / "deep"))
    write(tmp_path, GOOD)
    assert find_folder(None)[1].name == "integration.yaml"
    assert find_folder(str(tmp_path / "gitbook-manifest.yaml"))[1].name == "gitbook-manifest.yaml"
    with pytest.raises(Problem, match="there is no folder"):
        find_folder(str(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("title: Sample", "title: S"), "integration.yaml:2:1: title: Value should have at least 2 items"),
        (("title: Sample\n", ""), "integration.yaml:1:1: `title` is missing"),
        (("scopes: []", "scopes:\n  - space:content:read\n  - nothing"), "integration.yaml:7:5: scopes.1: "),
        (("scopes: []", "scopes: []\nblocks:\n  - id: a\n    title: B"), "integration.yaml:8:5: blocks.0.title: "),
        (("scopes: []", "scopes: []\ncontentSecurityPolicy:\n  scrpt-src: x"), "`scrpt-src` is no directive"),
        (("scopes: []", "scopes: {"), "integration.yaml:6:1: not valid YAML"),
        (("name: sample", "name: [sample"), "not valid YAML"),
        (("name: sample", "name: not a name"), "integration.yaml:1:1: name: "),
    ],
)
def test_what_is_wrong_is_told_with_its_place(change: tuple[str, str], expected: str, tmp_path: Path) -> None:
    found = wrong(tmp_path, GOOD.replace(*change))
    assert any(expected in sentence for sentence in found), found
    assert all(re.match(r"integration\.yaml:\d+:\d+: ", sentence) for sentence in found)


def test_everything_that_is_wrong_is_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    found = wrong(tmp_path, GOOD.replace("title: Sample", "title: S").replace("scopes: []", "scopes: [a]\ntarget: x"))
    assert [sentence.split(":")[1] for sentence in found] == ["2", "5", "6"]


def test_a_manifest_that_is_no_mapping_is_told(tmp_path: Path) -> None:
    for text in ("", "- a\n", "text\n"):
        assert wrong(tmp_path, text) == [
            "integration.yaml:1:1: the manifest must be a mapping: `name: my-integration`, ..."
        ]


def test_a_tab_and_a_strange_character_do_not_break_the_reading(tmp_path: Path) -> None:
    assert "not valid YAML" in wrong(tmp_path, "name:\n\t- x\n")[0]
    assert "not valid YAML" in wrong(tmp_path, "name: \x07\n")[0]


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
    assert secrets(load(str(tmp_path))) == {"A": "from file", "B": "x-from process-y", "C": "plain"}


def test_secrets_that_are_not_set_are_told_with_their_place(tmp_path: Path) -> None:
    found = load(str(write(tmp_path, GOOD + "secrets:\n  A: ${{ env.SAMPLE_MISSING }}\n  B: ${{ env.SAMPLE_GONE }}\n")))
    with pytest.raises(Wrong) as caught:
        secrets(found)
    assert [one.sentence for one in caught.value.findings] == [
        "integration.yaml:7:3: the variable `SAMPLE_MISSING` is not set; export it, or write it into .env",
        "integration.yaml:8:3: the variable `SAMPLE_GONE` is not set; export it, or write it into .env",
    ]


def test_policies_as_text_and_as_object_are_warned_about(tmp_path: Path) -> None:
    assert warnings(load(str(write(tmp_path, GOOD)))) == []
    text = warnings(load(str(write(tmp_path, GOOD + "contentSecurityPolicy: script-src self\n"))))
    assert [(one.line, one.column) for one in text] == [(6, 1)]
    parts = GOOD + "contentSecurityPolicy:\n  img-src: https://a.example\n  script-src: |\n    self;\n"
    found = warnings(load(str(write(tmp_path, parts))))
    assert [(one.line, one.column) for one in found] == [(8, 3)]
    assert "must stand in single quotes" in found[0].message
