"""Rewrites HTML from other products and site generators into elements that have a Markdown form.

Admonitions become `<hint>`, expandable sections `<details>`, footnotes `<note>` and references to them `<note-ref>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

from bs4.element import NavigableString, Tag

from runtime.contract.url_parts import split_url
from runtime.services.importing.admonitions import rewrite_admonitions, rewrite_expandables
from runtime.services.importing.footnotes import rewrite_footnotes
from runtime.services.importing.html_tree import classed, every, without
from runtime.services.importing.pictures_in_html import Keep, resolve_pictures
from runtime.services.markdown.reading_html import ID

CHECKED, UNCHECKED = "\ue000", "\ue001"
"""Placeholders for the checkbox of a task, until the Markdown is written."""
LANGUAGE = re.compile(
    r"(?:^|[\s;])(?:language|lang|highlight-source|highlight-text|highlight|brush:|sourceCode)[-\s]?\s*([\w+#.-]{1,40})"
)
NO_LANGUAGES = frozenset(("highlight", "none", "default", "notranslate", "text", "plaintext", "plain"))
ANCHORS = frozenset(("", "#", "¶", "§", "🔗", "\u200b", "link", "permalink"))
"""Texts of links in headings that lead to the heading itself."""
GOOGLE_LIST = re.compile(r"\blst-kix_([\w]+)-(\d)\b")
RULE = re.compile(r"\.([\w-]{1,60})\s*\{([^{}]*)\}")
MONOSPACE = ("mono", "courier", "consolas", "menlo")
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
BOLD = frozenset(("bold", "bolder", "600", "700", "800", "900"))


def marks_of(css: str) -> list[str]:
    """Return the elements equivalent to CSS declarations: bold, italic, strikethrough, code, super- and subscript."""
    said: dict[str, str] = {}
    for declaration in css.lower().split(";"):
        name, _, value = declaration.partition(":")
        said[name.strip()] = value.strip()
    line = said.get("text-decoration", "") + said.get("text-decoration-line", "")
    marks = {
        "strong": said.get("font-weight") in BOLD,
        "em": said.get("font-style") == "italic",
        "s": "line-through" in line,
        "code": any(name in said.get("font-family", "") for name in MONOSPACE),
        "sup": said.get("vertical-align") == "super",
        "sub": said.get("vertical-align") == "sub",
    }
    return [name for name, holds in marks.items() if holds]


def classes_of(soup: Any) -> dict[str, list[str]]:
    """Read the style sheets in a page: class -> the elements of `marks_of`; bounded by their size."""
    found: dict[str, dict[str, None]] = {}
    for sheet in soup.find_all("style"):
        for rule in RULE.finditer(str(sheet.string or "")[:1_000_000]):
            marks = marks_of(rule[2][:2000])
            if marks:
                found.setdefault(rule[1], {}).update(dict.fromkeys(marks))
    return {name: list(marks) for name, marks in found.items()}


def _tables(soup: Any, body: Any) -> None:
    """Turn the rows of tables inside tables into paragraphs, as no cell can hold a table."""
    for table in every(body, "table"):
        if table.decomposed or table.find_parent("table") is None:
            continue
        for row in [one for one in every(table, "tr") if one.find_parent("table") is table]:
            line = soup.new_tag("p")
            line.string = " ".join(
                cell.get_text(" ", strip=True) for cell in row.find_all(("td", "th"), recursive=False)
            )
            table.insert_before(line)
        table.decompose()


def tidy(soup: Any, body: Any, classes: dict[str, list[str]], keep: Keep | None) -> None:
    """Rewrite a page; `keep` stores embedded pictures, which are dropped without it."""
    _tables(soup, body)
    _lists_of_google(body)
    _tasks(body)
    _marks(soup, body, classes)
    _links(body)
    rewrite_footnotes(soup, body)
    _code(body)
    rewrite_admonitions(soup, body)
    rewrite_expandables(soup, body)
    _headings(body)
    resolve_pictures(body, keep)


def _marks(soup: Any, body: Any, classes: dict[str, list[str]]) -> None:
    for element in every(body, "span", "font"):
        marks = marks_of(str(element.get("style") or "")[:2000])
        for name in element.get("class") or ():
            marks += classes.get(name, [])
        if not marks or not element.get_text(strip=True):
            continue
        inside = {one.name for one in element.parents}
        if not inside.isdisjoint((*HEADINGS, "pre")):
            marks = [name for name in marks if name in ("em", "s")]
        if element.find("a", recursive=False) is not None:
            marks = [name for name in marks if name != "sup"]
        names = [name for name in dict.fromkeys(marks) if name not in inside]
        for name in names[1:]:
            element.wrap(soup.new_tag(name))
        if names:
            element.name = names[0]


def _lists_of_google(body: Any) -> None:
    """Nest the lists of Google Docs, which are flat, with each one's depth in a class."""
    opened: dict[str, list[Any]] = {}
    for found in every(body, "ul", "ol"):
        match = None if found.decomposed else GOOGLE_LIST.search(" ".join(found.get("class") or ()))
        if match is None:
            continue
        level, lists = int(match[2]), opened.setdefault(match[1], [])
        before = found.find_previous_sibling()
        lists[:] = lists if lists and before is lists[0] else []
        if level < len(lists) and lists[level].name == found.name:
            del lists[level + 1 :]
            for item in list(found.find_all("li", recursive=False)):
                lists[level].append(item)
            found.decompose()
            continue
        del lists[level:]
        last = next((one for one in reversed(lists[-1].contents) if isinstance(one, Tag)), None) if lists else None
        if last is not None and last.name == "li":
            last.append(found.extract())
        lists.append(found)


