"""Documents as HTML: what they say is there, and nothing in it runs, whatever somebody wrote."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup, escape
from pygments.lexers import get_all_lexers, get_lexer_by_name

from runtime.contract.document_size import MAX_DOCUMENT_PARTS
from runtime.services.html import timed_patterns
from runtime.services.html.coloring import PREPARING, Coloring
from runtime.services.html.formulas import LONGEST, Formulas
from runtime.services.html.reviewed_lexers import lexer_of
from runtime.services.html.timed_patterns import (
    OF_CHARACTER,
    OF_EACH,
    ONE_MATCH,
    CompiledPatterns,
    TimedPattern,
    Unprepared,
    is_linear,
)
from runtime.services.html.writing import html_of
from runtime.services.markdown.reading import document_of
from runtime.services.printing import formulas
from runtime.services.printing.formulas import DrawnFormulas
from tests.runtime.services.link_targets import Targets

ALLOWED = {
    *(
        "a",
        "aside",
        "blockquote",
        "br",
        "code",
        "div",
        "em",
        "figcaption",
        "figure",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
    ),
    *("img", "kbd", "li", "ol", "p", "pre", "s", "section", "span", "strong", "sub", "sup", "table", "tbody", "td"),
    *("th", "thead", "tr", "ul"),
}
ALLOWED |= {
    *("math", "menclose", "mfenced", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot"),
    *("mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr"),
    *("munder", "munderover"),
}
FORMULAS = {
    *("accent", "columnalign", "columnlines", "columnspacing", "depth", "display", "displaystyle", "fence"),
    *("form", "height", "linethickness", "lspace", "mathbackground", "mathcolor", "mathsize", "mathvariant"),
    *("maxsize", "minsize", "movablelimits", "notation", "rowlines", "rowspacing", "rspace", "scriptlevel"),
    *("separator", "stretchy", "voffset", "width"),
}
ATTRIBUTES = {"alt", "aria-label", "class", "height", "href", "id", "role", "src", "start", "tabindex", "width"}


class Looked(HTMLParser):
    """Collects what a browser would find."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def looked(html: str) -> Looked:
    found = Looked()
    found.feed(html)
    found.close()
    return found


def is_harmless(html: str) -> Looked:
    found = looked(html)
    assert found.tags <= ALLOWED, found.tags - ALLOWED
    assert {name for name, _ in found.attributes} <= ATTRIBUTES | FORMULAS, found.attributes
    for name, value in found.attributes:
        if name in ("href", "src"):
            scheme = "".join(sign for sign in value if sign > " ").lower().partition(":")[0]
            assert ":" not in value or scheme in ("http", "https", "mailto", "tel") or "/" in scheme or "#" in scheme, (
                value
            )
    return found


def test_every_kind_of_block_is_there() -> None:
    markdown = """# One

Text with **bold**, _italic_, ~~gone~~, `code`, [a link](https://example.com/) and a note[^1].

1. first
2. second

- [x] done
- [ ] not yet

> quoted

{% hint style="danger" %}
Careful.
{% endhint %}

{% tabs %}
{% tab title="Tab A" %}
In A.
{% endtab %}
{% endtabs %}

{% stepper %}
{% step %}
### Step one
Do it.
{% endstep %}
{% endstepper %}

<details>

<summary>More</summary>

Hidden text.

</details>

{% code title="a.py" lineNumbers="true" %}
```python
x = 1
```
{% endcode %}

$$
a < b
$$

| A | B |
|---|---:|
| 1 | 2 |

{% embed url="https://example.com/video" %}

[^1]: The note.
"""
    found = is_harmless(html_of(document_of(markdown), Targets()))
    for words in (
        "One",
        "bold",
        "second",
        "quoted",
        "Careful.",
        "Tab A",
        "Do it.",
        "Hidden text.",
        "a.py",
        "a<b",
        "The note.",
    ):
        assert words in found.text, words
    assert {"ol", "ul", "table", "pre", "aside", "blockquote", "strong", "s"} <= found.tags
    assert ("href", "https://example.com/video") in found.attributes


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:x)",
    "![x](javascript:alert(1))",
    '![x" onerror="alert(1)](https://example.com/x.png)',
    '<a href="javascript:alert(1)">x</a>',
    "<iframe src=javascript:alert(1)></iframe>",
    "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>",
    "<style>@import 'javascript:alert(1)';</style>",
    "`</code><script>alert(1)</script>`",
    "```html\n</code></pre><script>alert(1)</script>\n```",
    '```"><script>alert(1)</script>\nx\n```',
    '{% embed url="javascript:alert(1)" %}',
    '{% code title="<script>alert(1)</script>" %}\n```\nx\n```\n{% endcode %}',
    '{% tabs %}\n{% tab title="<img src=x onerror=alert(1)>" %}\nx\n{% endtab %}\n{% endtabs %}',
    '{% hint style="x\\" onclick=\\"alert(1)" %}\nx\n{% endhint %}',
    '{% @x/y title="</content-kit><script>alert(1)</script>" %}',
    "| <script>alert(1)</script> | b |\n|---|---|\n| <img src=x onerror=alert(1)> | javascript:alert(1) |",
    "$$\n</pre><script>alert(1)</script>\n$$",
    "<details><summary><script>alert(1)</script></summary>\n\nx\n\n</details>",
    '# x <a href="#x" id="x&quot; onclick=alert(1)"></a>',
    "[^1]\n\n[^1]: <script>alert(1)</script>",
    '<p align="center" onclick="alert(1)">x</p>',
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("around", ["{}", "> {}", "- {}", "# {}"])
def test_nothing_that_markdown_says_runs(attack: str, around: str) -> None:
    is_harmless(html_of(document_of(around.format(attack)), Targets()))


