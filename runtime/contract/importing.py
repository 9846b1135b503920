"""Imports of content from elsewhere (docs/contract/api.md, "Import")."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import MISSING, AfterValidator, Field, StringConstraints

from runtime.contract.base import Body, Moment, Query, Text, WireModel
from runtime.contract.expected import NEW_ID
from runtime.contract.file_names import FileName
from runtime.contract.identifiers import ObjectId
from runtime.contract.url_parts import split_url

ImportSource = Literal[
    "website", "docx", "markdown", "html", "zip", "confluence", "github-wiki", "notion", "google-docs"
]
ImportStatus = Literal["pending", "in-progress", "completed", "failed", "cancelled"]


def _web_address(url: str) -> str:
    """Refuse what is no address of the web; whether it may be requested is seen when it is."""
    try:
        parts = split_url(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or any(sign <= " " or sign == "\x7f" for sign in url) or parts.username or parts.password:
        raise ValueError("must begin with `https://` or `http://` and have a host, without a user and password")
    return url


WebAddress = Annotated[Text, StringConstraints(min_length=1, max_length=2048), AfterValidator(_web_address)]


class ImportContent(Body):
    """The source of an import, and its format."""

    url: Annotated[WebAddress, Field(json_schema_extra={"format": "uri"})]
    source: ImportSource


class BeginImport(ImportContent):
    """An import that nobody waits for; by default into the space."""

    page: ObjectId | MISSING = MISSING
    change_request: ObjectId | MISSING = MISSING


class ImportContentResult(WireModel):
    """The revision that an import created, and the number of imported resources."""

    revision: str
    imported_resources: int
    total_resources: int


class UploadImportQuery(Query):
    """The format of the body, the name of its file, and the destination, by default the space."""

    source: ImportSource
    name: FileName = "import"
    page: Annotated[str, StringConstraints(pattern=NEW_ID)] | None = None
    change_request: Annotated[str, StringConstraints(pattern=NEW_ID)] | None = None


class Import(WireModel):
    """An import, under way or over: `revision` is there when it is completed, `error` when it failed.

    `url` is the address it was given, without what may be a signature or a key (`shown_address`).
    """

    object: Literal["import"] = "import"
    id: str
    space: str
    source: ImportSource
    status: ImportStatus
    url: str | MISSING = MISSING
    page: str | MISSING = MISSING
    change_request: str | MISSING = MISSING
    imported_resources: int
    total_resources: int
    problems: list[str]
    revision: str | MISSING = MISSING
    error: str | MISSING = MISSING
    created_at: Moment
    finished_at: Moment | MISSING = MISSING
