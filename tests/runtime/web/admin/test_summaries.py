"""Summaries of integrations are shown as their Markdown, and nothing else comes with them."""

from __future__ import annotations

import pytest

from runtime.web.admin.summaries import in_html


def test_headings_stand_below_the_one_of_the_page() -> None:
    shown = str(in_html("# Overview\n\nIt **draws**.\n\n## How\n\n- one\n"))
    assert "<h2>Overview</h2>" in shown and "<h3>How</h3>" in shown and "<h1" not in shown
    assert "<strong>draws</strong>" in shown and "<li>one</li>" in shown


def test_links_lead_out_without_a_word_of_where_from() -> None:
    assert 'href="https://a.example" rel="noopener noreferrer nofollow"' in in_html("[a](https://a.example)")


@pytest.mark.parametrize(
    "hostile",
    ["<script>x</script>", "<img src=x onerror=y>", "[a](javascript:x)", "![a](https://a.example/x.png)", "&lt;b&gt;"],
)
def test_what_is_not_markdown_is_text(hostile: str) -> None:
    shown = str(in_html(hostile))
    assert not any(tag in shown for tag in ("<script", "<img", "<b>", 'href="javascript'))
