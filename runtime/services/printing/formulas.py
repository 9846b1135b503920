"""Draws the formulas of a book as SVG, since the library that makes the PDF knows no MathML."""

from __future__ import annotations

from xml.etree import ElementTree

from runtime.services.html.formulas import Formulas

MOST_IN_BOOK = 100_000
"""Characters of all formulas of a book that are drawn."""
MOST_EFFORT = 2_000
"""Estimated effort for one formula (`_effort`): about as many milliseconds on a slow machine."""
MOST_EFFORT_IN_BOOK = 40_000
SIZE = 14.0
"""Pixels, the size of the surrounding text."""
_MARGIN = 1.0  # pixels that the library leaves around a drawing


class DrawnFormulas:
    """The formulas of one book; those that would take too long stay as their author wrote them."""

    def __init__(self) -> None:
        self._formulas = Formulas(MOST_IN_BOOK)
        self._left = MOST_EFFORT_IN_BOOK

    def svg(self, tex: str, *, display: bool) -> str | None:
        """Draw a formula within a line, or with `display` on lines of its own; None where it stays as it is."""
        mathml = self._formulas.mathml(tex, display=display)
        if mathml is None:
            return None
        effort = _effort(ElementTree.fromstring(mathml), 1)
        if effort > min(MOST_EFFORT, self._left):
            return None
        self._left -= effort
        from ziamath.config import config
        from ziamath.zmath import Math

        config.svg2 = False  # SVG 2 would use the same ids in all drawings of the book
        try:
            drawn = Math(mathml, size=SIZE)
            if not all(drawn.font.glyphindex(sign) for sign in set(_signs(mathml))):
                return None  # the library's only font lacks a sign, which the fonts of the text may have
            svg, below = str(drawn.svg()), _MARGIN - float(drawn.getyofst())
        except Exception:  # the library raises many kinds for a formula that it does not understand
            return None
        if display:
            return f'<p class="math">{svg}</p>'
        return f'<span class="math" style="vertical-align: {-below:.2f}px">{svg}</span>'


def _effort(element: ElementTree.Element, factor: int) -> int:
    """Estimate the work: the library measures the content of a row twice, and again for each row around it."""
    if factor > MOST_EFFORT:
        return factor
    inner = factor * 2 if element.tag == "mrow" else factor
    return factor + sum(_effort(child, inner) for child in element)


def _signs(mathml: str) -> str:
    return "".join("".join(ElementTree.fromstring(mathml).itertext()).split())
