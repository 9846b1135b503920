"""Documents that somebody sends: whether they can be read at all."""

from __future__ import annotations

from typing import Any

from runtime.contract import errors
from runtime.services.markdown.writing import markdown_of


def written(document: dict[str, Any], field: str) -> str:
    """Write a document as Markdown.

    Raises BadRequest for one whose blocks lack what their kinds have, which `check_document` does not look at.
    """
    try:
        return markdown_of(document)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise errors.BadRequest(f"{field}: a block does not have what blocks of its kind have") from None
