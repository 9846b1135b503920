"""Where readers of a site may suggest a change of a page: its file in the repository that its space comes from."""

from __future__ import annotations

import re
from urllib.parse import quote

from sqlalchemy.orm import Session

from runtime.serializers.git import git_syncs
from runtime.store.content.entries import Page
from runtime.store.tables.git import GitSyncRow
from runtime.store.tables.spaces import SpaceRow

EDITORS = {"github": ("GitHub", "edit"), "gitlab": ("GitLab", "-/edit")}
"""Providers whose addresses are known: what they are called, and what leads to their editor."""
_REPOSITORY = re.compile(r"https?://[^\s/?#@\\]+/[^\s?#\\]+")


def edit_link(session: Session, space: SpaceRow, page: Page) -> tuple[str, str] | None:
    """Give the name of the provider and the address of its editor; None for a page that is in no known repository."""
    sync = git_syncs(session, [space.id]).get(space.id)
    return _address(sync, page) if sync is not None else None


def _address(sync: GitSyncRow, page: Page) -> tuple[str, str] | None:
    editor = EDITORS.get(sync.provider or "")
    path, branch = (page.git or {}).get("path"), (sync.ref or "").removeprefix("refs/heads/")
    if editor is None or not path or not branch or not _REPOSITORY.fullmatch(sync.repository or ""):
        return None
    whole = "/".join(part.strip("/") for part in (sync.directory or "", path) if part.strip("/"))
    return editor[0], f"{sync.repository}/{editor[1]}/{quote(branch)}/{quote(whole)}"
