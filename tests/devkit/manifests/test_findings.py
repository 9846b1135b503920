"""A finding as people and programs see it."""

from __future__ import annotations

from devkit.manifests.findings import Finding, InvalidProject, line_of


def test_the_caret_stands_below_its_character() -> None:
    assert Finding("a.py", 1, 5, "no", "abc def").pointed == "    abc def\n        ^"
    # A terminal makes of a tab what it likes: the same tab above and below keeps them together.
    assert Finding("a.py", 1, 3, "no", "\tx = 1").pointed == "    \tx = 1\n    \t ^"
    assert Finding("a.py", 9, 1, "no").pointed == ""


def test_a_line_ends_where_yaml_says_it_ends() -> None:
    text = "one\r\ntwo\rthree\u2028four\x0cstill four"
    assert [line_of(text, number) for number in (1, 2, 3, 4)] == ["one", "two", "three", "four\x0cstill four"]
    assert line_of(text, 0) is None
    assert line_of(text, 5) is None


def test_one_sentence_stands_for_several_findings() -> None:
    findings = [Finding("m.yaml", line, 2, "fix this") for line in (3, 4, 5)]
    assert str(InvalidProject(findings)) == "m.yaml:3:2: fix this (and 2 more; `devkit check` lists them)"
    assert str(InvalidProject(findings[:1])) == "m.yaml:3:2: fix this"
    assert findings[0].as_json() == {
        "file": "m.yaml",
        "line": 3,
        "column": 2,
        "message": "fix this",
        "source": None,
        "rule": "",
        "level": "error",
    }
