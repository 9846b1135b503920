"""Rewrites the footnotes of HTML, which are links there and back, as references and notes."""

from __future__ import annotations

import re
from typing import Any

from bs4.element import Tag

from runtime.services.importing.html_tree import every, without

NOTE = re.compile(r"(?:user-content-)?(?:ftnt|fn|footnote|endnote|cite_note)[:_-]?[\w:.-]{0,60}", re.IGNORECASE)
NOTE_MARK = re.compile(r"\[?[\w*†‡]{1,6}\]?")
BACK = re.compile(r"[\W_]{0,6}")
"""Texts of links from a note back to the text, such as arrows."""


def rewrite_footnotes(soup: Any, body: Any) -> None:
    """Turn links to footnotes into `<note-ref>`, and the footnotes into `<note>`."""
    links = [link for link in every(body, "a") if str(link.get("href") or "").startswith("#")]
    if not links:
        return
    every_tag = [one for one in body.descendants if isinstance(one, Tag)]
    named = {str(one[name]): one for name in ("name", "id") for one in every_tag if one.get(name)}
    labels: dict[str, str] = {}
    gathered: dict[int, tuple[Any, Any]] = {}  # id of a list -> the list, and what holds its notes behind it
    for link in links:
        if link.decomposed:  # it was the link back of an earlier note
            continue
        target = str(link["href"])[1:]
        note = next((named[one] for one in (target, target.lower()) if one in named), None)
        text = link.get_text(strip=True)
        if note is None or not NOTE.fullmatch(target) or not NOTE_MARK.fullmatch(text) or "ref" in target.lower():
            continue
        holder = note if note.name in ("li", "div", "p", "aside") else note.find_parent(("li", "p", "div"))
        if holder is None or holder is body or any(one is holder for one in link.parents):
            continue
        if target not in labels:
            labels[target] = str(len(labels) + 1)
            without([one for one in every(holder, "a") if _leads_back(one)])
            fresh = soup.new_tag("note", attrs={"label": labels[target]})
            for child in list(holder.contents):
                fresh.append(child)
            around = holder.find_parent(("ol", "ul")) if holder.name == "li" else None
            if around is None:
                holder.replace_with(fresh)
            else:
                if id(around) not in gathered:
                    gathered[id(around)] = (around, soup.new_tag("div"))
                    around.insert_after(gathered[id(around)][1])
                gathered[id(around)][1].append(fresh)
                holder.decompose()
        raised = link.parent if link.parent is not None and link.parent.name in ("sup", "span") else link
        raised = raised if raised.get_text(strip=True) == text else link
        raised.replace_with(soup.new_tag("note-ref", attrs={"label": labels[target]}))
    for around, _ in gathered.values():
        if not around.decomposed and around.find("li") is None:
            around.decompose()


def _leads_back(link: Any) -> bool:
    """Return whether a link in a footnote leads back to its reference."""
    target = str(link.get("href") or "")
    if not target.startswith("#"):
        return False
    text = link.get_text(strip=True)
    return "ref" in target.lower() or bool(BACK.fullmatch(text) or NOTE_MARK.fullmatch(text))
