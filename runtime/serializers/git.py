"""Git: what spaces are synchronized with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract.git import GitSyncState, LastSync
from runtime.contract.url_parts import split_url
from runtime.store import rows
from runtime.store.reach import HOST
from runtime.store.tables.git import GitSyncRow


def git_syncs(session: Session, space_ids: Sequence[str]) -> dict[str, GitSyncRow]:
    """Find what spaces are synchronized with, by their ids, in one query."""
    found = rows.every(session, HOST, GitSyncRow, GitSyncRow.space_id.in_(space_ids))
    return {row.space_id: row for row in found}


def git_sync_state(row: GitSyncRow) -> GitSyncState | None:
    """Show what a space is synchronized with; None where nobody ever asked for it."""
    if row.provider is None and row.url is None and row.state is None:
        return None
    known = row.provider in ("github", "gitlab")
    provider: Any = row.provider if known else MISSING
    return GitSyncState(
        repo_name=_name(row.repository) or MISSING,
        installation_provider=provider,
        integration=provider,
        url=row.url or MISSING,
        updated_at=row.updated_at,
        last_sync=_last(row) or MISSING,
    )


def _last(row: GitSyncRow) -> LastSync | None:
    if row.state is None or row.ended_at is None:
        return None
    return LastSync(
        direction=row.direction,  # type: ignore[arg-type]
        state=row.state,  # type: ignore[arg-type]
        ended_at=row.ended_at,
        commit=row.commit_id or MISSING,
        revision=row.revision_id or MISSING,
        error=row.error or MISSING,
        problems=row.problems or MISSING,
    )


def _name(repository: str | None) -> str:
    try:
        path = split_url(repository or "").path
    except ValueError:  # stored before such addresses were refused
        return ""
    parts = [part for part in path.split("/") if part]
    return "/".join(parts[-2:])
