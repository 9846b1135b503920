"""Folders as people and programs write them, and as nobody should."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runtime.services.folders.reading import read_folder, split_title
from runtime.services.folders.summary import read_summary
from runtime.services.folders.walking import MAX_FILE
from runtime.services.folders.yaml_text import BadYaml, read_yaml
from runtime.services.imported_tree import Imported
from runtime.services.importing.page_texts import markdown_page


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "content"


def filled(root: Path, files: dict[str, str]) -> Imported:
    for path, text in files.items():
        at = root / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text, encoding="utf-8")
    return read_folder(root)


def tree(imported: Imported) -> list[tuple[str, str, str | None]]:
    return [(one.type, one.title, one.parent) for one in imported.pages]


def test_folders_without_a_table_of_contents(root: Path) -> None:
    files = {"b.md": "# Bee\n", "a/README.md": "# A\n", "a/c-d.md": "text", "z/deep/x.md": "", "README.md": "# Home\n"}
    imported = filled(root, {**files, "node.js": "", ".hidden/x.md": "# No\n"})
    assert tree(imported) == [
        ("document", "Home", None),
        ("document", "A", None),
        ("document", "C d", "a/README.md"),
        ("document", "Bee", None),
        ("document", "Z", None),
        ("document", "Deep", "z/README.md"),
        ("document", "X", "z/deep/README.md"),
    ]
    assert [one.slug for one in imported.pages] == ["readme", "a", "c-d", "b", "z", "deep", "x"]
    assert not imported.problems


def test_the_folder_at_which_content_begins_names_no_page(root: Path) -> None:
    files = {".gitbook.yaml": "root: ./docs/", "docs/README.md": "Text", "docs/guide/README.md": "More"}
    pages = filled(root, files).pages
    assert [(page.slug, page.title) for page in pages] == [("readme", "Home"), ("guide", "Guide")]


def test_a_table_of_contents_says_what_there_is(root: Path) -> None:
    summary = """# Table of contents

* [Home *sweet*](README.md)
  * [🚀 In](a.md "In short")

## First group <a href="#one" id="one"></a>

