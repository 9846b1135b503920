"""What the platform writes is read as its blocks, and written the same again."""

from __future__ import annotations

import pytest

from runtime.services.markdown.links import IdLinks
from runtime.services.markdown.nodes import Node
from runtime.services.markdown.reading import document_of
from runtime.services.markdown.writing import markdown_of

CARDS = (
    '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th>'
    "</tr></thead>"
    '<tbody><tr><td><strong>S</strong></td><td><a href="a.md">a.md</a></td></tr></tbody></table>'
)
FORMS = [
    ('# Title <a href="#id" id="id"></a>', "heading-1"),
    ('<h2 align="center">Title</h2>', "heading-2"),
    ('<p align="right">text</p>', "paragraph"),
    ("3. a\n4. b", "list-ordered"),
    ("* a\n  * b", "list-unordered"),
    ("* [ ] a\n* [x] b", "list-tasks"),
    ("***", "divider"),
    ("> a\n>\n> > b", "blockquote"),
    ("| a | b |\n| --- | :---: |\n| 1 \\| 2 | **3** |", "table"),
    (CARDS, "table"),
    ('{% code title="x" overflow="wrap" lineNumbers="true" %}\n```js\na\n```\n{% endcode %}', "code"),
    ('<pre class="language-js"><code><mark>a</mark>\nb\n</code></pre>', "code"),
    ('{% hint style="danger" %}\na\n{% endhint %}', "hint"),
    ('{% tabs %}\n{% tab title="a" id="m" %}\nb\n{% endtab %}\n{% endtabs %}', "tabs"),
    ("{% stepper %}\n{% step %}\n## a\n{% endstep %}\n{% endstepper %}", "stepper"),
    ("<details>\n\n<summary>a</summary>\n\nb\n\n</details>", "expandable"),
    ('{% columns %}\n{% column width="50%" %}\na\n{% endcolumn %}\n{% endcolumns %}', "columns"),
    ('{% content-ref url="a.md" %}\n[a.md](a.md)\n{% endcontent-ref %}', "content-ref"),
    ('{% embed url="https://a.example/" %}\ncaption\n{% endembed %}', "embed"),
    ('{% file src="/files/f" %}', "file"),
    ('{% drawing src="/files/f" %}', "drawing"),
    ('<figure><img src="a.png" alt="a" width="300"><figcaption><p>b</p></figcaption></figure>', "images"),
    ("$$\na+b\n$$", "math"),
    ('{% include "/reusable-contents/r" %}', "reusable-content"),
    ('{% if visitor.claims.a == "b" %}\na\n{% endif %}', "if"),
    ('{% openapi-operation spec="s" path="/a" method="get" %}\n{% endopenapi-operation %}', "openapi-operation"),
    ('{% openapi-schemas spec="s" schemas="A,B" grouped="true" %}\n{% endopenapi-schemas %}', "openapi-schemas"),
    ('{% openapi-webhook spec="s" name="a" method="post" %}\n{% endopenapi-webhook %}', "openapi-webhook"),
    (
        '{% swagger src="https://a.example/" path="/a" method="get" %}\n'
        "[https://a.example/](https://a.example/)\n{% endswagger %}",
        "swagger",
    ),
    ('{% @mermaid/diagram content="graph" n:json="[1]" %}', "integration"),
]
LINES = [
    "**a** _b_ ~~c~~ `d` **_e_**",
    "<kbd>a</kbd> <sup>b</sup> <sub>c</sub>",
    '<mark style="color:red;background-color:$info;">a</mark>',
    "a $$b$$ :rocket:",
    '[a](https://a.example/) [b.md](b.md "mention")',
    '<a class="button primary" href="a.md" data-icon="star">a</a>',
    '<i class="fa-star">:star:</i> <code class="expression">space.vars.a</code>',
    "a ![b](c.png)",
    "a[^1]\n\n[^1]: b",
    "[a](#user-content-fn-1)[^1]\n\n[^1]: b",
    "a\\\nb",
    "1\\. \\* \\`a\\`",
]
REFS: list[Node] = [
    {"kind": "page", "page": "p", "space": "s/#"},
    {"kind": "anchor", "anchor": "a b"},
    {"kind": "anchor", "anchor": "a", "page": "p", "space": "s"},
    {"kind": "anchor", "anchor": "a", "space": "s"},
    {"kind": "url", "url": "/pages/p"},
    {"kind": "url", "url": "https://a.example/pages/p#a"},
    {"kind": "openapi", "spec": "s"},
]


@pytest.mark.parametrize(("markdown", "kind"), FORMS)
def test_a_block_is_read_as_what_it_is_and_written_the_same(markdown: str, kind: str) -> None:
    document = document_of(markdown)
    assert [node["type"] for node in document["nodes"]] == [kind]
    assert markdown_of(document) == markdown + "\n"


@pytest.mark.parametrize("markdown", LINES)
def test_a_line_is_written_the_same(markdown: str) -> None:
    assert markdown_of(document_of(markdown)) == markdown + "\n"


@pytest.mark.parametrize("ref", REFS)
def test_a_reference_is_the_same_after_being_a_target(ref: Node) -> None:
    assert IdLinks().read(IdLinks().write(ref)) == ref


def test_blocks_of_integrations_may_be_fences() -> None:
    fences = {"mermaid": ("mermaid", "diagram", "content")}
    document = document_of("```mermaid\na --> b\n```", fences=fences)
    assert document["nodes"][0]["data"] == {
        "integration": "mermaid",
        "block": "diagram",
        "props": {"content": "a --> b"},
    }
    assert markdown_of(document, fences=fences) == "```mermaid\na --> b\n```\n"


def test_another_way_of_links_is_used_both_ways() -> None:
    class Files:
        def read(self, target: str) -> Node:
            return {"kind": "page", "page": target.removesuffix(".md")}

        def write(self, ref: Node) -> str:
            return f"{ref['page']}.md"

    document = document_of("[a](b.md)", Files())
    assert document["nodes"][0]["nodes"][0]["data"]["ref"] == {"kind": "page", "page": "b"}
    assert markdown_of(document, Files()) == "[a](b.md)\n"
