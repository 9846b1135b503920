"""Subjects and descriptions of change requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract.change_requests import RequestReviewers, UpdateChangeRequest
from runtime.services import organization_storage
from runtime.store.content import sizes
from runtime.store.tables.change_requests import ChangeRequestRow


def describe(session: Session, row: ChangeRequestRow, body: UpdateChangeRequest | RequestReviewers) -> None:
    """Take over what is given of subject and description, and count it into what the organization stores.

    Raises BadRequest where that may be no more.
    """
    before = row.description
    for field in ("subject", "description"):
        value = getattr(body, field)
        if value is not MISSING:
            setattr(row, field, value)
    more = _size(row.description) - _size(before)
    if more > 0:
        organization_storage.enforce_for_space(session, row.space_id, more)
    sizes.note(session, row.space_id, comments=more)


def _size(description: Mapping[str, Any] | None) -> int:
    return 0 if description is None else sizes.json_bytes(description)
