"""A document survives being written as Markdown and read again; Markdown does after the first time."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.contract.documents import check_document
from runtime.services.markdown.reading import document_of
from runtime.services.markdown.writing import markdown_of
from tests.runtime.services.markdown import block_documents, documents
from tests.runtime.services.markdown.normal import normal

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example]
PIECES = ["# ", "- ", "1. ", "> ", "```", "~~~\n", "\n", "\n\n", "    ", "**", "*", "_", "`", "~~", "[a](b)", "![i](u)"]
PIECES += [
    "|a|b|\n|-|-|\n|1|",
    "---\n",
    "<b>",
    "</b>",
    "text",
    "\\",
    "&amp;",
    "[ ] ",
    "[x] ",
    "  \n",
    "é",
    "$$",
    "\n$$\n",
]
PIECES += [
    '{% hint style="info" %}\n',
    "\n{% endhint %}\n",
    "{% tabs %}\n",
    '{% tab title="a" %}\n',
    "\n{% endtab %}\n",
]
PIECES += [
    "\n{% endtabs %}\n",
    "<details>\n",
    "<summary>s</summary>\n",
    "</details>\n",
    "[^1]",
    "\n[^1]: ",
    "<mark>",
    "</mark>",
]
PIECES += ['<a href="x">', "</a>", '<figure><img src="a"></figure>\n', '{% code title="x" %}\n', "\n{% endcode %}\n"]
PIECES += [
    '{% embed url="https://a" %}',
    "{% endembed %}",
    "<table><thead><tr><th>a</th></tr></thead></table>\n",
    "<p>",
    "</p>\n",
]
PIECES += [
    '<h2 align="center">',
    "</h2>\n",
    ":smile:",
    "<kbd>",
    "</kbd>",
    "<br>",
    '<code class="expression">',
    "</code>",
    " ",
    ".",
]
PIECES += [
    "{% if a %}\n",
    "\n{% endif %}\n",
    "{% stepper %}\n",
    "{% step %}\n",
    "\n{% endstep %}\n",
    "\n{% endstepper %}\n",
]
PIECES += [
    "<!-- ",
    " -->",
    "<div>\n",
    "</div>\n",
    "<center>",
    "</center>\n",
    "<br/>",
    "<hr>\n",
    '<a name="n"></a>',
    "{#n}",
]
PIECES += [
    "> [!NOTE]\n",
    '<img src="a" width="3">',
    '<p align="center">\n',
    "<u>",
    "</u>",
    "<pre>",
    "</pre>",
    "<ul><li>",
]
PIECES += ["<table><tr><th>a</th></tr>", '<tr><td colspan="2" rowspan=2>b</td></tr>', "</table>\n", '{% @a/b c="d\n']
markdowns = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=25).map("".join)


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@settings(deadline=None, max_examples=250, suppress_health_check=SLOW)
@given(block_documents.documents())
def test_a_document_is_the_same_after_being_markdown(document: documents.Node) -> None:
    check_document(document)
    written = markdown_of(document)
    assert document_of(written) == normal(document)


@settings(deadline=None, max_examples=250, suppress_health_check=SLOW)
@given(documents.inlines)
def test_a_line_of_text_is_the_same_after_being_markdown(nodes: list[documents.Node]) -> None:
    document = {"object": "document", "data": {}, "nodes": [documents.paragraph_of(nodes)]}
    assert document_of(markdown_of(document)) == normal(document)


@settings(deadline=None, max_examples=400, suppress_health_check=SLOW)
@given(markdowns)
def test_markdown_is_the_same_after_the_first_time(markdown: str) -> None:
    document = document_of(markdown)
    check_document(document)
    written = markdown_of(document)
    assert markdown_of(document_of(written)) == written


@pytest.mark.parametrize("alternative", ["\n", "a\nb", "a\n\nb", " \n ", "a\n> b\n# c"])
def test_lines_of_what_stands_for_a_picture_are_kept(alternative: str) -> None:
    picture = {"ref": {"kind": "url", "url": "https://a.example/x.png"}, "alt": alternative}
    line = [
        {"object": "text", "leaves": [documents.leaf("a")]},
        {"object": "inline", "type": "inline-image", "data": picture, "isVoid": True},
    ]
    document = {"object": "document", "data": {}, "nodes": [documents.paragraph_of(line)]}
    assert document_of(markdown_of(document)) == document
