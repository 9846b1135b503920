"""Documents that somebody sends: whether they can be read at all."""

from __future__ import annotations

from typing import Any

from runtime.contract import errors
from runtime.services.markdown.writing import markdown_of


def markdown_of_sent(document: dict[str, Any], field: str) -> str:
    """Write a document that was sent as Markdown; `field` is where it was sent.

    Raises BadRequest for one whose blocks lack what their types require, which `check_document` does not look at.
    """
    try:
        return markdown_of(document)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise errors.BadRequest(
            f"{field}: a block lacks data or nodes that its type requires; compare it with the schema of its type"
        ) from None
