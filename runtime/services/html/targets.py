"""Resolves references for HTML, differently for PDFs and pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

Ref = Mapping[str, Any]


class Targets(Protocol):
    """Resolves what a document refers to; None if it does not exist or may not be shown."""

    def href(self, ref: Ref) -> str | None:
        """Return the address that a link leads to."""

    def icon(self, name: str) -> str:
        """Return an icon's HTML; empty if it is unknown."""

    def leaves(self, href: str) -> bool:
        """Return whether a link opens in a new tab."""

    def image(self, ref: Ref) -> str | None:
        """Return the address of a picture."""

    def title(self, ref: Ref) -> str | None:
        """Return the name of a page, file or person."""

    def anchor(self, name: str) -> str:
        """Return the id of an element that an anchor names in this document."""

    def formula(self, tex: str, *, display: bool) -> str | None:
        """Return a formula's HTML, as a block with `display`; None to show its TeX."""

    def colored(self, code: str, syntax: str) -> str:
        """Return the HTML of code, colored for its language."""

    def block(self, node: Mapping[str, Any]) -> str | None:
        """Return the HTML of blocks that depend on where they are shown: integration blocks, reusable content."""
