"""Reads crawled pages: each one's main text, in the tree of their addresses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from runtime.contract.url_parts import join_url, split_url
from runtime.engines.separate_process.answers import Refused
from runtime.services.imported_tree import ImportedFile, ImportedPage
from runtime.services.importing.folders import HTML
from runtime.services.importing.html_markdown import read_html
from runtime.services.importing.links import LONGEST_ADDRESS, AddressLinks, same
from runtime.services.importing.page_texts import text_of
from runtime.services.importing.pictures import Pictures
from runtime.services.importing.transfer import CRAWLED, Writer, clean
from runtime.services.markdown.reading import document_of

MAX_LINKS = 5000


def links_of(folder: Path, arguments: Any) -> dict[str, Any]:
    """List the links and pictures of pages; runs in a separate process. `pages` has [address, file]."""
    found: dict[str, Any] = {}
    for address, name in arguments["pages"]:
        try:
            page = read_html(text_of(folder / name), alone=False)
        except Refused:
            found[address] = {"links": [], "pictures": []}
            continue
        links, pictures = ([_joined(address, one) for one in some] for some in (page.links, page.pictures))
        found[address] = {
            "links": [*dict.fromkeys(filter(None, links))][:MAX_LINKS],
            "pictures": [*dict.fromkeys(filter(None, pictures))][:MAX_LINKS],
        }
    return found


def read_pages(folder: Path, writer: Writer) -> dict[str, Any]:
    """Write every crawled page; returns the totals for `Writer.close`."""
    crawled = json.loads((folder / CRAWLED).read_text(encoding="utf-8"))
    pages = {same(address): same(address) for address, _ in crawled["pages"]}
    files = {address: address for address, _, _ in crawled["files"]}
    problems: list[str] = []
    for address, name, kind in crawled["files"]:
        called = unquote(split_url(address).path.rpartition("/")[2]) or "picture"
        writer.file(ImportedFile(address, clean(called)[:200], name, kind))
    writer.expect(len(crawled["pages"]))
    # What is at the start holds no pages: all would be in it. Shorter addresses come before those below them.
    kept = 0
    written: set[str] = set()
    seen: set[str] = set()
    start = same(crawled["pages"][0][0]) if crawled["pages"] else ""
    for address, name in sorted(crawled["pages"], key=lambda page: split_url(same(page[0])).path.count("/")):
        key = same(address)
        if key in seen:
            continue
        seen.add(key)
        slug = _last_name(key)
        fallback = slug.replace("-", " ") or split_url(key).netloc
        try:
            pictures = Pictures(folder, key, writer, f"picture-{len(seen)}")
            page = read_html(text_of(folder / name), alone=False, title=fallback, keep=pictures.keep)
            inside = {join_url(address, name): own for name, own in pictures.keys.items()}
            kept += len(pictures.keys)
            links = AddressLinks(address, pages, files | inside if inside else files)
            document = document_of(page.markdown, links, top=None)
            title, parent = page.title or fallback, _above(key, written)
            writer.page(ImportedPage(key, title, parent=parent, slug=slug or None, document=document))
        except Refused as error:
            problems.append(f"{clean(address)[:150]} is left out. {error.message}")
            continue
        if key != start:
            written.add(key)
    return {"total": crawled["total"] + kept, "problems": [*problems, *crawled["problems"]]}


def _joined(address: str, link: str) -> str | None:
    try:
        whole = join_url(address, link).partition("#")[0]
        return whole if split_url(whole).scheme in ("http", "https") and len(whole) <= LONGEST_ADDRESS else None
    except ValueError:
        return None


def _last_name(address: str) -> str:
    """Return the last path segment of an address, without a page extension."""
    name = unquote(split_url(address).path.rpartition("/")[2])
    stem, dot, ending = name.rpartition(".")
    return stem if stem and f"{dot}{ending}".lower() in HTML else name


def _above(key: str, written: set[str]) -> str | None:
    parts = split_url(key)
    path = parts.path
    while path not in ("", "/"):
        path = path.rpartition("/")[0]
        candidate = f"{parts.scheme}://{parts.netloc}{path or '/'}"
        if candidate in written and path:
            return candidate
    return None
