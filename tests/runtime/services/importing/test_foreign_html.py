"""HTML as others write it is read as what the platform has for it."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.contract.documents import check_document
from runtime.engines.separate_process.answers import Refused
from runtime.services.importing import archives
from runtime.services.importing.html_markdown import read_html
from runtime.services.markdown.reading import document_of
from runtime.services.markdown.writing import markdown_of
from tests.scenarios.elsewhere import PIXEL, packed


def markdown_from(html: str, *, alone: bool = True) -> str:
    kept: list[bytes] = []

    def keep(content: bytes, kind: str) -> str:
        kept.append(content)
        return f"picture-{len(kept)}.{kind}"

    document = document_of(read_html(html, alone=alone, keep=keep).markdown)
    check_document(document)
    return markdown_of(document)


def hint(style: str, text: str) -> str:
    return f'{{% hint style="{style}" %}}\n{text}\n{{% endhint %}}'


IN_PAGE = base64.b64encode(PIXEL).decode()
CASES = {
    "bars in cells": (
        "<table><tr><th>a|b</th></tr><tr><td>x|y<br>z</td></tr></table>",
        "| a\\|b |\n| --- |\n| x\\|y<br>z |",
    ),
    "lists and code in cells": (
        "<table><tr><th>a</th></tr><tr><td><ul><li>1<li>2</ul><pre>b\n c</pre></td></tr></table>",
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td><p>• 1</p><p>• 2</p>"
        "<p><code>b</code><br><code> c</code></p></td></tr></tbody></table>",
    ),
    "Docusaurus": (
        '<div class="theme-admonition theme-admonition-tip x"><div class="admonitionHeading_a"><span><svg></svg></span>'
        'Mine</div><div class="admonitionContent_b"><p>t</p></div></div>',
        hint("success", "**Mine**\n\nt"),
    ),
    "MkDocs and Sphinx": (
        '<div class="admonition note"><p class="admonition-title">Note</p><p>n</p></div>',
        hint("info", "n"),
    ),
    "GitHub": (
        '<div class="markdown-alert markdown-alert-caution"><p class="markdown-alert-title">Caution</p><p>c</p></div>',
        hint("danger", "c"),
    ),
    "VitePress": (
        '<div class="custom-block warning"><p class="custom-block-title">WARNING</p><p>w</p></div>',
        hint("warning", "w"),
    ),
    "a box that opens": (
        "<details><summary>a <b>b</b></summary><p>c</p></details>",
        "<details>\n\n<summary>a <strong>b</strong></summary>\n\nc\n\n</details>",
    ),
    "captions": (
        '<figure><a href="/big.png"><img src="/a.png" alt="A"></a><figcaption>b <b>c</b></figcaption></figure>',
        '<figure><img src="/a.png" alt="A"><figcaption><p>b <strong>c</strong></p></figcaption></figure>',
    ),
    "languages": (
        '<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>x</pre></div></div>'
        '<pre><code class="hljs language-js">y</code></pre><pre data-lang="go">z</pre>',
        "```python\nx\n```\n\n```js\ny\n```\n\n```go\nz\n```",
    ),
    "fences in code": ("<pre>```\na\n```</pre>", "````\n```\na\n```\n````"),
    "ids of headings": (
        '<section id="one"><h2>A<a class="headerlink" href="#one">¶</a></h2></section><h3 id="Two">B</h3>'
        '<a name="three"></a><h3>C</h3><p><a href="#Two">to</a></p>',
        '## A <a href="#one" id="one"></a>\n\n### B <a href="#two" id="two"></a>\n\n### C '
        '<a href="#three" id="three"></a>'
        "\n\n[to](#two)",
    ),
    "elements left open": ("<ul><li>a<li>b<ul><li>c</ul></ul><p>d<p>e", "* a\n* b\n  * c\n\nd\n\ne"),
    "pictures that come later": (
        '<p>a <img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/l.png"><noscript>'
        '<img src="/l.png"></noscript>'
        '<p>b <img srcset="/s.png 1x, /m.png 2x"><p>c <img><noscript><img src="/n.png"></noscript>',
        "a ![](/l.png)\n\nb ![](/m.png)\n\nc ![](/n.png)",
    ),
    "pictures in the page": (
        f'<p>a <img src="data:image/png;base64,{IN_PAGE}" alt="p"> <img src="data:image/png;base64,PHN2Zz4="></p>',
        "a ![p](picture-1.png)",
    ),
    "footnotes": (
        '<p>a<sup id="fnref:1"><a class="footnote-ref" href="#fn:1">1</a></sup></p>'
        '<div class="footnote"><ol><li id="fn:1">'
        '<p>b <a class="footnote-backref" href="#fnref:1">↩</a></p></li></ol></div>',
        "a[^1]\n\n[^1]: b",
    ),
    "links of footnotes that lead elsewhere in the page": (
        '<h2 id="more">A</h2><p>a<a href="#fn1">1</a></p>'
        '<p id="fn1">b <a href="#more">see there</a> <a href="#r1">↩</a></p>',
        '## A <a href="#more" id="more"></a>\n\na[^1]\n\n[^1]: b [see there](#more)',
    ),
    "panels of code of which one has two codes": (
        '<div class="code panel"><div class="codeHeader">t</div>'
        '<div class="codeContent"><pre>a</pre><pre>b</pre></div></div>',
        '{% code title="t" %}\n```\na\n```\n{% endcode %}\n\n{% code title="t" %}\n```\nb\n```\n{% endcode %}',
    ),
    "raised and lowered": ("<p>H<sub>2</sub>O m<sup>3</sup></p>", "H<sub>2</sub>O m<sup>3</sup>"),
    "styles": (
        '<style>.b{font-weight:700}</style><p><span class="b">a</span> <span style="font-style:italic">b</span></p>',
        "**a** _b_",
    ),
    "frames": (
        '<p>Look <iframe src="https://video.example/embed/1?a=1&amp;b=2" width="560"></iframe></p>'
        '<ul><li>one<iframe data-src="//video.example/2">no frames</iframe></li></ul>'
        '<table><tr><td><iframe src="https://video.example/3"></iframe></td></tr></table>'
        '<iframe src="https://video.example/%}{% hint %}<b>&quot; x"></iframe>',
        'Look\n\n{% embed url="https://video.example/embed/1?a=1&amp;b=2" %}\n\n'
        "* one\n\n  [https://video.example/2](https://video.example/2)\n\n"
        '<table data-header-hidden="true"><thead><tr><th></th></tr></thead><tbody><tr><td>'
        '<a href="https://video.example/3">https://video.example/3</a></td></tr></tbody></table>\n\n'
        '{% embed url="https://video.example/%%7D%7B%%20hint%20%%7D%3Cb%3E%22%20x" %}',
    ),
    "frames that nobody sees": (
        '<iframe src="https://counts.example/" width="0" height="0"></iframe>'
        '<iframe src="https://counts.example/" style="display: none"></iframe>'
        '<noscript><iframe src="https://counts.example/"></iframe></noscript>'
        '<iframe src="javascript:x"></iframe><iframe src="data:text/html,x"></iframe><iframe src="/near"></iframe>'
        '<iframe srcdoc="x"></iframe><iframe></iframe><p>Text</p>',
        "Text",
    ),
    "what runs": (
        '<table><tr><td onclick="x"><a href="javascript:x">a</a><img src="javascript:x"><script>x'
        "</script></td></tr></table>"
        '<figure><img src="vbscript:x"></figure><details ontoggle="x"><summary>'
        '<a href="data:text/html,x">b</a></summary>c'
        '</details><svg onload="x"></svg><noscript><script>x</script></noscript>',
        '<table data-header-hidden="true"><thead><tr><th></th></tr></thead><tbody><tr><td>a</td></tr>'
        "</tbody></table>\n\n"
        "<details>\n\n<summary>b</summary>\n\nc\n\n</details>",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_read_as_what_it_means(name: str) -> None:
    html, expected = CASES[name]
    assert markdown_from(f"<h1>Title</h1>{html}") == expected + "\n"


def test_what_stands_around_a_page_is_left_out_but_boxes_in_it_are_not() -> None:
    html = (
        "<title>Site</title><header>menu</header><main><h1>T</h1><p>a</p><aside>other</aside>"
        '<aside class="starlight-aside starlight-aside--caution">'
        '<p class="starlight-aside__title">Caution</p><p>b</p></aside>'
        "</main><footer>f</footer>"
    )
    assert markdown_from(html, alone=False) == "a\n\n" + hint("danger", "b") + "\n"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", ""),
        ("<!-- a -->", ""),
        ("text", "text\n"),
        ("<p>a\0b\ud800c", "ab?c\n"),
        ("<h2></h2><p>a", "a\n"),
        ('<?xml version="1.0" encoding="ISO-8859-1"?><html><body><p>é</p></body></html>', "é\n"),
        ('<meta charset="iso-8859-1"><p>é', "é\n"),
        ("<title>T</title><main><p>a</p></main>", "a\n"),
    ],
)
def test_what_is_hardly_a_page_is_read_too(html: str, expected: str) -> None:
    assert markdown_from(html) == expected


HOSTILE = {
    "notes": '<a href="#fn1">1</a>' * 8000 + '<div id="fn1"><p>' + "<b>a</b>" * 8000 + "</p></div>",
    "lists": '<ul class="lst-kix_a-0"><li>a</li></ul><ul class="lst-kix_a-1"><li>b</li></ul>' * 4000,
    "styles": "<style>" + ".a{font-weight:700}" * 50_000 + '</style><p><span class="a">b</span></p>' * 1000,
    "boxes": '<div class="admonition">' * 100 + "<p>a</p>" * 1000 + "</div>" * 100,
    "tables in tables": "<table><tr><td>" * 60 + "a" + "</td></tr></table>" * 60,
    "depth in a cell": "<div>" * 150 + "<table><tr><td>" + "<div>" * 150 + "a",
    "tables of text in tables": "<table><tr><td>" * 60 + "<b>a</b>" * 3000,
    "boxes in boxes": '<div class="admonition">' * 100 + "<p>a</p>" * 3000,
    "elements that are gone into": "<details><summary>" * 190 + "a",
    "headings": '<h2 id="a"><a href="#a">#</a>b</h2>' * 5000,
    "tables beside each other in a cell": "<table><tr><td>" + "<table><tr><td>a</td></tr></table>" * 8000,
    "pictures of nothing": "<p>" + "a<img>" * 20_000,
    "elements that are left out": "<p>" + "a<script></script>" * 20_000,
    "rules of one class": "<style>" + ".a{font-weight:700}" * 20_000 + "</style>" + '<span class="a">b</span>' * 20_000,
    "what styles say": ("<span style='" + "text-decoration:" * 120 + "'>a</span>") * 2000,
    "figures in figures": "<figure>" * 380 + "<b>a</b>" * 50_000,
    "notes in notes": "".join(f"<p><a href='#fn{number}'>1</a></p>" for number in range(380))
    + "".join(f"<div id='fn{number}'>" for number in range(380))
    + "<b>a</b>" * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_takes_time_as_the_page_is_large(name: str) -> None:
    """Were an element looked through for each of the others, these would take minutes or hours."""
    try:
        markdown_from(HOSTILE[name])
    except Refused as error:
        assert error.message


PIECES = [
    *("<div>", "<p>", "<ul>", "<li>", '<li id="fn1">', '<a href="#fn1">', '<a href="#fnref1">', "<a>", '<a name="n">'),
    *("<table>", '<table class="highlighttable">', "<tr>", "<td>", "<th>", "<thead>", "<caption>", "<pre>", "<code>"),
    *('<span style="font-weight:700;font-style:italic">', '<span class="linenos">', '<ul class="lst-kix_a-0">'),
    *('<ol class="lst-kix_a-1">', '<div class="admonition note">', '<p class="admonition-title">', "<details>"),
    *('<details class="admonition">', "<summary>", '<div class="code panel">', '<div class="panelContent">'),
    *('<div class="codeHeader">', '<div class="expand-container">', '<div class="expand-control">', "<h1>", "<svg>"),
    *('<div class="expand-content">', '<div class="toc-macro">', '<section id="s"><h2>', "<noscript>", "<figure>"),
    *("<figcaption>", "<sup>", '<ul class="inline-task-list">', '<li data-checked="true">', "<aside>", "<main>"),
    *(
        "<head>",
        "<title>",
        "<body>",
        '<p class="title">',
        '<p class="subtitle">',
        "<script>",
        '<input type="checkbox">',
    ),
    *(
        '<img src="a">',
        "<img>",
        '<img data-src="b" width="3">',
        "<br>",
        "<hr>",
        "a",
        "1",
        "[1]",
        "↩",
        " ",
        "<!-- c -->",
    ),
    *("</div>", "</p>", "</ul>", "</li>", "</a>", "</table>", "</tr>", "</td>", "</pre>", "</span>", "</details>"),
    *("</h1>", "</figure>", "</noscript>", "</head>", "</script>"),
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.booleans())
def test_whatever_stands_in_whatever_is_read(html: str, alone: bool) -> None:
    markdown_from(html, alone=alone)


def test_archives_in_archives_count_together(tmp_path: Path) -> None:
    part = packed({f"{number}.md": "a" for number in range(archives.MAX_MEMBERS // 2)})
    outer = tmp_path / "outer.zip"
    outer.write_bytes(packed({"a.zip": part, "b.zip": part, "c.zip": part}))
    with pytest.raises(Refused, match="more than"):
        archives.unpack(outer, tmp_path / "into", nested=True)


def test_an_archive_in_an_archive_stays_in_its_folder(tmp_path: Path) -> None:
    outer = tmp_path / "outer.zip"
    outer.write_bytes(packed({"a.zip": packed({"../out.md": "a"})}))
    with pytest.raises(Refused, match="outside"):
        archives.unpack(outer, tmp_path / "into", nested=True)
    assert not (tmp_path / "out.md").exists()