TEXTS = st.text(alphabet="ab<>&\"'/:#= \n", max_size=12) | st.sampled_from(
    ["javascript:alert(1)", "</script><script>", '" onclick="x', "https://example.com/", "heading-1", "start"]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(
    [
        *(
            "paragraph",
            "heading-1",
            "heading-3",
            "list-ordered",
            "list-tasks",
            "list-item",
            "code",
            "code-line",
            "table",
        ),
        *(
            "images",
            "image",
            "file",
            "embed",
            "hint",
            "tabs",
            "expandable",
            "stepper",
            "columns",
            "content-ref",
            "math",
        ),
        *(
            "link",
            "emoji",
            "inline-image",
            "mention",
            "button",
            "annotation",
            "expression",
            "swagger",
            "openapi-operation",
        ),
    ]
)
DATA = st.dictionaries(
    st.sampled_from(
        ["ref", "url", "title", "style", "align", "id", "width", "syntax", "label", "formula", "code", "start"]
    ),
    VALUES | st.fixed_dictionaries({"kind": st.sampled_from(["url", "page", "file"]), "url": TEXTS, "page": TEXTS}),
    max_size=4,
)
NODES = st.recursive(
    st.fixed_dictionaries(
        {
            "object": st.just("text"),
            "leaves": st.lists(st.fixed_dictionaries({"text": TEXTS, "marks": VALUES}), max_size=2),
        }
    ),
    lambda inner: st.fixed_dictionaries(
        {"object": st.sampled_from(["block", "inline"]), "type": KINDS, "data": DATA},
        optional={"nodes": st.lists(inner, max_size=3), "fragments": st.lists(inner, max_size=2), "meta": VALUES},
    ),
    max_leaves=12,
)


@given(st.lists(NODES, max_size=4))
@settings(max_examples=150)
def test_nothing_that_a_document_says_runs(nodes: list[Any]) -> None:
    is_harmless(html_of({"object": "document", "nodes": nodes}, Targets()))


def formula(tex: str, *, display: bool = False) -> str:
    kind = "math" if display else "inline-math"
    node = {"object": "block", "type": kind, "data": {"formula": tex}}
    if not display:
        node = {"object": "block", "type": "paragraph", "nodes": [node]}
    return html_of({"object": "document", "nodes": [node]}, Targets())


def test_formulas_are_drawn_by_the_browser() -> None:
    found = is_harmless(formula(r"\int_0^1 \frac{x}{2}\,dx \leq \sqrt{y}", display=True))
    assert {"math", "msubsup", "mfrac", "msqrt"} <= found.tags and "∫" in found.text and "\\" not in found.text
    assert ("display", "block") in found.attributes
    assert ("display", "inline") in is_harmless(formula("a")).attributes


@pytest.mark.parametrize("tex", [r"\frac", r"\left(", "x_", r"\begin{matrix}", "{" * 3000, "x" * (LONGEST + 1), ""])
def test_what_is_no_formula_stays_as_it_is_written(tex: str) -> None:
    found = is_harmless(formula(tex))
    assert "math" not in found.tags and found.text == tex
    assert DrawnFormulas().svg(tex, display=True) is None


def test_a_document_has_an_end_of_formulas() -> None:
    formulas = Formulas(10)
    assert [formulas.mathml("abcd", display=False) is None for _ in range(3)] == [False, False, True]


COMMANDS = [
    *(
        r"\href{javascript:alert(1)}",
        r"\class{x}",
        r"\cssId{x}",
        r"\style{background:url(//x)}",
        r"\color{javascript:x}",
    ),
    *(r"\text{<script>alert(1)</script>}", r"\text{&lt;img onerror=x&gt;}", r"\operatorname{<b>}", r"\mathrm{</math>}"),
    *(
        r"\frac",
        r"\sqrt",
        r"\left(",
        r"\right)",
        "{",
        "}",
        "_",
        "^",
        "&",
        r"\\",
        r"\begin{matrix}",
        r"\end{matrix}",
        "x",
    ),
    *("<script>", '" onclick="x', "&#60;", r"\hspace{1em}", r"\fbox", r"\begin{array}{c|c}", r"\end{array}", "'", "日"),
]


@given(st.lists(st.sampled_from(COMMANDS) | TEXTS, max_size=12).map(" ".join))
def test_nothing_that_a_formula_says_runs(tex: str) -> None:
    is_harmless(formula(tex, display=True))
    drawn = DrawnFormulas().svg(tex, display=True)
    if drawn is not None:
        assert looked(drawn).tags <= {"p", "svg", "path", "rect", "line", "g"}, drawn


@pytest.mark.parametrize(
    ("levels", "before", "inside", "after"),
    [
        (30, "{1+", "x", "}"),
        (11, r"\begin{matrix}", "x", r"\end{matrix}"),
        (8, r"\phantom{", "x", "}"),
        (8, r"\smash{", "x", "}"),
        (6, "{", rf"\text{{{'a' * 1900}}}", "}"),
    ],
)
def test_a_formula_that_takes_too_long_is_not_drawn(levels: int, before: str, inside: str, after: str) -> None:
    tex = before * levels + inside + after * levels  # twice as long for each level, or longer
    assert Formulas().mathml(tex, display=True) is not None or levels > 20
    assert DrawnFormulas().svg(tex, display=True) is None


def test_a_book_has_an_end_of_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = DrawnFormulas().svg("abcd", display=True)
    assert drawing is not None
    monkeypatch.setattr(formulas, "MOST_DRAWN_IN_BOOK", 2 * len(drawing))
    drawn = DrawnFormulas()
    assert [drawn.svg("abcd", display=True) is None for _ in range(3)] == [False, False, True]


def test_a_formula_with_signs_that_its_font_lacks_is_not_drawn() -> None:
    assert DrawnFormulas().svg(r"\text{日本語}", display=True) is None


@pytest.mark.parametrize("tex", [r"\text{&#12;}", "x\x00", "\\text{\x1b}", "\uffff", "x\ud800"])
def test_a_formula_with_signs_that_xml_cannot_have_stays_as_it_is_written(tex: str) -> None:
    assert Formulas().mathml(tex, display=False) is None
    assert DrawnFormulas().svg(tex, display=False) is None


def test_words_with_hyphens_are_drawn() -> None:
    assert DrawnFormulas().svg(r"1\text{-fold} - 2", display=False) is not None


def test_what_is_very_deep_becomes_text() -> None:
    node: dict[str, Any] = {
        "object": "block",
        "type": "paragraph",
        "nodes": [{"object": "text", "leaves": [{"text": "deep"}]}],
    }
    for _ in range(300):
        node = {"object": "block", "type": "blockquote", "nodes": [node]}
    assert "deep" in looked(html_of({"nodes": [node]}, Targets())).text


def test_code_is_colored_as_long_as_its_time_lasts() -> None:
    coloring = Coloring()
    assert '<span class="hl-k">def</span>' in coloring.html("def f(): pass", "python")
    assert coloring.html("<b>", "no such language") == "&lt;b&gt;"
    # The time of these grows with the square of their length: whole they take a minute.
    begun = time.thread_time()
    for language, text in (("diff", "/" * 20_000), ("adl", " " * 20_000), ("html+ng2", "(\n" * 10_000)):
        assert coloring.html(text, language) == text
    assert time.thread_time() - begun < 2
    spent = Coloring(seconds=0.0001)
    assert spent.html("x = 1\n" * 1000, "python") == "x = 1\n" * 1000
    assert spent.html("def f(): pass", "python") == "def f(): pass"  # nothing is left
    assert "hl-k" in Coloring().html("def f(): pass", "python")


@pytest.mark.parametrize(
    ("language", "text"),
    [("bash", "$'" + "\\7" * 60), ("console", ("[a@b]" * 199 + "\n") * 15)],
    ids=["an expression of the lexer", "a prompt it looks for"],
)
def test_code_that_takes_the_lexer_forever_is_plain(language: str, text: str) -> None:
    begun = time.thread_time()
    assert Markup(Coloring().html(text, language)).striptags().split() == text.split()
    assert time.thread_time() - begun < 2
    if language == "bash":
        again = time.thread_time()
        assert Coloring().html(text, language) == str(escape(text))
        assert time.thread_time() - again < ONE_MATCH, "it is tried once"


WRITTEN = {
    "ruby": 'class Space < Base\n  attr_reader :title\n  def initialize(title) = @title = "#{title} #{1 + 2}"\nend\n',
    "cpp": '#include <map>\nstd::map<int, std::string> named(const int &count) { return {{count, "a"}}; } // all\n',
    "javascript": "const title = async (id) => (await fetch(`/v1/spaces/${id}`)).json() // a comment\n",
    "bash": 'for name in "$@"; do echo "${name%.md}: $(wc -l < "$name")" >> list.txt; done # all\n',
    "kotlin": 'data class Space(val title: String) { fun shown() = "$title!" }\n',
}


@pytest.mark.parametrize("language", WRITTEN)
def test_long_code_that_people_write_is_colored(language: str) -> None:
    text = WRITTEN[language] * (5000 // len(WRITTEN[language]))
    Coloring(seconds=30).html(text, language)
    assert "</span>" in Coloring(seconds=1).html(text, language)
    stop = threading.Event()

    def compute() -> None:
        while not stop.is_set():
            sum(range(1000))

    threads = [threading.Thread(target=compute) for _ in range(6)]
    for thread in threads:
        thread.start()
    try:  # a busy host colors it as well, since each match keeps the interpreter
        assert "</span>" in Coloring(seconds=5).html(text, language)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


PREPARE = """
import sys, time
from runtime.services.html.coloring import PREPARING, Coloring

page, begun = Coloring(), time.thread_time()
for language in sys.argv[1:]:
    page.html("x", language)
took = time.thread_time() - begun
print(took, "hl-" in page.html("x = 1", "python"), "hl-" in Coloring().html("x = 1", "python"))
"""


def test_many_new_languages_are_prepared_a_few_for_each_page() -> None:
    languages = [aliases[0] for _, aliases, _, _ in get_all_lexers() if aliases and aliases[0] != "python"]
    done = subprocess.run([sys.executable, "-c", PREPARE, *languages], capture_output=True, text=True, check=True)
    took, here, elsewhere = done.stdout.split()
    assert float(took) < 3 * PREPARING  # all of them took eight seconds
    assert (here, elsewhere) == ("False", "True")


def test_the_expressions_of_lexers_have_a_limit() -> None:
    rules = [rule[0] for state in get_lexer_by_name("bash")._tokens.values() for rule in state]
    assert any(isinstance(getattr(rule, "__self__", None), TimedPattern) for rule in rules)


def test_expressions_are_compiled_when_they_are_needed_and_forgotten_when_they_weigh_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most = 10 * (OF_EACH + OF_CHARACTER * 100)
    kept = CompiledPatterns(most)
    monkeypatch.setattr(timed_patterns, "COMPILED", kept)
    patterns = [TimedPattern(f"(?:{'a' * 90}|{number})+x?", 0) for number in range(40)]
    assert kept.weight == 0
    for _ in range(2):  # what was forgotten is compiled again
        assert all(pattern.match(f"{number}") for number, pattern in enumerate(patterns))
        assert most / 2 < kept.weight <= most


def test_without_time_to_prepare_no_expression_is_compiled() -> None:
    pattern = TimedPattern("(a+)+", 0)
    with timed_patterns.COMPILING.within(0), pytest.raises(Unprepared):
        pattern.match("a")
    assert pattern.match("a")
    with timed_patterns.COMPILING.within(0):
        assert pattern.match("a")


def test_what_comes_after_the_time_is_over_is_colored_elsewhere() -> None:
    spent = Coloring(seconds=0.001)
    texts = [f"docs = {number}\n" * 10 for number in range(200)]
    assert spent.html(texts[-1], "python") and not all("hl-" in spent.html(text, "python") for text in texts)
    assert all("hl-" in Coloring().html(text, "python") for text in texts)


@given(st.text("aab", max_size=30), st.sampled_from(["a*", "[ab]+b", "a{2,}b?", "(?:ab?|b)c", "(a)b*?c"]))
def test_only_expressions_that_cannot_take_long_are_left_to_re(text: str, pattern: str) -> None:
    assert is_linear(pattern)
    found, timed = re.compile(pattern).match(text), TimedPattern(pattern, 0).match(text)
    assert (found and found.span()) == (timed and timed.span())


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "(a|a)*b", "(a*)*", "a*a*b", "a?a?a?a?a?a", "(?:a{1,9}){9}", "(?x) (a|a) *b", r"(\\.|[^'])*'"]
)
def test_others_are_not(pattern: str) -> None:
    assert not is_linear(pattern)


