"""Drawings in PDFs: counted before they are printed, so that a small one does not have a host print for minutes."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import pytest
from weasyprint import HTML
from weasyprint.svg import SVG
from weasyprint.urls import URLFetcher, URLFetcherResponse

from runtime.services.printing import drawings
from runtime.services.printing.drawings import MAX_IN_ONE, Drawings, elements_of

URL = "picture:token:picture-0"
RECT = '<rect width="1" height="1"/>'
GRADIENT = '<linearGradient id="l"><stop offset="0"/><stop offset="1"/></linearGradient>'
MARKER = f'<marker id="m"><g>{RECT * 5}</g></marker>'
LINE = f'<path id="line" d="M0 0{" L1 1 l2 3" * 20}"/>'


def drawing(inside: str) -> bytes:
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {names} width="100" height="100">{inside}</svg>'.encode()


def nested(levels: int, tag: str = "g", href: str = "href") -> str:
    """Have each level use the one below ten times."""
    uses = (f'<{tag} id="l{n}">{f"""<use {href}="#l{n - 1}"/>""" * 10}</{tag}>' for n in range(1, levels))
    return f'<defs><{tag} id="l0">{RECT}</{tag}>{"".join(uses)}</defs><use {href}="#l{levels - 1}"/>'


def patterns(levels: int, style: bool = False) -> str:
    """Have each pattern consist of rectangles that are filled with the one before."""
    sheet = "".join(f".c{n}{{fill:url(#p{n - 1})}}" for n in range(1, levels)) if style else ""
    found = [f"<style>{sheet}</style>"]
    for n in range(levels):
        fill = f'class="c{n}"' if style else f"style=\"fill: url('#p{n - 1}')\""
        inside = f'<rect width="9" height="9" {fill}/>' * 5
        found.append(f'<pattern id="p{n}" width="3" height="3">{inside}</pattern>')
    return "".join(found) + f'<rect width="9" height="9" stroke="url(#p{levels - 1})"/>'


FINE = {
    "plain": RECT * 50,
    "uses": nested(3),
    "older uses": nested(3, href="xlink:href"),
    "symbols": nested(3, "symbol"),
    "patterns": patterns(3),
    "patterns by a style sheet": patterns(3, style=True),
    "markers": f'{MARKER}<g style="marker:url(#m)">{LINE}</g>',
    "markers at the ends": f'{MARKER}<path d="M0 0 h5 v6 h7" marker-start="url(#m)" marker-end="url(#m)"/>',
    "used with a marker": f'{MARKER}<defs>{LINE}</defs><use href="#line" marker-mid="url(#m)"/>',
    "used with a pattern": f'{patterns(2)}<defs><g id="u">{RECT * 9}</g></defs><use href="#u" fill="url(#p1)"/>',
    "masks": f'<mask id="k">{RECT * 9}</mask><g mask="url(#k)">{RECT * 3}</g><rect mask="#k" width="1" height="1"/>',
    "paths that clip": f'<clipPath id="c">{RECT * 9}</clipPath><g clip-path="url(#c)"/>',
    "a gradient for all": f'{GRADIENT}<g fill="url(#l)">{"<g>" * 30}{RECT * 50}{"</g>" * 30}</g>',
    "text": "<text>A <tspan>word</tspan> or <a href='#l'>two</a></text>",
    "a picture of the web": '<image href="http://example.com/a.png"/><image href="a.png"/><image href="data:,x"/>',
}


@pytest.mark.parametrize("inside", FINE.values(), ids=FINE)
def test_no_more_is_printed_than_was_counted(inside: str, monkeypatch: pytest.MonkeyPatch) -> None:
    picture, printed, draw = drawing(inside), [], SVG.draw_node

    def drawn(self: Any, node: Any, *more: Any, **named: Any) -> None:
        printed.append(node.tag)
        draw(self, node, *more, **named)

    class Only(URLFetcher):  # type: ignore[misc]  # the library has no types
        def fetch(self, url: str, headers: Any = None) -> Any:
            if url != URL:
                raise ValueError(url)
            return URLFetcherResponse(url, picture, {"Content-Type": "image/svg+xml"})

    monkeypatch.setattr(SVG, "draw_node", drawn)
    HTML(string=f'<img src="{URL}">', url_fetcher=Only()).write_pdf()
    counted = elements_of(picture, URL)
    assert 0 < len(printed) <= counted <= 12 * len(printed) + 10


@pytest.mark.parametrize(
    "inside",
    [
        nested(12),
        nested(12, "symbol"),
        patterns(12),
        patterns(12, style=True),
        f'<marker id="m">{RECT * 100}</marker><path d="M0 0{" L1 1" * 5000}" marker-mid="url(#m)"/>',
        "".join(f'<g id="g{n}"/><use href="#g{n}"/>' for n in range(3000)),  # each is looked for among all
        RECT * (MAX_IN_ONE + 1),
    ],
    ids=["uses", "symbols", "patterns", "by a style sheet", "markers", "names", "plain"],
)
def test_what_takes_too_long_is_found_at_once(inside: str) -> None:
    assert elements_of(drawing(inside), URL) > MAX_IN_ONE


@pytest.mark.parametrize(
    "inside",
    [
        '<g id="a"><use href="#a"/></g>',
        '<pattern id="p" width="1" height="1"><rect fill="url(#p)"/></pattern><rect fill="url(#p)"/>',
        f'<image href="{URL}"/>',
        "<g>" * 5000 + "</g>" * 5000,
        f"<g {' '.join(f'a{n}=' + chr(34) * 2 for n in range(2000))}>{RECT * 2000}</g>",
    ],
    ids=["a use of itself", "a pattern of itself", "its own picture", "deep", "attributes"],
)
def test_what_never_ends_is_not_begun(inside: str) -> None:
    assert elements_of(drawing(inside), URL) == inf


@pytest.mark.parametrize("picture", [b"\x89PNG\r\n", b"", b"<svg", b'<?xml version="1.0" encoding="x"?><svg/>'])
def test_what_is_no_drawing_is_one_element(picture: bytes) -> None:
    assert elements_of(picture, URL) == 1


def test_a_drawing_counts_each_time_that_a_book_shows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "large").write_bytes(drawing(RECT * 99))
    (tmp_path / "small").write_bytes(b"\x89PNG")
    monkeypatch.setattr(drawings, "MAX_OF_BOOK", 250)
    shown = Drawings(tmp_path)
    assert [shown.take("large", URL) for _ in range(3)] == [True, True, False]
    assert shown.take("small", URL)
