"""Converts TeX formulas to MathML, for browsers and PDFs."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from markupsafe import escape

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LONGEST = 2_000
"""Characters of a formula; a longer one is shown as TeX."""
MOST = 20_000
"""Characters of all formulas of a document that are drawn."""
DEEPEST = 40
"""How deep the elements of a formula may be nested."""
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
# Not in this list: addresses, classes and styles. A formula may only say how its parts are arranged.
_VALUE = re.compile(r"[-+#]?[a-zA-Z0-9][-a-zA-Z0-9. ]{0,59}|[-+]?\.[0-9]{1,4}[a-z]{0,8}")
_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Formulas:
    """Converts the formulas of one document; formulas beyond the limits, or with invalid TeX, stay TeX."""

    def __init__(self, most: int = MOST) -> None:
        """Take the limit of characters of all formulas together."""
        self._left = most

    def mathml(self, tex: str, *, display: bool) -> str | None:
        """Write a formula as a `<math>` element, as a block with `display`; None if it stays TeX."""
        if not tex.strip() or len(tex) > min(LONGEST, self._left):
            return None
        self._left -= len(tex)
        # Imported only once somebody writes a formula: its table of symbols alone has 200 kB.
        from latex2mathml.converter import convert_to_element

        try:
            return _written(convert_to_element(tex, display="block" if display else "inline"), 0)
        except Exception:  # its exceptions share no base class, and it raises Python's own, too
            return None


def _written(element: Element, depth: int) -> str:
    """Write an element that a formula may contain; raises ValueError for any other."""
    if element.tag not in _TAGS or depth > DEEPEST:
        raise ValueError(element.tag)
    attributes = "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _VALUE.fullmatch(value)
    )
    # The library writes characters as references, which would be escaped a second time.
    text = html.unescape(element.text or "")
    if _NOT_IN_XML.search(text):
        raise ValueError(text)
    inner = str(escape(text)) + "".join(_written(child, depth + 1) for child in element)
    return f"<{element.tag}{attributes}>{inner}</{element.tag}>"