def test_every_language_shows_the_text_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    text = 'foo bar "x" 12 # c\n\tif (a) { return b; }\n$ ls\n>>> 1\n<p>ü</p>\n'
    languages = [aliases[0] for _, aliases, _, _ in get_all_lexers() if aliases]
    assert len(languages) > 400
    plain: list[str] = []
    for language in languages:
        html = Coloring(seconds=30).html(text, language)
        if "</span>" not in html and lexer_of(language.lower()) is not None:
            plain.append(language)
        shown = Markup(re.sub("<[^>]*>", "", html)).unescape()
        assert shown.split() == text.split(), language  # Robot Framework has spaces for tabs
    assert len(plain) < 20, plain  # plain text itself, and prompts that are not there
    assert "could not be colored" not in caplog.text


def test_a_small_table_is_a_small_page() -> None:
    def page(view: Any, definition: Any, records: Any) -> str:
        data = {"view": {"type": "grid", **view}, "definition": definition, "records": records}
        block = {"object": "block", "type": "table", "data": data, "fragments": []}
        return html_of({"nodes": [block]}, Targets())

    columns = page({"columns": ["a"] * 3000}, {"a": {"type": "number", "title": "t" * 1000}}, {})
    assert columns.count("<th>") == 1
    labels = {"type": "select", "title": "", "options": [{"value": "x", "label": "y" * 50_000}]}
    cells = {str(number): {"orderIndex": str(number), "values": {"a": ["x"] * 1000}} for number in range(1000)}
    assert len(page({"columns": ["a"]}, {"a": labels}, cells)) < 1_000_000
    many = {str(number): {"type": "number", "title": ""} for number in range(2000)}
    rows = {str(number): {"orderIndex": str(number), "values": {}} for number in range(2000)}
    assert page({"columns": [*many]}, many, rows).count("<td") == MAX_DOCUMENT_PARTS


def test_names_of_parts_may_be_anything() -> None:
    odd: list[dict[str, Any]] = [
        {"type": "expandable", "fragments": [{"fragment": ["x"], "nodes": []}]},
        {"type": "paragraph", "nodes": [{"object": "text", "leaves": [{"text": "t", "marks": [{"type": ["x"]}]}]}]},
        {
            "type": "table",
            "fragments": [{"fragment": {}, "nodes": []}],
            "data": {
                "records": {"r": {"values": {}}},
                "definition": {"c": {"textAlignment": ["x"]}},
                "view": {"columns": ["c"]},
            },
        },
    ]
    for node in odd:
        is_harmless(html_of({"nodes": [node]}, Targets()))
