"""Draws the formulas of a book as SVG, since the library that makes the PDF knows no MathML."""

from __future__ import annotations

from xml.etree import ElementTree

from runtime.services.html.formulas import Formulas

MOST_IN_BOOK = 100_000
"""Characters of all formulas of a book that are drawn."""
MOST_EFFORT = 2_000
"""Estimated effort for one formula (`_effort`): about as many milliseconds on a slow machine."""
MOST_EFFORT_IN_BOOK = 40_000
MOST_DRAWN_IN_BOOK = 30_000_000
"""Characters of all drawings of a book; making the PDF takes about fifteen bytes for each."""
SIZE = 14.0
"""Pixels, the size of the surrounding text."""
_MARGIN = 1.0  # pixels that the library leaves around a drawing
_TWICE = frozenset(("mpadded", "mphantom", "mrow", "mtd"))
_ROWS_OF_SEVERAL = frozenset(("menclose", "msqrt"))  # what several elements in one of them become
_SIGNS_PER_ELEMENT = 4


class DrawnFormulas:
    """The formulas of one book; those that would take too long stay as their author wrote them."""

    def __init__(self) -> None:
        self._formulas = Formulas(MOST_IN_BOOK)
        self._left = MOST_EFFORT_IN_BOOK
        self._room = MOST_DRAWN_IN_BOOK

    def svg(self, tex: str, *, display: bool) -> str | None:
        """Draw a formula within a line, or with `display` on lines of its own; None where it stays as it is."""
        mathml = self._formulas.mathml(tex, display=display)
        if mathml is None:
            return None
        element = ElementTree.fromstring(mathml)
        signs = set("".join("".join(element.itertext()).split()))
        effort = _effort(element, 1)
        if effort > min(MOST_EFFORT, self._left):
            return None
        self._left -= effort
        from ziamath.config import config
        from ziamath.zmath import Math

        config.svg2 = False  # SVG 2 would use the same ids in all drawings of the book
        try:
            drawn = Math(element, size=SIZE)  # a string would be searched for hyphens, across elements
            if not all(drawn.font.glyphindex(sign) for sign in signs):
                return None  # the library's only font lacks a sign, which the fonts of the text may have
            svg, below = str(drawn.svg()), _MARGIN - float(drawn.getyofst())
        except Exception:  # the library raises many kinds for a formula that it does not understand
            return None
        if len(svg) > self._room:
            return None
        self._room -= len(svg)
        if display:
            return f'<p class="math">{svg}</p>'
        return f'<span class="math" style="vertical-align: {-below:.2f}px">{svg}</span>'


def _effort(element: ElementTree.Element, factor: int) -> int:
    """Estimate the work on an element that is measured `factor` times: its signs, and all that is in it."""
    effort = factor * (1 + len(element.text or "") // _SIGNS_PER_ELEMENT)
    if effort > MOST_EFFORT:
        return effort
    inner = factor * _measured(element)
    return effort + sum(_effort(child, inner) for child in element)


def _measured(element: ElementTree.Element) -> int:
    """Say how often the library measures what is in an element whenever it measures the element."""
    if element.tag == "mfenced":
        return 4
    return 2 if element.tag in _TWICE or (element.tag in _ROWS_OF_SEVERAL and len(element) > 1) else 1
