"""The background job that makes a version of a specification: fetch, read in a separate process, keep what is new."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from runtime.background.jobs import Job, JobKind
from runtime.contract import errors
from runtime.contract.openapi_specs import ErrorCode
from runtime.engines.separate_process.runner import SeparateProcessFailed, open_made
from runtime.services import organization_storage
from runtime.services.openapi_specs.faults import MAX_FILE, MAX_FILES, MAX_RESULT, MAX_TOTAL, shortened
from runtime.services.openapi_specs.fetching import Unfetched, fetch_file
from runtime.services.openapi_specs.working import RESULT, Given, work
from runtime.store import openapi_specs as store
from runtime.store import rows
from runtime.store.blobs.store import Blob
from runtime.store.reach import HOST
from runtime.store.tables.openapi_specs import OpenApiSpecRow

KIND = "openapi"
MEMORY = 1 << 30
SECONDS = 120.0
PATIENCE = 10
"""How many times as long as one file all of them together may take to fetch."""
MAX_ROUNDS = 20
"""How many files lead from the document to the last one."""
_REASONS = {
    "memory": "Parsing the specification takes more memory than allowed; split it.",
    "time": f"Parsing the specification takes longer than {SECONDS:g} seconds; split it.",
    "crashed": "Parsing the specification failed; check that the file is valid.",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it: a blob with all files, or why there is none."""

    blob: Blob | None
    code: ErrorCode | None = None
    sentences: tuple[str, ...] = ()


class _Ended(Exception):
    def __init__(self, code: ErrorCode, *sentences: str) -> None:
        super().__init__(code)
        self.outcome = Outcome(None, code, sentences)


def run(job: Job) -> None:
    """Process a specification until nobody gave it another source meanwhile; one that is gone is left alone."""
    while True:
        job.check()
        with job.tools.database.transaction(writes=True) as session:
            job.still_ours(session)
            spec = store.begin(session, job.subject)
        if spec is None:
            return
        outcome = _process(job, spec)
        with job.tools.database.transaction(writes=True) as session:
            job.still_ours(session)
            kept = _with_room(session, spec, outcome)
            done = store.finish(session, spec, kept.blob, kept.code, kept.sentences)
        read = Blob(spec.source_blob, 0, spec.source_blob_came_at) if spec.source_blob is not None else None
        for blob in (outcome.blob, read):
            if blob is not None:
                job.tools.blobs.discard(blob)  # unless a version is made of it, or it is a source that still waits
        if done:
            return


def _with_room(session: Session, spec: OpenApiSpecRow, outcome: Outcome) -> Outcome:
    if outcome.blob is None:
        return outcome
    try:
        organization_storage.enforce(session, spec.organization_id, outcome.blob.size)
    except (errors.BadRequest, errors.Unavailable) as full:
        # The contract has no code for it; the sentence says that nothing is wrong with the specification.
        return Outcome(None, "FETCH_ERROR", (full.message,))
    return outcome


def give_up(job: Job, sentence: str) -> None:
    """Write down that this host could not do it."""
    with job.tools.database.transaction(writes=True) as session:
        spec = store.waiting(session, job.subject)
        if spec is not None:
            store.finish(session, spec, None, "PARSE_ERROR" if spec.source_url is None else "FETCH_ERROR", [sentence])


def is_in_vain(session: Session, job: Job) -> bool:
    """Tell whether the specification was deleted."""
    return rows.find(session, HOST, OpenApiSpecRow, id=job.subject) is None


PROCESSING = JobKind(KIND, run, give_up, is_in_vain=is_in_vain)


def _process(job: Job, spec: OpenApiSpecRow) -> Outcome:
    try:
        with job.tools.folders.lent() as folder:
            return _Processing(job, spec, folder).run()
    except _Ended as ended:
        return ended.outcome
    except Unfetched as error:
        return Outcome(None, error.code, (error.sentence,))


class _Processing:
    def __init__(self, job: Job, spec: OpenApiSpecRow, folder: Path) -> None:
        self._job, self._spec, self._folder = job, spec, folder
        self._seconds = float(job.payload["seconds"])
        self._given: list[Given] = []
        self._bytes = 0
        self._until = time.monotonic() + PATIENCE * self._seconds

    def run(self) -> Outcome:
        if self._spec.source_url is not None:
            fetched = fetch_file(self._job.tools.egress, self._spec.source_url, self._seconds, check=self._job.check)
            self._add(fetched.address, fetched.content)
        else:
            self._add("", self._job.tools.blobs.read(self._spec.source_blob or ""))
        for _ in range(MAX_ROUNDS):
            answer = self._separately()
            if answer.get("faults"):
                raise _Ended("PARSE_ERROR", *answer["faults"])
            if not answer.get("wanted"):
                return self._kept()
            for address in answer["wanted"]:
                self._fetch(address)
        raise _Ended("PARSE_ERROR", f"References form a chain of more than {MAX_ROUNDS} files.")

    def _fetch(self, address: str) -> None:
        if len(self._given) >= MAX_FILES:
            raise _Ended("PARSE_ERROR", f"The specification consists of more than {MAX_FILES} files.")
        if time.monotonic() > self._until:
            together = PATIENCE * self._seconds
            raise _Ended("FETCH_TIMEOUT", f"Fetching all files takes longer than {together:g} seconds together.")
        most = min(MAX_FILE, MAX_TOTAL - self._bytes)
        rules, check = self._job.tools.egress, self._job.check
        self._add(address, fetch_file(rules, address, self._seconds, most=most, check=check).content)

    def _add(self, address: str, content: bytes) -> None:
        name = f"{len(self._given)}.file"
        (self._folder / name).write_bytes(content)
        self._bytes += len(content)
        self._given.append({"address": address, "name": name})

    def _separately(self) -> Any:
        try:
            return self._job.tools.separate_process.run(
                work,
                self._folder,
                self._given,
                memory=MEMORY,
                seconds=SECONDS,
                file_bytes=MAX_RESULT,
                check=self._job.check,
            )
        except SeparateProcessFailed as error:
            raise _Ended("PARSE_ERROR", shortened(_REASONS[error.reason])) from error

    def _kept(self) -> Outcome:
        with open_made(self._folder, RESULT) as made:
            return Outcome(self._job.tools.blobs.put(made, MAX_RESULT, self._job.organization_id))