def _tasks(body: Any) -> None:
    for box in every(body, "input"):
        item = box.find_parent("li")
        if box.get("type") == "checkbox" and item is not None:
            box.replace_with(CHECKED if box.has_attr("checked") else UNCHECKED)
    without(every(body, "input"))
    for items in classed(body, frozenset(("inline-task-list",))):  # as Confluence has them
        for item in items.find_all("li", recursive=False):
            item.insert(0, CHECKED if "checked" in (item.get("class") or ()) else UNCHECKED)
    for item in every(body, "li"):
        if item.get("data-checked"):
            item.insert(0, CHECKED if item["data-checked"] == "true" else UNCHECKED)


def _links(body: Any) -> None:
    for link in every(body, "a"):
        parts = str(link.get("href") or "")
        if parts.startswith(("https://www.google.com/url?", "http://www.google.com/url?")):
            try:
                said = parse_qs(split_url(parts).query, max_num_fields=20)
            except ValueError:
                continue
            link["href"] = (said.get("q") or said.get("url") or [parts])[0]
        path, hash_, anchor = str(link.get("href") or "").partition("#")
        if hash_ and ":" not in path and ID.fullmatch(anchor.lower()):
            link["href"] = f"{path}#{anchor.lower()}"


def _code(body: Any) -> None:
    panels = []
    for code in every(body, "pre"):
        if not code.css.match("div.code.panel > div > pre, div.preformatted.panel > div > pre"):  # Confluence
            continue
        panel = code.parent.parent
        title = panel.find(class_="codeHeader", recursive=False)
        said = title.get_text(" ", strip=True) if title is not None else ""
        if said:
            code["data-title"] = said
        panel.insert_before(code)
        panels.append(panel)
    without(panels)
    for table in classed(body, frozenset(("highlighttable", "rouge-table", "hljs-ln"))):  # line numbers beside code
        code = table.select_one("td.code pre, td.rouge-code pre, pre:last-of-type")
        if code is not None:
            table.replace_with(code.extract())
    beside = classed(body, frozenset(("linenos", "linenodiv", "gutter")))
    without([one for one in beside if one.css.match("pre .linenos, pre .linenodiv, .highlight .gutter")])


def language_of(element: Any) -> str:
    """Find the language of code by its attributes, or those of an element around it; "" where none names one."""
    around = element.parent
    for one in (element, element.find("code"), around, around.parent if around is not None else None):
        if not isinstance(one, Tag):
            continue
        for name in ("data-lang", "data-language"):
            if re.fullmatch(r"[\w+#.-]{1,40}", str(one.get(name) or "")):
                return str(one[name])
        names = " ".join(one.get("class") or ())
        said = f"{names} ; {one.get('data-syntaxhighlighter-params') or ''}"[:500]
        for found in LANGUAGE.finditer(said):
            if found[1].lower() not in NO_LANGUAGES:
                return found[1].lower()
    return ""


def _headings(body: Any) -> None:
    for heading in every(body, *HEADINGS):
        if heading.decomposed:  # it was inside an anchor that was removed
            continue
        names = [str(heading.get("id") or "")]
        for link in every(heading, "a"):
            if link.decomposed:
                continue
            text = link.get_text(strip=True).lower()
            target = str(link.get("href") or "")
            if not target or (target.startswith("#") and text in ANCHORS):
                names += [str(link.get("id") or ""), str(link.get("name") or ""), target[1:]]
                if text in ANCHORS:
                    link.decompose()
                else:
                    link.unwrap()
        around = heading.parent
        if around is not None and around.name in ("section", "div") and heading.find_previous_sibling(True) is None:
            names.append(str(around.get("id") or ""))
        before = heading.find_previous_sibling(True)
        if before is not None and before.name == "a" and not before.get("href") and not before.get_text(strip=True):
            names += [str(before.get("id") or ""), str(before.get("name") or "")]
        found = next((name.lower() for name in names if ID.fullmatch(name.lower()) and len(name) <= 100), None)
        heading.attrs = {"id": found} if found else {}


def child_nodes(element: Any) -> Iterator[Any]:
    """Iterate over the direct children that are text or elements."""
    for child in element.children:
        if isinstance(child, Tag) or type(child) is NavigableString:
            yield child
