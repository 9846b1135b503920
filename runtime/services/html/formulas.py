"""Formulas in TeX -> MathML, which browsers draw by themselves, and from which formulas of a PDF are drawn."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from markupsafe import escape

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LONGEST = 2_000
"""Characters of a formula; a longer one is shown as it is written."""
MOST = 20_000
"""Characters of all formulas of a document that are drawn."""
DEEPEST = 40
"""How deep the elements of a formula may stand inside each other."""
_TAGS = frozenset(
    (
        *("math", "menclose", "mfenced", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded"),
        *("mphantom", "mprescripts", "mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup"),
        *("mtable", "mtd", "mtext", "mtr", "munder", "munderover", "none"),
    )
)
_ATTRIBUTES = frozenset(
    (
        *("accent", "columnalign", "columnlines", "columnspacing", "depth", "display", "displaystyle", "fence"),
        *("form", "height", "linethickness", "lspace", "mathbackground", "mathcolor", "mathsize", "mathvariant"),
        *("maxsize", "minsize", "movablelimits", "notation", "rowlines", "rowspacing", "rspace", "scriptlevel"),
        *("separator", "stretchy", "voffset", "width"),
    )
)
# Neither addresses, nor classes, nor styles: a formula says nothing but how its parts stand.
_VALUE = re.compile(r"[-+#]?[a-zA-Z0-9][-a-zA-Z0-9. ]{0,59}|[-+]?\.[0-9]{1,4}[a-z]{0,8}")


class Formulas:
    """The formulas of one document: what is too long, too many, or no TeX stays what its author wrote."""

    def __init__(self, most: int = MOST) -> None:
        """Take how many characters of formulas are drawn in all."""
        self._left = most

    def mathml(self, tex: str, *, display: bool) -> str | None:
        """Write a formula as an element `math`, on lines of its own with `display`; None where it stays as it is."""
        if not tex.strip() or len(tex) > min(LONGEST, self._left):
            return None
        self._left -= len(tex)
        # Not before somebody writes a formula: the table of symbols alone has 200 kB.
        from latex2mathml.converter import convert_to_element

        try:
            return _written(convert_to_element(tex, display="block" if display else "inline"), 0)
        except Exception:  # its own ones have no ancestor in common, and it raises Python's, too: it is no formula then
            return None


def _written(element: Element, depth: int) -> str:
    """Write an element of what a formula may contain; raises ValueError for another."""
    if element.tag not in _TAGS or depth > DEEPEST:
        raise ValueError(element.tag)
    attributes = "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _VALUE.fullmatch(value)
    )
    # Characters come as references, which would be escaped again.
    inner = str(escape(html.unescape(element.text or ""))) + "".join(_written(child, depth + 1) for child in element)
    return f"<{element.tag}{attributes}>{inner}</{element.tag}>"
