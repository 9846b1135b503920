"""What is imported is hostile: scripts, archives and documents that attack, trees and texts beyond reason."""

from __future__ import annotations

import html.parser
import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from runtime.api.families.importing import LONGEST_WAIT
from tests.conftest import Tenant, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.attacks import ATTACKS
from tests.scenarios.content import Space
from tests.scenarios.elsewhere import Elsewhere, packed, redirect, word_document
from tests.scenarios.importing import (  # noqa: F401  # fixtures
    imported,
    importing_owner,
    live_space,
    reaching_host,
    refused,
    sent,
    source_web,
)


def nodes_of(node: Any) -> Iterator[dict[str, Any]]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
        waiting += [*(one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())]


class Tags(html.parser.HTMLParser):
    """The tags of Markdown, outside of its code."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def assert_harmless(space: Space) -> int:
    """Nothing of what the space says could run; returns how many pages were looked at."""
    count = 0
    waiting = ok(space.api.get(f"{space.path}/content/pages"))["pages"]
    while waiting:
        page = waiting.pop()
        waiting += page.get("pages", [])
        if page["type"] != "document":
            continue
        count += 1
        path = f"{space.path}/content/page/{page['id']}"
        document = ok(space.api.get(path, format="document"))["document"]
        for node in nodes_of(document):
            assert not {name for name in node if name.lower().startswith("on")}, node
            if node.get("kind") == "url":
                assert harmless(node["url"]), node
            if node.get("type") in ("embed", "integration"):
                assert harmless(node["data"].get("url", "")), node
        markdown = ok(space.api.get(path, format="markdown"))["markdown"]
        assert_markdown_harmless(markdown)
    return count


def harmless(url: str) -> bool:
    plain = "".join(sign for sign in url if sign > " ").lower()
    scheme = re.match(r"([a-z][a-z0-9+.-]*):", plain)
    return scheme is None or scheme[1] in ("http", "https", "mailto", "tel")


def assert_markdown_harmless(markdown: str) -> None:
    """Leave out code and what is escaped; then there is no live tag, and no link that runs."""
    plain = re.sub(r"```.*?```|`[^`]*`", "", markdown, flags=re.DOTALL)
    plain = re.sub(r"\\[\\<>\[\]()`{}]", "", plain)
    tags = Tags()
    tags.feed(plain)
    for tag, attributes in tags.found:
        assert tag in ("a", "img", "figure", "figcaption", "mark", "table", "thead", "tbody", "tr", "td", "th", "p",
                       "h1", "h2", "h3", "details", "summary", "picture", "source", "pre", "code", "div", "sub", "sup",
                       "em", "strong", "br", "i", "kbd", "del", "s"), markdown  # fmt: skip
        assert not [name for name in attributes if name.startswith("on")], markdown
        assert all(harmless(attributes.get(name) or "") for name in ("href", "src", "srcset")), markdown
    for target in re.findall(r"\]\(<?([^)>]*)", plain):
        assert harmless(target), markdown


def test_there_are_a_hundred_attacks() -> None:
    assert len(set(ATTACKS)) >= 100


@pytest.mark.parametrize("form", ["md", "html"])
def test_no_attack_is_live(space: Space, form: str) -> None:
    files = {f"{number:03}.{form}": f"# Page {number}\n\n{one}\n" for number, one in enumerate(ATTACKS)}
    if form == "html":
        files = {name: f"<body>{text.partition(chr(10))[2]}</body>" for name, text in files.items()}
    made = sent(space, packed(files), "zip")
    assert made["status"] == "completed", made
    assert assert_harmless(space) == len(ATTACKS)


def test_no_attack_of_a_website_is_live(space: Space, web: Elsewhere) -> None:
    links = "".join(f"<a href='{number}'>{number}</a>" for number in range(len(ATTACKS)))
    start = web.put("/attacks/", f"<main><h1>Start</h1>{links}</main>")
    for number, attack in enumerate(ATTACKS):
        web.put(f"/attacks/{number}", f"<main><h1>{number}</h1>{attack}</main>")
    imported(space, start, "website")
    assert assert_harmless(space) >= len(ATTACKS)


def archive(*members: tuple[zipfile.ZipInfo | str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as zipped:
        for member, content in members:
            zipped.writestr(member, content)
    return made.getvalue()


def link() -> zipfile.ZipInfo:
    one = zipfile.ZipInfo("link.md")
    one.create_system, one.external_attr = 3, 0o120777 << 16
    return one


def encrypted() -> bytes:
    plain = bytearray(archive(("a.md", b"# A")))
    plain[6] |= 1
    plain[plain.index(b"PK\x01\x02") + 8] |= 1
    return bytes(plain)


def lying() -> bytes:
    """An archive that says of a file that it has ten bytes, and has a million."""
    plain = bytearray(archive(("a.md", b"x" * 1_000_000)))
    at = plain.index(b"PK\x01\x02")
    for place in (22, at + 24):
        plain[place : place + 4] = (10).to_bytes(4, "little")
    return bytes(plain)


ARCHIVES = {
    "a bomb": (archive(("a.md", b"\0" * 100_000_000)), "treated as an attack"),
    "many files": (archive(*((f"{number}.md", b"") for number in range(20_001))), "more than 20000 files"),
    "upwards": (archive(("../../etc/x.md", b"# X")), "outside of its folder"),
    "absolute": (archive(("/etc/x.md", b"# X")), "outside of its folder"),
    "a drive": (archive(("C:\\x.md", b"# X")), "outside of its folder"),
    "a link": (archive((link(), b"/etc/passwd")), "links or devices"),
    "encrypted": (encrypted(), "encrypted"),
    "lies": (lying(), "damaged"),
    "deep": (archive(("d/" * 40 + "x.md", b"# X")), "folders too deep"),
    "nothing": (archive(("x.bin", b"\0")), "no page"),
    "a document with entities": (
        word_document("", **{"word/document.xml": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'}),
        "entities",
    ),
    "a damaged document": (word_document("<w:p><w:r>"), "damaged"),
    "a program": (b"\x7fELF\0\0\0", "not text"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_what_attacks_is_refused(space: Space, name: str) -> None:
    content, said = ARCHIVES[name]
    before = ok(space.api.get(space.path))["revision"]
    made = sent(space, content, "docx" if "document" in name else "html" if name == "a program" else "zip")
    assert made["status"] == "failed"
    assert said in made["error"], made
    assert ok(space.api.get(space.path))["revision"] == before


LARGE = {
    "four megabytes": "word [link](https://example.com) *and*\n\n" * 100_000,
    "nested lists": "".join("  " * depth + "* x\n" for depth in range(600)) + "* " * 100_000 + "x",
    "quotes": ">" * 100_000,
    "brackets": "[" * 100_000,
}


@pytest.mark.parametrize("name", LARGE)
def test_large_markdown_is_imported_or_refused_with_a_sentence(space: Space, name: str) -> None:
    made = sent(space, LARGE[name].encode(), "markdown")
    assert made["status"] == "completed" or "smaller parts" in made["error"] or "split it" in made["error"], made
    assert space.api.get(f"{space.path}/content/pages").status == 200


def test_deep_html_is_refused(space: Space) -> None:
    made = sent(space, b"<div>" * 100_000 + b"x", "html")
    assert made["status"] == "failed"
    assert "elements" in made["error"] or "too much" in made["error"], made


def test_pages_of_another_space_are_addresses(space: Space, owner: Tenant) -> None:
    there = Space(owner)
    there.merge({"type": "insert_page", "id": "secret", "title": "Secret"})
    sent(space, b"# A\n\n[x](/pages/secret) [y](/spaces/%s/pages/secret)" % there.id.encode(), "markdown")
    document = ok(space.api.get(f"{space.path}/content/path/a", format="document"))["document"]
    refs = [node for node in nodes_of(document) if "kind" in node]
    assert refs and all(ref["kind"] == "url" for ref in refs)


def test_what_robots_txt_says_is_read_apart(space: Space, web: Elsewhere) -> None:
    """Many names of readers before many rules: each has all of them, in more memory than there is."""
    names = "".join(f"User-agent:{number:x}\n" for number in range(16_000))
    rules = "".join(f"Allow:/{number:x}\n" for number in range(20_000))
    web.put("/robots.txt", names + rules, "text/plain")
    start = web.put("/many-rules/", "<main><h1>Start</h1>text</main>")
    answer = space.api.post(
        f"{space.path}/content/import", {"url": start, "source": "website"}, timeout=LONGEST_WAIT + 20
    )
    refused(answer, "robots.txt of the website takes too much")


def test_a_redirect_leads_to_no_page_that_robots_txt_forbids(space: Space, web: Elsewhere) -> None:
    web.put("/robots.txt", "User-agent: *\nDisallow: /asked/hidden\n", "text/plain")
    start = web.put("/asked/", "<main><h1>Start</h1><a href='there'>there</a></main>")
    web.pages["/asked/there"] = redirect("/asked/hidden")
    web.put("/asked/hidden", "<main><h1>Hidden</h1></main>")
    made = imported(space, start, "website")
    assert made["importedResources"] == 1 and "/asked/hidden" not in web.asked


def test_a_picture_of_an_endless_address_is_not_fetched(space: Space, web: Elsewhere) -> None:
    start = web.put("/long/", f"<main><h1>Start</h1><img src='/p.png?{'x' * 100_000}'></main>")
    imported(space, start, "website")
    assert not [path for path in web.asked if path.startswith("/p.png")]


def test_a_page_with_control_characters_is_found_all_the_same(space: Space) -> None:
    page = '---\ndescription: "x\\0y"\nslug: "q\\x1b\\0z"\n---\n\nfindthis\x00\x1b [a](https://a.example/\x00)'
    files = {"a.md": page, "SUMMARY.md": "# S\n\n* [\0\x1bA](a.md)\n", ".gitbook/vars.yaml": 'one: "x\\0\\ud800"\n'}
    made = sent(space, packed(files), "zip")
    assert made["status"] == "completed", made
    (only,) = ok(space.api.get(f"{space.path}/content/pages"))["pages"]
    assert (only["title"], only["slug"], only["description"]) == ("A", "qz", "xy")
    wait_for(lambda: ok(space.api.get(f"{space.path}/search", query="findthis"))["items"])
