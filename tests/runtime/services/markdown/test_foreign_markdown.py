"""What other tools write in Markdown is read as what the platform has for it."""

from __future__ import annotations

import pytest

from runtime.contract.documents import check_document
from runtime.services.markdown.reading import document_of
from runtime.services.markdown.writing import markdown_of

CASES = {
    "a comment in a line": ("a <!-- b -->c", "a c"),
    "a comment of several lines": ("<!--\n\n```\n{% hint %}\n-->\n\n# A", "# A"),
    "a comment that is left open": ("<!-- a", "\\<!-- a"),
    "a comment in code": ("```\n<!-- a -->\n```", "```\n<!-- a -->\n```"),
    "a note": ("> [!NOTE]\n> a\n>\n> b", '{% hint style="info" %}\na\n\nb\n{% endhint %}'),
    "a tip without a text behind it": ("> [!TIP]\n>\n> a", '{% hint style="success" %}\na\n{% endhint %}'),
    "a caution": ("> [!caution]\n> a", '{% hint style="danger" %}\na\n{% endhint %}'),
    "an escaped note": ("> \\[!NOTE]\n> a", "> \\[!NOTE\\] a"),
    "a note with a title": ("> [!NOTE] Title\n> a", "> \\[!NOTE\\] Title a"),
    "tasks and others": ("- [ ] a\n- b\n- [x] c", "* [ ] a\n\n- b\n\n* [x] c"),
    "a picture with a size": (
        '<img src="https://a/b.png" width="20">',
        '<figure><img src="https://a/b.png" alt="" width="20"></figure>',
    ),
    "pictures in the middle": (
        '<p align="center">\n  <img src="https://a/b.png" width="50%">\n</p>',
        '<div align="center"><figure><img src="https://a/b.png" alt="" width="50%"></figure></div>',
    ),
    "a picture without a size": ('<img src="https://a/b.png">', '<img src="https://a/b.png" alt="">'),
    "a picture for the dark": (
        '<picture>\n<source media="(prefers-color-scheme: light)" srcset="https://a/l">\n'
        '<source media="(prefers-color-scheme: dark)" srcset="https://a/d"><img src="https://a/l"></picture>',
        '<picture><source srcset="https://a/d" media="(prefers-color-scheme: dark)">'
        '<img src="https://a/l" alt=""></picture>',
    ),
    "breaks": ("a<br/>b</br>c<br />d", "a\\\nb\\\nc\\\nd"),
    "a divider": ("a\n<hr/>\nb", "a\n\n***\n\nb"),
    "a table whose first row is its head": (
        "<table><tr><th>a</th></tr><tr><td>b</td></tr></table>",
        "| a |\n| --- |\n| b |",
    ),
    "a table without a head": (
        "<table>\n<tr><td>a</td></tr>\n</table>",
        '<table data-header-hidden="true"><thead><tr><th></th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>',
    ),
    "a cell over columns and rows": (
        '<table><tr><th>a</th><th>b</th><th>c</th></tr><tr><td rowspan="2">1</td><td colspan="2">2</td></tr>'
        "<tr><td>3</td><td>4</td></tr></table>",
        "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 |  |\n|  | 3 | 4 |",
    ),
    "a list in a cell": (
        "<table><tr><th>a</th></tr><tr><td>x<ul><li>b</li></ul><ol><li>c</li><li>d</li></ol></td></tr></table>",
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td><p>x</p><p>• b</p><p>1. c</p><p>2. d</p></td></tr>"
        "</tbody></table>",
    ),
    "a wrapper": ('<div align="center">\n\n# A\n\n**b**\n\n</div>', "# A\n\n**b**"),
    "a wrapper without empty lines": ("<div>\n    <section>\n    **a**\n    </section>\n</div>", "**a**"),
    "a wrapper in a line": (
        '<div align="center">**a** <b>b</b></div>',
        '<p align="center">**a** <strong>b</strong></p>',
    ),
    "a wrapper of figures": (
        '<div data-full-width="true">\n\n<figure><img src="https://a/b.png" alt=""></figure>\n\n \n\n'
        '<figure><img src="https://a/c.png" alt=""></figure>\n\n</div>\n\na',
        '<div data-full-width="true"><figure><img src="https://a/b.png" alt=""></figure> '
        '<figure><img src="https://a/c.png" alt=""></figure></div>\n\na',
    ),
    "a list in a wrapper": ("<div>\n- a\n  - b\n</div>", "* a\n  * b"),
    "a paragraph around Markdown": ('<p align="center">\n\n**a**\n\n</p>', "**a**"),
    "a wrapper in code": ("    <div>", "```\n<div>\n```"),
    "a wrapper in a fence of a list": ("- a\n\n  ```\n  <div>\n  ```", "* a\n\n  ```\n  <div>\n  ```"),
    "code of HTML alone": ("<pre>\n<div>\n  a\n</pre>", None),
    "an anchor before a heading": ('<a name="n"></a>\n\n## A', '## A <a href="#n" id="n"></a>'),
    "an anchor in a heading": ('## <a id="n"></a> A', '## A <a href="#n" id="n"></a>'),
    "a name behind a heading": ("## A {#n}", '## A <a href="#n" id="n"></a>'),
    "an escaped name": ("## A \\{#n}", "## A \\{#n}"),
    "an anchor before a text": ('<a name="n"></a>\n\na', "a"),
    "an anchor around a text": ('<a name="n">a</a> b', "a b"),
    "marks that no document has": ('<u>a</u> <span style="x">b</span> <small>*c*</small>', "a b _c_"),
    "a tag over several lines": (
        '{% hint\n  style="danger" %}\na\n{% endhint %}',
        '{% hint style="danger" %}\na\n{% endhint %}',
    ),
    "a value over several lines": (
        '{% @a/b content="x\n\n  y" %}',
        '{% @a/b content="x&#xa;&#xa;  y" %}',
    ),
    "a picture over several lines": (
        '<img\n  src="https://a/b.png"\n  width="20"\n/>',
        '<figure><img src="https://a/b.png" alt="" width="20"></figure>',
    ),
    "a tag that nothing ends": ('{% hint style="a\nb\n\nc', None),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_read_as_what_it_means(name: str) -> None:
    markdown, expected = CASES[name]
    document = document_of(markdown)
    check_document(document)
    written = markdown_of(document)
    assert document_of(written) == document
    if expected is not None:
        assert written == expected + "\n"


def test_code_of_html_alone_is_code() -> None:
    (code,) = document_of("<pre>\na &lt;b&gt;\n  c\n</pre>")["nodes"]
    assert [line["nodes"][0]["leaves"][0]["text"] for line in code["nodes"]] == ["a <b>", "  c"]


HOSTILE = {
    "comments": "<!-- a\n" * 50_000,
    "comments whose end is none": "<!-- a\n" * 50_000 + "--> b",
    "comments in a line": "<!-- " * 100_000,
    "tags": "{% a\n" * 50_000,
    "tags of many lines": "{% a\n" + "b\n" * 100_000,
    "wrappers": "<div>\n" * 50_000 + "</div>\n" * 50_000,
    "wrappers of figures": "<div>\n<figure>\n" * 14_000,  # a document has no more parts
    "a wrapper of figures": "<div>\n" + "<figure>\n" * 50_000,
    "wrappers within": "    " * 20 + "<div>\n" * 50_000,
    "anchors": '<a name="n"></a>' * 20_000,
    "tags that are left open": "<img\n" * 50_000,
    "one tag that is left open": "<img\n" + "a\n" * 100_000,
    "cells over everything": "<table>"
    + '<tr><td colspan="999" rowspan="999">' * 5000
    + "</td></tr>" * 5000
    + "</table>",
    "lists in cells": "<table><tr><td>" + "<ul><li>" * 20_000 + "</td></tr></table>",
    "unmarked": "<u>" * 50_000,
    "sources": "<picture>" + '<source srcset="a">' * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_takes_time_as_the_text_is_long(name: str) -> None:
    """Were a line looked through for each of the others, these would take hours."""
    check_document(document_of(HOSTILE[name]))
