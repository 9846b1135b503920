"""The background job of imports: fetches the source, has it read in a separate process, and stores a revision."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sqlalchemy.orm import Session

from runtime.background.jobs import Job, JobFailed, JobKind
from runtime.contract import errors
from runtime.contract.organizations import Role, reaches
from runtime.contract.url_parts import split_url
from runtime.engines.separate_process.answers import Refused
from runtime.engines.separate_process.runner import SeparateProcessFailed
from runtime.services import organization_storage
from runtime.services.importing import fetching, storing, transfer
from runtime.services.importing.assembling import Place
from runtime.services.importing.crawling import Crawl
from runtime.services.importing.storing import Stored, Target
from runtime.store import imports, membership, rows
from runtime.store.blobs.store import Blob
from runtime.store.reach import HOST
from runtime.store.tables.imports import ImportRow
from runtime.store.tables.spaces import SpaceRow

NAME = "import"
LONGEST_SENTENCE = 500
LINKS_SECONDS = 120.0
RULES_SECONDS, RULES_MEMORY = 20.0, 512 << 20
"""Bounds of a process that reads a robots.txt."""
GOOGLE_DOCUMENT = ("docs.google.com", "/document/d/")


class Cancelled(JobFailed):
    """Somebody cancelled the import."""


def run(job: Job) -> None:
    """Run an import; a restarted one reuses what earlier attempts fetched."""
    with job.tools.database.transaction(writes=False) as session:
        row = rows.find(session, HOST, ImportRow, id=job.payload["import"])
        if row is None or row.status not in imports.UNDER_WAY:
            return
        session.expunge(row)
    _Import(job, row).run()
    _discard_blobs(job, row)


def give_up(job: Job, sentence: str) -> None:
    """Record why an import failed."""
    with job.tools.database.transaction(writes=True) as session:
        row = rows.find(session, HOST, ImportRow, id=job.payload["import"])
        if row is not None:
            session.expunge(row)
        imports.end(session, job.payload["import"], "failed", imported=0, error=sentence[:LONGEST_SENTENCE])
    if row is not None:
        _discard_blobs(job, row)


def _discard_blobs(job: Job, row: ImportRow) -> None:
    """Delete what was sent or fetched for an import that is over."""
    if row.blob is not None:
        job.tools.blobs.discard(Blob(row.blob, 0, row.blob_came_at))
    if (came_at := job.progress.get("came_at")) is not None:
        job.tools.blobs.discard(Blob(job.progress["blob"], 0, datetime.fromisoformat(came_at)))


def is_in_vain(session: Session, job: Job) -> bool:
    """Tell whether the import was cancelled, or its space deleted."""
    row = rows.find(session, HOST, ImportRow, id=job.payload["import"])
    under_way = row is not None and row.status in imports.UNDER_WAY
    return not under_way or rows.find(session, HOST, SpaceRow, id=job.subject, deleted_at=None) is None


KIND = JobKind(NAME, run, give_up, is_in_vain=is_in_vain)


class _Import:
    def __init__(self, job: Job, row: ImportRow) -> None:
        self._job, self._row = job, row

    def run(self) -> None:
        # Its readers of foreign formats are many: hosts start without them, and separate processes load what they need.
        from runtime.services.importing import reading

        self._tell(status="in-progress", imported=0)
        self._must_have_room()  # many may have been begun at once
        with self._job.tools.folders.lent() as folder:
            arguments = self._bring(folder)
            try:
                self._separately(reading.read, folder, arguments, storing.SECONDS, self._heard)
                imported = transfer.read_imported(folder)
            except Refused as error:
                raise JobFailed(error.message) from error
            except SeparateProcessFailed as error:
                raise JobFailed(storing.sentence_of(error)) from error
            self._tell(total=imported.total, problems=[*imported.problems])
            place = Place(self._row.page_id)
            row = self._row
            target = Target(row.space_id, row.change_request_id, row.revision_id, row.user_id, place)

            def finish(session: Session, stored: Stored) -> None:
                self._must_be_allowed(session)
                problems = [*imported.problems, *stored.problems][: transfer.MAX_PROBLEMS]
                total = max(imported.total, stored.entries)
                done = {"imported": stored.entries, "total": total, "problems": problems}
                if not imports.end(session, row.id, "completed", **done):
                    raise Cancelled("The import was cancelled.")

            storing.store_import(self._job, folder, imported, target, finish)

    def _must_have_room(self) -> None:
        with self._job.tools.database.transaction(writes=False) as session:
            try:
                organization_storage.enforce_for_files(session, self._job.organization_id)
            except errors.ApiError as full:
                raise JobFailed(full.message) from None

    def _bring(self, folder: Path) -> Mapping[str, Any]:
        """Fetch the source into the folder; returns the reader's arguments."""
        row = self._row
        if row.blob is not None:
            self._copy(folder, row.blob)
            return {"source": row.source, "name": row.name}
        assert row.url is not None, "an import has an address or a blob"
        if row.source == "website" or (row.source == "github-wiki" and _is_github(row.url)):
            Crawl(self._job, row.url, folder, self._links, self._rules, self._heard).run()
            return {"source": row.source, "crawled": True}
        known = self._job.progress.get("blob")
        if known is None:
            fetched = fetching.get(self._job.tools.egress, _export_of(row.url, row.source))
            content = BytesIO(fetching.content(fetched))
            blob = self._job.tools.blobs.put(content, fetching.MAX_BYTES, self._job.organization_id)
            known, came_at = blob.name, blob.came_at.isoformat() if blob.came_at is not None else None
            self._job.save({**self._job.progress, "blob": known, "came_at": came_at})
        self._copy(folder, known)
        name = unquote(split_url(row.url).path.rstrip("/").rpartition("/")[2])
        return {"source": row.source, "name": transfer.clean(name)[:200].replace("/", "-")}

    def _copy(self, folder: Path, blob: str) -> None:
        with self._job.tools.blobs.open(blob) as stream, (folder / transfer.INPUT).open("xb") as file:
            shutil.copyfileobj(stream, file, 1 << 20)

    def _links(self, folder: Path, arguments: Any) -> Any:
        from runtime.services.importing import websites

        try:
            return self._separately(websites.links_of, folder, arguments, LINKS_SECONDS)
        except SeparateProcessFailed as error:
            raise JobFailed(storing.sentence_of(error)) from error

    def _rules(self, folder: Path, arguments: Any) -> Any:
        from runtime.services.importing import robots

        try:
            return self._separately(robots.rules_of, folder, arguments, RULES_SECONDS, memory=RULES_MEMORY)
        except SeparateProcessFailed as error:
            took = "could not be parsed" if error.reason == "crashed" else f"takes too much {error.reason} to parse"
            raise JobFailed(f"The robots.txt of the website {took}, so nothing is imported.") from error

    def _separately(
        self,
        function: Any,
        folder: Path,
        arguments: Any,
        seconds: float,
        heard: Callable[[int, int], None] | None = None,
        memory: int = storing.MEMORY,
    ) -> Any:
        return self._job.tools.separate_process.run(
            function, folder, arguments,
            memory=memory, seconds=seconds, file_bytes=storing.FILE_BYTES, check=self._job.check, heard=heard,
        )  # fmt: skip

    def _heard(self, done: int, total: int) -> None:
        """Record progress; numbers from the untrusted reader are clamped."""
        total = min(total, transfer.MAX_ENTRIES)
        self._tell(imported=min(done, total), total=total)

    def _must_be_allowed(self, session: Session) -> None:
        """Raise Cancelled if whoever began the import may not change this content any more."""
        row = self._row
        space = rows.find(session, HOST, SpaceRow, id=row.space_id)
        needed: Role = "edit" if row.change_request_id is not None or row.page_id is not None else "create"
        if (
            space is None
            or row.user_id is None
            or not reaches(membership.level_of_person(session, row.user_id, space), needed)
        ):
            raise Cancelled("Whoever began this import may not change this content any more.")

    def _tell(self, **values: Any) -> None:
        with self._job.tools.database.transaction(writes=True) as session:
            self._must_be_allowed(session)
            going_on = imports.change(session, self._row.id, **values)
        if not going_on:
            raise Cancelled("The import was cancelled.")


def _is_github(url: str) -> bool:
    return split_url(url).hostname == "github.com"


def _export_of(url: str, source: str) -> str:
    """Return the download address of a Google document."""
    parts = split_url(url)
    if source == "google-docs" and parts.hostname == GOOGLE_DOCUMENT[0] and parts.path.startswith(GOOGLE_DOCUMENT[1]):
        document = parts.path.removeprefix(GOOGLE_DOCUMENT[1]).partition("/")[0]
        return f"https://{GOOGLE_DOCUMENT[0]}{GOOGLE_DOCUMENT[1]}{document}/export?format=docx"
    return url
