"""Text that wants to run in a reader's browser, or to keep the host busy, becomes a plain document."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest

from runtime.contract.documents import check_document
from runtime.services.markdown.block_rules import LEVELS
from runtime.services.markdown.patience import TakesTooLong
from runtime.services.markdown.reading import document_of
from runtime.services.markdown.writing import markdown_of

TARGETS = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,x",
]
TARGETS += [
    "vbscript:x",
    "&#106;avascript:alert(1)",
    "javascript&colon;alert(1)",
    "\x01javascript:alert(1)",
    "file:///etc/passwd",
]
TARGETS += [
    "/urls/javascript%3Aalert(1)",
    "blob:x",
    "jav&#x0A;ascript:alert(1)",
    "data:image/svg+xml,<svg onload=alert(1)>",
]
PLACES = [
    "[a](<{}>)",
    "[a]({})",
    "![a]({})",
    "<{}>",
    "[a]\n\n[a]: {}",
    '<a href="{}">a</a>',
    '<a class="button primary" href="{}">a</a>',
]
PLACES += [
    '<a data-mention href="{}">a</a>',
    '[a](<{}> "mention")',
    '<img src="{}">',
    '<figure><img src="{}"></figure>',
]
PLACES += [
    '<picture><source srcset="{0}"><img src="{0}"></picture>',
    '{{% embed url="{}" %}}',
    '{{% content-ref url="{}" %}}',
]
PLACES += ['{{% file src="{}" %}}', '{{% drawing src="{}" %}}', '{{% include "{}" %}}', '{{% @a/b data-url="{}" %}}']
PLACES += ['{{% swagger src="{}" path="/" method="get" %}}']
PLACES += [
    '<table><thead><tr><th data-type="content-ref"></th></tr></thead>'
    '<tbody><tr><td><a href="{}">a</a></td></tr></tbody></table>'
]
PLACES += [
    '<table><thead><tr><th data-type="image"></th></tr></thead>'
    '<tbody><tr><td><a href="{}">a</a></td></tr></tbody></table>'
]

MARKUP = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<iframe src=x></iframe>",
]
MARKUP += [
    "<style>*{}</style>",
    '<p align="center" onclick="x">a</p>',
    '<div onmouseover="x"><figure><img src="a"></figure></div>',
]
MARKUP += [
    "<object data=x>",
    '<mark style="background:url(javascript:x)">a</mark>',
    "<math><mi//xlink:href=x>",
    "<!--><script>-->",
]
MARKUP += [
    '<a href="https://a" onclick="alert(1)">a</a>',
    "<details open ontoggle=alert(1)>\n\n<summary>a</summary>\n\nb\n\n</details>",
]
MARKUP += [
    "<h1 onclick=x>a</h1>",
    '<i class="fa-x" onclick=y>z</i>',
    '<button class="button primary" formaction="javascript:x">a</button>',
]

LONG = {
    "lists": "- " * 20_000,
    "lists by indentation": "".join(" " * (2 * depth) + "- a\n" for depth in range(400)),
    "quotes": ">" * 100_000 + "a",
    "open brackets": "[" * 500_000,
    "closed brackets": "[" * 20_000 + "]" * 20_000,
    "pictures": "![" * 100_000,
    "asterisks": "*a " * 20_000,
    "backticks": "".join("`" * (length % 300) + " " for length in range(1000)),
    "angles": "<" * 100_000,
    "links that never end": '<a href="x">' * 10_000,
    "expressions that never end": '<code class="expression">' * 20_000,
    "tags that never end": '{% hint style="info" %}\n' * 20_000,
    "tags in tags": "{% hint %}\n" * 5_000 + "{% endhint %}\n" * 5_000,
    "spaces in a tag": "{% a x" + " " * 400_000 + "y %}",
    "spaces in a tag that never ends": "{% a" + " " * 400_000 + "y",
    "spaces in a text": "a&#x20;b" + "&#x20;" * 80_000 + "c",
    "spaces in a heading": "# a" + " " * 400_000 + "b",
    "details": "<details>\n" * 10_000,
    "elements that never end": "<p>\n" * 10_000 + "</p>x\n",
    "rows that never end": "<table><thead><tr><th>a</th></tr></thead><tbody>"
    + "<tr><td>" * 20_000
    + "</tbody></table>",
    "figures": "<div>" + "<figure><img " * 20_000 + "</div>",
    "columns": "|a" * 100_000 + "\n" + "|-" * 100_000 + "\n",
    "formulas": "$$\n" * 20_001,
    "one footnote, often": "[^1]" * 20_000 + "\n\n[^1]: " + "x" * 5000,
    "one long target, often": "[a]: " + "x" * 50_000 + "\n\n" + "[a] " * 20_000,
    "attributes": "{% hint " + 'a="b" ' * 20_000 + "%}",
    "emphasis in emphasis": "*a " * 25_000 + " a*" * 25_000,
    "two kinds of emphasis": "*a_ " * 20_000 + "a_ a*" * 20_000,
    "lines that might begin a table": "a\n-\n" * 14_000,
    "tables that end at once": "a|b\n-|-\n> x\n" * 4_000,
    "quotes that end at once": "> ---\nfoo\n" * 8_000,
    "quotes that end at once, with much before the next": ("> ---\nfoo\n" + ">a\n" * 200) * 300,
    "lines after many quotes": ">" * 50_000 + "</li>\n" * 8_000,
}


def _values(node: Any) -> list[tuple[str, Any]]:
    if isinstance(node, list):
        return [found for one in node for found in _values(one)]
    if isinstance(node, dict):
        return [*node.items(), *(found for one in node.values() for found in _values(one))]
    return []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("place", PLACES)
def test_no_target_that_runs_something_is_a_reference(place: str, target: str) -> None:
    document = document_of(place.format(target))
    check_document(document)
    for name, value in _values(document):
        if name in ("url", "src", "href") and isinstance(value, str):
            # What is left is relative: no browser finds a scheme in it.
            assert ":" not in value.split("/")[0].split("?")[0], document


@pytest.mark.parametrize("markup", MARKUP)
def test_html_that_is_not_the_platforms_is_text_or_nothing(markup: str) -> None:
    document = document_of(markup)
    check_document(document)
    names = {name for name, _ in _values(document)}
    assert not any(name.startswith("on") for name in names)
    written = markdown_of(document)
    assert markdown_of(document_of(written)) == written
    # What is written as text is escaped; no tag that is left has more than the platform's attributes.
    for tag in re.findall(r"(?<!\\)<[a-z][^<>]*>", written):
        assert not re.search(r"\son[a-z]+=|script|iframe|javascript:|<svg|<object", tag), written


@pytest.mark.parametrize("name", LONG)
def test_a_long_text_is_read_without_end_of_time_or_depth(name: str) -> None:
    document = document_of(LONG[name])
    check_document(document)
    assert len(json.dumps(document)) < 40 * len(LONG[name]) + 3_000_000
    markdown_of(document)


@pytest.mark.parametrize(
    "text", ["- a\n" * 100_000, "*a* " * 100_000, "<p>a</p>\n" * 100_000], ids=["list", "line", "html"]
)
def test_a_reader_with_little_time_gives_up_in_time(text: str) -> None:
    began = time.thread_time()
    with pytest.raises(TakesTooLong):
        document_of(text, seconds=0.2)
    assert time.thread_time() - began < 2


def test_quotes_go_on_without_their_sign_in_texts_of_any_use() -> None:
    document = document_of("> a\nb\n\n" * 3_000)
    assert {len(quote["nodes"]) for quote in document["nodes"]} == {1}
    assert len(document["nodes"]) == 3_000


def test_what_is_deeper_than_the_levels_is_text() -> None:
    document = document_of("> " * (LEVELS + 50) + "deep")
    depth, node = 0, document
    while node.get("nodes") and node["nodes"][0]["object"] == "block":
        node, depth = node["nodes"][0], depth + 1
    assert depth == LEVELS + 1 and node["type"] == "paragraph"
    assert "deep" in node["nodes"][0]["leaves"][0]["text"]
    written = markdown_of(document)
    assert markdown_of(document_of(written)) == written


ESCAPED = ['"\\ud800"', '{"\\udfff": 1}', '["\\u0000"]', "NaN", "1e999", "[-Infinity]", '{"a": [{"b": "\\ud83d"}]}']


@pytest.mark.parametrize(
    "place", ["a:json='{}'", "props:json='{{\"a\": {}}}'", "data-action:json='{{\"action\": {}}}'"]
)
@pytest.mark.parametrize("value", ESCAPED)
def test_what_json_in_a_tag_escapes_can_be_answered(place: str, value: str) -> None:
    read = document_of("{% @a/b " + place.format(value) + " %}")
    assert read["nodes"][0]["type"] == "integration"
    said = json.dumps(read, ensure_ascii=False, allow_nan=False).encode()
    assert b"\\u0000" not in said
    assert document_of(markdown_of(read)) == read
