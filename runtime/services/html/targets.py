"""Where references lead in HTML: different in a PDF and on a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

Ref = Mapping[str, Any]


class Targets(Protocol):
    """What stands in HTML for what a document refers to; None for what is not there, or may not be shown."""

    def href(self, ref: Ref) -> str | None:
        """Return the address that a link leads to."""

    def icon(self, name: str) -> str:
        """Return the HTML of an icon; empty for one that is not drawn here."""

    def leaves(self, href: str) -> bool:
        """Return whether a link opens a tab of its own."""

    def image(self, ref: Ref) -> str | None:
        """Return the address of a picture."""

    def title(self, ref: Ref) -> str | None:
        """Return what a page, file or person is called."""

    def anchor(self, name: str) -> str:
        """Return the id of an element that an anchor names in this document."""

    def formula(self, tex: str, *, display: bool) -> str | None:
        """Return the HTML of a formula, on lines of its own with `display`; None to show its TeX."""

    def colored(self, code: str, syntax: str) -> str:
        """Give the HTML of a code with the colors of its language."""

    def block(self, node: Mapping[str, Any]) -> str | None:
        """Return the HTML of what only whoever shows it can draw: blocks of integrations, included contents."""
