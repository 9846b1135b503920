"""PDF of content (docs/contract/api.md, "PDF")."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from runtime.contract.base import Query, Text, WireModel


class PdfQuery(Query):
    """`page` is a page with all that is in it, with `only` that page alone."""

    page: Annotated[Text, StringConstraints(max_length=100)] | None = None
    only: bool = False


class PdfUrl(WireModel):
    """Where the PDF is, for an hour."""

    url: str
