"""Makes PDFs in the background: reads a book, gathers its pictures, has it set, and keeps what comes of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from runtime.background.jobs import Job, JobFailed, JobKind
from runtime.contract import errors
from runtime.contract.document_references import references_in
from runtime.contract.json_parts import encode_in_pieces
from runtime.contract.url_parts import join_url, split_url
from runtime.engines.egress import EgressRefused, EgressRules, FetchFailed, fetch
from runtime.engines.separate_process.answers import Refused
from runtime.engines.separate_process.runner import SeparateProcessFailed, open_made
from runtime.engines.unpacking import unpacked
from runtime.services import organization_storage
from runtime.services.printing.book import Book, TooMuch, book_of, chosen
from runtime.services.printing.setting import BOOK, PDF, picture_key, set_book
from runtime.store import jobs, locks, pdfs, rows
from runtime.store.blobs.backend import BlobMissing
from runtime.store.content.revisions import snapshot_of
from runtime.store.database import now
from runtime.store.reach import HOST
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.pdfs import PdfRow
from runtime.store.tables.spaces import SpaceRow

KIND = "pdf"
BLOCKS = 5
"""Levels in a book of the blocks of documents."""
MAX_WAITING = 10
"""PDFs of an organization that wait to be made."""
MAX_KEPT = 100
"""PDFs of a space; the one that nobody asked for the longest time goes first."""
MEMORY = 1500 * 1024 * 1024
SECONDS = 300.0
MAX_PDF = 200 * 1024 * 1024
MAX_PICTURE = 10 * 1024 * 1024
MAX_PICTURES = 300
MAX_ALL_PICTURES = 100 * 1024 * 1024
FETCHING = 60.0
"""Seconds for all pictures of other hosts together."""
EACH = 10.0
REDIRECTS = 5
FILES = "/files/"
"""Where files are on this host, which pages may name by their addresses."""
TYPES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"))
FONTS = {path: path for path in ("/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts", "/usr/share/fontconfig")}


def ask(session: Session, space: SpaceRow, revision: RevisionRow, page_id: str | None, *, only: bool) -> PdfRow:
    """Find a PDF, or have it made; raises NotFound, BadRequest for too much, and `TooManyJobs`."""
    locks.acquire(session, f"pdf of {revision.id}")
    row = pdfs.find(session, space.id, revision.id, page_id or "", only=only)
    if row is None or row.problem is not None:
        snapshot = snapshot_of(session, revision)
        try:
            pages = chosen(snapshot, page_id, only=only)
        except TooMuch as error:
            raise errors.BadRequest(str(error)) from None
        if not pages:
            raise errors.NotFound("There is no page with text to print.")
        if row is None:
            title = pages[0].title if page_id is not None else space.title
            row = PdfRow(space_id=space.id, revision_id=revision.id, page_id=page_id or "", only=only, name=title[:200])
            session.add(row)
            session.flush()
        row.problem = None
        organization_storage.enforce_for_files(session, space.organization_id)
        pdfs.make_room(session, space.id, MAX_KEPT)
        jobs.enqueue(session, KIND, space.organization_id, row.id, {}, most=MAX_WAITING)
    row.used_at = now()
    return row


def run(job: Job) -> None:
    """Make one PDF."""
    with job.tools.database.transaction(writes=False) as session:
        row = rows.find(session, HOST, PdfRow, id=job.subject)
        space = rows.find(session, HOST, SpaceRow, id=row.space_id) if row is not None else None
        revision = rows.find(session, HOST, RevisionRow, id=row.revision_id) if row is not None else None
        if row is None or space is None or revision is None or row.blob is not None:
            return
        try:
            pages = chosen(snapshot_of(session, revision), row.page_id or None, only=row.only)
            book = book_of(session, space, revision, pages)
        except (TooMuch, errors.NotFound) as error:
            raise JobFailed(str(error)) from None
    with job.tools.folders.lent() as folder:
        types = _gather(job, book, folder)
        written = {**vars(book), "picture_types": types}
        with (folder / BOOK).open("w", encoding="utf-8") as file:
            file.writelines(encode_in_pieces(written, BLOCKS))
        _set(job, folder)
        with open_made(folder, PDF) as made:
            blob = job.tools.blobs.put(made, MAX_PDF, job.organization_id)
    try:
        with job.tools.database.transaction(writes=True) as session:
            job.still_ours(session)
            organization_storage.enforce_for_space(session, space.id, blob.size)
            pdfs.finish(session, job.subject, blob, None)
    except (errors.BadRequest, errors.Unavailable) as full:
        job.tools.blobs.discard(blob)
        raise JobFailed(full.message) from None


def give_up(job: Job, sentence: str) -> None:
    """Note why a PDF cannot be made."""
    with job.tools.database.transaction(writes=True) as session:
        row = rows.find(session, HOST, PdfRow, id=job.subject)
        if row is not None and row.blob is None:  # it may have been made before the process that made it died
            pdfs.finish(session, job.subject, None, sentence[:500])


def _set(job: Job, folder: Path) -> None:
    try:
        job.tools.separate_process.run(
            set_book, folder, {}, memory=MEMORY, seconds=SECONDS, file_bytes=MAX_PDF, mounts=FONTS, check=job.check
        )
    except Refused as refused:
        raise JobFailed(refused.message) from None
    except SeparateProcessFailed as failed:
        if failed.reason == "crashed":
            raise
        much = "memory" if failed.reason == "memory" else "time"
        raise JobFailed(f"This takes more {much} than a PDF may; request a part with `page`.") from None


def _gather(job: Job, book: Book, folder: Path) -> dict[str, str]:
    """Put the pictures of a book beside it; returns their types by their names. What cannot be had is left out."""
    types: dict[str, str] = {}
    left, until = MAX_ALL_PICTURES, time.monotonic() + FETCHING
    for ref in _pictures(book):
        key = picture_key(ref)
        if key in book.pictures or len(types) >= MAX_PICTURES or left <= 0:
            continue
        job.check()
        found = _of_file(job, book, ref) if ref["kind"] == "file" else fetched(job.tools.egress, ref["url"], until)
        if found is None or len(found[0]) > left:
            continue
        name = f"picture-{len(types)}"
        (folder / name).write_bytes(found[0])
        left -= len(found[0])
        types[name] = found[1]
        book.pictures[key] = name
    return types


def _pictures(book: Book) -> Iterator[Mapping[str, Any]]:
    for document in (*(page["document"] for page in book.pages), *book.contents.values()):
        for one in references_in(document):
            if one.relation == "dependsOn" and one.ref["kind"] in ("file", "url"):
                yield one.ref


def _of_file(job: Job, book: Book, ref: Mapping[str, Any]) -> tuple[bytes, str] | None:
    file = book.files.get(ref["file"])
    if file is None or file["type"] not in TYPES or file["size"] > MAX_PICTURE:
        return None
    try:
        return job.tools.blobs.read(file["blob"]), file["type"]
    except BlobMissing:
        return None


def fetched(rules: EgressRules, url: str, until: float) -> tuple[bytes, str] | None:
    """Fetch a picture of another host, or a file of this one, until a moment; returns it with its type.

    None for what is no picture, cannot be had, or may not be requested.
    """
    for _ in range(REDIRECTS + 1):
        seconds = min(EACH, until - time.monotonic())
        if seconds <= 0:
            return None
        try:
            parts = split_url(url)
            if rules.is_own_outside_api(parts, besides=FILES):
                return None
            answer = fetch(rules, "GET", url, timeout=seconds, max_bytes=MAX_PICTURE)
            picture = unpacked(answer, MAX_PICTURE) if answer.status == 200 else b""
        except (EgressRefused, FetchFailed, ValueError):
            return None
        headers = {name.lower(): value for name, value in answer.headers}
        if answer.status in (301, 302, 303, 307, 308) and "location" in headers:
            try:
                url = join_url(url, headers["location"])
            except ValueError:  # a server may write anything there
                return None
            continue
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        return (picture, kind) if answer.status == 200 and kind in TYPES else None
    return None


def is_in_vain(session: Session, job: Job) -> bool:
    """Tell whether nobody can read the PDF any more: its space was deleted, or it had to make room for others."""
    return pdfs.of_living_space(session, job.subject) is None


PDF_JOB = JobKind(KIND, run, give_up, seconds=SECONDS + 120, is_in_vain=is_in_vain)
