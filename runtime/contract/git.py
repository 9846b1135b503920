"""Git: imports from repositories and exports to them (docs/contract/api.md, "Git")."""

from __future__ import annotations

import posixpath
import re
from typing import Annotated, Literal

from pydantic import MISSING, AfterValidator, AwareDatetime, Field, StringConstraints

from runtime.contract.base import Body, ListQuery, Moment, Text, WireModel, in_utc
from runtime.contract.url_parts import split_url

Provider = Literal["github", "gitlab"]
_BAD_REF = re.compile(r"\.\.|@\{|//|/\.|\.lock(?:/|$)|[\x00-\x20\x7f~^:?*\[\\]|[./]$")


def _repository(url: str) -> str:
    try:
        parts = split_url(url)
        known = parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        known = False
    if not known or parts.scheme not in ("http", "https") or any(sign <= " " for sign in url):
        raise ValueError("must be the address of a repository that begins with `https://` or `http://`")
    return url


def _path_inside(path: str) -> str:
    """Normalize a path inside a folder; raises ValueError for one that leads out of it."""
    whole = posixpath.normpath(path.strip("/") or ".")
    if "\\" in path or "\x00" in path or whole == ".." or whole.startswith("../"):
        raise ValueError("must be a path inside the folder, such as `docs`")
    return "" if whole == "." else whole


PathInside = Annotated[str, StringConstraints(max_length=900), AfterValidator(_path_inside)]


class FolderQuery(ListQuery):
    """Settings of the folder's `.gitbook.yaml`: the root, and the paths of the first page and the summary."""

    root: PathInside = ""
    readme: PathInside = "README.md"
    summary: PathInside = "SUMMARY.md"


def _ref(name: str) -> str:
    if not name.startswith("refs/heads/") or _BAD_REF.search(name) or name == "refs/heads/":
        raise ValueError("must be the full name of a branch, as `refs/heads/main`")
    return name


def _directory(path: str) -> str:
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    if any(part == ".." or part.lower().startswith(".git") for part in parts):
        raise ValueError("must be the path of a folder in the repository")
    if any(ord(sign) < 32 or ord(sign) == 127 for sign in path):
        raise ValueError("must be the path of a folder in the repository")
    return "/".join(parts)


RepositoryUrl = Annotated[Text, StringConstraints(min_length=1, max_length=4096), AfterValidator(_repository)]
Ref = Annotated[Text, StringConstraints(max_length=255), AfterValidator(_ref)]
Directory = Annotated[Text, StringConstraints(max_length=500), AfterValidator(_directory)]
Prefix = Annotated[Text, StringConstraints(max_length=2048)]
Timestamp = Annotated[AwareDatetime, Field(strict=False), AfterValidator(in_utc)]


class GitInfo(Body):
    """Information from the caller: shown by `git/info` and as `gitSync` of the space."""

    provider: Provider | MISSING = MISSING
    url: Prefix | MISSING = MISSING


class _GitOperation(Body):
    url: RepositoryUrl
    ref: Ref
    repo_cache_id: Prefix | MISSING = Field(MISSING, alias="repoCacheID")
    repo_tree_url: Prefix | MISSING = Field(MISSING, alias="repoTreeURL")
    repo_commit_url: Prefix | MISSING = Field(MISSING, alias="repoCommitURL")
    repo_project_directory: Directory | MISSING = MISSING
    timestamp: Timestamp | MISSING = MISSING
    force: bool = False
    git_info: GitInfo | MISSING = MISSING


class ImportGitRepository(_GitOperation):
    """The source of an import; `standalone` creates a revision without changing the current content."""

    standalone: bool = False


class ExportToGitRepository(_GitOperation):
    """The destination of an export."""

    commit_message: Annotated[Text, StringConstraints(min_length=1, max_length=10_000)]


class FolderFile(WireModel):
    """A file of a revision as a folder: its `text`, or the address of its bytes (extension)."""

    path: str
    size: int
    text: str | MISSING = MISSING
    download_url: str | MISSING = Field(MISSING, alias="downloadURL")


class LastSync(WireModel):
    """The result of the last operation: `error` says why it failed, `problems` what was skipped (extension)."""

    direction: Literal["import", "export"]
    state: Literal["success", "failure"]
    ended_at: Moment
    commit: str | MISSING = MISSING
    revision: str | MISSING = MISSING
    error: str | MISSING = MISSING
    problems: list[str] | MISSING = MISSING


class GitSyncState(WireModel):
    """The repository that a space is synchronized with; `lastSync` is an extension."""

    repo_name: str | MISSING = MISSING
    installation_provider: Literal["github", "gitlab", "github-legacy"] | MISSING = MISSING
    integration: str | MISSING = MISSING
    url: str | MISSING = MISSING
    updated_at: Moment | MISSING = MISSING
    last_sync: LastSync | MISSING = MISSING