- [By percent](with%20space.md)
- [By brackets](<with space 2.md>)
    - Nothing to read
        - [Out](https://example.com/?a=(1))

***

* [Last](/a.md#top)
"""
    files = dict.fromkeys(("README.md", "a.md", "with space.md", "with space 2.md"), "# Other title\n\nText")
    imported = filled(root, {**files, "SUMMARY.md": summary, "lonely.md": "# No\n"})
    assert not imported.problems
    assert tree(imported) == [
        ("document", "Home sweet", None),
        ("document", "In", "README.md"),
        ("group", "First group", None),
        ("document", "By percent", "#one"),
        ("document", "By brackets", "#one"),
        ("document", "Nothing to read", "with space 2.md"),
        ("link", "Out", "with space 2.md#Nothing to read"),
        ("link", "Last", None),
    ]
    assert imported.pages[1].emoji == "1f680" and imported.pages[2].slug == "one"
    assert imported.pages[-1].target == {"kind": "anchor", "anchor": "top", "page": "a.md"}
    assert all("Other" not in str(one.document) for one in imported.pages)


def test_what_is_wrong_in_a_table_of_contents_is_told(root: Path) -> None:
    lines = [
        "* [One](a.md)",
        "  * [Again](a.md)",
        "    * [In a link](b.md)",
        "* [Gone](gone.md)",
        "* [Out](../../x.md)",
    ]
    lines += ["* [Runs](javascript:alert(1))", "* [Itself](SUMMARY.md)", "*", "* []()", "1. [Number](c.md)"]
    imported = filled(root, {"SUMMARY.md": "\n".join(lines), "a.md": "", "b.md": "", "c.md": ""})
    told = "\n".join(imported.problems)
    assert "a.md is listed twice" in told and "no file gone.md" in told
    assert ("link", "Again", "a.md") in tree(imported) and ("document", "In a link", "a.md") in tree(imported)
    assert "javascript" not in str([one.target for one in imported.pages])
    assert ("document", "Number", None) in tree(imported)


def test_a_hundred_thousand_entries(root: Path) -> None:
    entries = "".join(f"{'  ' * (number % 9)}* [Page {number}](p{number}.md)\n" for number in range(100_000))
    imported = filled(root, {"SUMMARY.md": entries, "README.md": "# Home\n"})
    assert len(imported.pages) == 20_000 and len(imported.problems) <= 101
    assert any("more than" in problem for problem in imported.problems) or "more problems" in imported.problems[-1]


def test_the_root_may_be_elsewhere(root: Path) -> None:
    configuration = "root: ./docs/\nstructure:\n  readme: ./start.md\n  summary: sub/TOC.md\n"
    configuration += "redirects:\n  old: a.md\n  /older: /start.md\n  ./even//older/: start.md\n"
    files = {"docs/start.md": "# Start\n\n![](/.gitbook/assets/a.png)", "docs/sub/TOC.md": "* [A](../a.md)\n"}
    files |= {"docs/a.md": "[home](start.md)", "docs/.gitbook/assets/a.png": "x", "README.md": "# Not this\n"}
    imported = filled(root, {**files, ".gitbook.yaml": configuration})
    assert [one.key for one in imported.pages] == ["docs/start.md", "docs/a.md"]
    assert [one.former_paths for one in imported.pages] == [["older", "even/older"], ["old"]]
    assert imported.problems == []
    assert [one.path for one in imported.files] == ["docs/.gitbook/assets/a.png"]
    assert "'page': 'docs/start.md'" in str(imported.pages[1].document)


@pytest.mark.parametrize(
    "text",
    [
        "root: ../..",
        "root: [1]",
        "a: &x [1]\nb: *x",
        "root: /etc/../..",
        "structure: 3",
        "- 1",
        "{",
        "[" * 5000,
        "x: !!python/object/apply:os.system [id]",
        "\x00",
    ],
)
def test_a_configuration_that_is_none(root: Path, text: str) -> None:
    imported = filled(root, {".gitbook.yaml": text, "README.md": "# Home\n"})
    assert tree(imported) == [("document", "Home", None)]
    assert imported.problems or text in ("structure: 3", "root: /etc/../..")


def test_aliases_are_not_read() -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{b}: &{b} [*{a},*{a},*{a}]\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)
    )
    for text in (bomb, "a: &x 1", "*x"):
        with pytest.raises(BadYaml):
            read_yaml(text)
    assert read_yaml("a: yes\nb: 2024-01-01\nc: 012\nd: 1e3\ne: null\nf: true") == {
        "a": "yes", "b": "2024-01-01", "c": "012", "d": "1e3", "e": None, "f": True,
    }  # fmt: skip


def test_front_matter_that_is_wrong_leaves_the_page(root: Path) -> None:
    wrong = {
        "a.md": "---\n{ not yaml\n---\n\n# A\n\nText",
        "b.md": "---\ndescription: [1]\nvars:\n  1x: a\n  ok: 1\nhidden: maybe\nicon: 3\n---\n# B\n",
        "c.md": "---\nnever closed\n\n# C\n",
        "d.md": "\ufeff---\r\ndescription: Fine\r\n---\r\n\r\n# D\r\n",
    }
    imported = filled(root, wrong)
    assert [one.title for one in imported.pages] == ["A", "B", "C", "D"]
    assert imported.pages[1].variables == {"ok": 1} and imported.pages[1].icon == "3" and not imported.pages[1].hidden
    assert imported.pages[3].description == "Fine" and len(imported.problems) == 3


def test_nothing_outside_is_read(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n")
    filled(root, {"README.md": '# Home\n\n[out](../secret.md) ![](../../etc/passwd) {% include "../secret.md" %}'})
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "folder").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(root / "pipe.md")
    (root / "bad\nname.md").write_text("# No\n")
    (root / "big.bin").write_bytes(b"")
    os.truncate(root / "big.bin", MAX_FILE + 1)
    (root / ".gitbook").symlink_to(tmp_path, target_is_directory=True)
    imported = read_folder(root)
    assert tree(imported) == [("document", "Home", None)] and not imported.files
    told = "\n".join(imported.problems)
    for word in ("link.md", "folder", "bad?name.md", "big.bin", ".gitbook"):
        assert f"{word}: it is left out" in told, told
    assert "Secret" not in str(imported)


def test_headings_of_a_page_begin_below_its_title(root: Path) -> None:
    text = "# Title\n\n## One\n\n### Two\n\n#### Three\n\n# Four\n"
    imported = filled(root, {"README.md": text, "b.md": "Under\n=====\n\nText"})
    document = imported.pages[0].document
    assert document is not None
    assert [node["type"] for node in document["nodes"]] == ["heading-1", "heading-2", "heading-3", "heading-1"]
    assert imported.pages[1].title == "Under"


def test_spaces_in_headings_are_gone_through_once(root: Path) -> None:
    """Ways that go through a run of spaces for each of them would not come to an end within a test's time."""
    spaces = " " * 500_000
    imported = filled(
        root,
        {
            "SUMMARY.md": f"# Contents\n\n* [A](a.md)\n\n## Group{spaces}of pages\n\n* [B](b.md)\n\n## {spaces}<a x\n",
            "a.md": f"# Title{spaces}of a page\n\nText.\n",
            "b.md": f"# B{spaces}##\n\nText.\n",
        },
    )
    assert {title for _, title, _ in tree(imported)} >= {"A", "B"}


@pytest.mark.parametrize(
    ("heading", "title"),
    [("# Title", "Title"), ("#  Title ##  ", "Title"), ("# C#", "C#"), ("# A # B", "A # B"), ("#\tA\t#", "A")],
)
def test_what_a_heading_says(heading: str, title: str) -> None:
    found, rest = split_title(f"\n{heading}\n\nText.")
    assert found is not None and found.text == title and rest.strip() == "Text."
    imported_title = markdown_page(f"{heading}\n\nText.", "Otherwise")
    assert (imported_title.title, imported_title.markdown.strip()) == (title, "Text.")


@pytest.mark.parametrize("heading", ["#", "# #", "# ##  "])
def test_a_heading_that_says_nothing_is_no_title(heading: str) -> None:
    assert split_title(f"{heading}\nText.")[0] is None


@pytest.mark.parametrize(
    ("line", "slug"),
    [
        ('## Group <a href="#group" id="group"></a>', "group"),
        ('## Group <a id="a"></a> <a id="b"></a>', "b"),
        ("## Group", None),
        ("## Group</a>", None),
    ],
)
def test_the_slug_of_a_group(line: str, slug: str | None) -> None:
    (group,) = read_summary(f"# Contents\n\n{line}\n\n* [A](a.md)\n", [])
    assert group.slug == slug


def test_a_title_of_something_imported_is_found_in_one_look() -> None:
    page = markdown_page("# Title" + " " * 500_000 + "of a page\n\nText.", "Otherwise")
    assert page.title == "Title"
    assert markdown_page("# " + "[" * 500_000 + "\n\nText.", "Otherwise").markdown.strip() == "Text."
