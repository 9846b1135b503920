"""Runs background jobs: claim -> run -> finish, retry or give up; any number of processes share the jobs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.identifiers import new_id
from runtime.engines.egress import EgressRules
from runtime.engines.own_folders import Folders
from runtime.engines.separate_process.runner import SeparateProcessRunner
from runtime.engines.shares import Shares
from runtime.engines.threads import RepeatingThread
from runtime.store import jobs
from runtime.store.blobs.store import BlobStore
from runtime.store.database import Database, now
from runtime.store.tables.jobs import JobRow

log = logging.getLogger(__name__)

LEASE = 15.0
"""Seconds after which the jobs of a dead process are taken over."""
LOOK_EVERY = 1.0
CLOSING = 5.0
"""Seconds that running jobs have to stop when their host closes."""
MAX_ATTEMPTS = 3
PAUSES = (5.0, 60.0)
"""Seconds before the second and the third attempt."""
SECONDS = 3600.0
"""Time limit of one attempt, in seconds, unless its kind has another one."""
NOT_OURS = (
    "The job failed because of a problem on this host, not because of its input; try again, or ask the "
    "operator of the host."
)
IN_VAIN = "This was not finished, because what it was for was deleted or cancelled meanwhile."


class JobFailed(Exception):
    """A job cannot succeed, however often it is tried; the message is for the person who started it."""


class JobInterrupted(Exception):
    """A job has to stop here: the host is stopping, or another process has the job."""


@dataclass(frozen=True, slots=True)
class JobTools:
    """The parts that jobs work with."""

    database: Database
    egress: EgressRules
    blobs: BlobStore
    addresses: Addresses
    separate_process: SeparateProcessRunner
    folders: Folders
    """For temporary files; those of a killed host are removed when the next one starts."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job. After a kill, `run` is called again from its start, with what it saved as `progress`.

    `give_up` stores why it did not succeed, with a message for the person who started it. Both use their own
    transactions, and none while they wait. `seconds` is the time limit of an attempt. `is_in_vain` tells, from time to
    time and before an attempt, whether nobody needs the job any more: it is then given up.
    """

    name: str
    run: Callable[[Job], None]
    give_up: Callable[[Job, str], None]
    seconds: float = SECONDS
    is_in_vain: Callable[[Session, Job], bool] = lambda session, job: False


@dataclass(slots=True)
class Job:
    """A running job."""

    id: str
    organization_id: str
    subject: str
    payload: Mapping[str, Any]
    progress: dict[str, Any]
    attempt: int
    tools: JobTools
    holder: str
    until: float
    """Its deadline, in monotonic seconds."""
    kind: JobKind
    lost: threading.Event = field(default_factory=threading.Event)
    in_vain: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Raise `JobInterrupted` when this attempt must stop, `JobFailed` when it takes too long or is in vain."""
        if self.lost.is_set():
            raise JobInterrupted
        if self.in_vain.is_set():
            raise JobFailed(IN_VAIN)
        if time.monotonic() > self.until:
            raise JobFailed("The job took longer than allowed; try again with less at a time.")

    def save(self, progress: dict[str, Any]) -> None:
        """Save the progress; raises `JobInterrupted` if the job must stop."""
        self.check()
        with self.tools.database.transaction(writes=True) as session:
            held = jobs.extend(session, self.id, self.holder, LEASE, progress=progress)
        if not held:
            self.lost.set()
            raise JobInterrupted
        self.progress = progress

    def still_ours(self, session: Any) -> None:
        """Check, in the transaction that writes a result, that nobody else has the job; raises `JobInterrupted`."""
        if not jobs.extend(session, self.id, self.holder, LEASE):
            self.lost.set()
            raise JobInterrupted


class JobRunner:
    """The threads that run jobs in this process."""

    def __init__(
        self, tools: JobTools, kinds: Sequence[JobKind], threads: int, tell: Callable[[], None] = lambda: None
    ) -> None:
        """Take all kinds, and how many jobs may run at once, 0 to leave all to other hosts; `tell` notifies these."""
        self._tools, self._works, self._tell_others = tools, threads > 0, tell
        self._kinds = {kind.name: kind for kind in kinds}
        self._shares = Shares(threads)
        self._free = threading.Semaphore(threads)
        self._running: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._workers: set[threading.Thread] = set()
        self._claiming = RepeatingThread(
            "jobs", self._claim_due, log=log, failed="jobs could not be taken; trying again", retry=LOOK_EVERY
        )
        self._leasing = RepeatingThread(
            "job leases", self._extend_leases, log=log, failed="the leases of jobs could not be extended; trying again"
        )

    def start(self) -> None:
        """Start, with a first check at once."""
        if not self._works:
            return
        self._claiming.start()
        self._leasing.start()

    def wake(self) -> None:
        """Check now, here and in other processes: something was committed."""
        self.wake_here()
        self._tell_others()

    def wake_here(self) -> None:
        """Check now in this process alone: another one has told that something was committed."""
        self._claiming.wake()

    def ready(self) -> bool:
        """Return whether every thread that should run is alive."""
        if not self._works:
            return not self._claiming.stopping.is_set()
        return self._claiming.alive() and self._leasing.alive()

    def close(self) -> None:
        """Stop running jobs where they can be resumed, and release them."""
        self._claiming.stop()
        self._leasing.stop()
        with self._lock:
            workers = list(self._workers)
            for job in self._running.values():
                job.lost.set()
        # A job that does not stop in time is taken over elsewhere when its lease expires.
        deadline = time.monotonic() + CLOSING
        for loop in (self._claiming, self._leasing):
            loop.close(max(0.0, deadline - time.monotonic()))
        for worker in workers:
            worker.join(timeout=max(0.0, deadline - time.monotonic()))
        if not any(worker.is_alive() for worker in workers):
            self._tools.folders.close()

    def _claim_due(self) -> float:
        while not self._claiming.stopping.is_set() and self._begin_one():
            pass
        return LOOK_EVERY

    def _begin_one(self) -> bool:
        """Claim a job and start it; False if none is due, or no thread is free."""
        if not self._free.acquire(blocking=False):
            return False
        job = None
        try:
            job = self._claim()
        finally:
            if job is None:
                self._free.release()
        if job is None:
            return False
        kind, taken = job
        thread = threading.Thread(target=self._work, args=(kind, taken), name=f"job {kind.name}", daemon=True)
        with self._lock:
            self._running[taken.id] = taken
            self._workers.add(thread)
        try:
            thread.start()
        except RuntimeError:  # the system refuses another thread for this process
            try:
                self._give_back(taken)
            finally:
                self._leave(taken, thread)
            raise
        return True

    def _claim(self) -> tuple[JobKind, Job] | None:
        full: list[str] = []
        while True:
            with self._tools.database.transaction(writes=False) as session:
                row = jobs.next_due(session, now(), self._kinds, full)
                if row is None:
                    return None
            if not self._shares.enter(row.organization_id):
                full.append(row.organization_id)
                continue
            mine = False
            holder = new_id()  # of this attempt: a later one of the same process has another one
            try:
                with self._tools.database.transaction(writes=True) as session:
                    mine = jobs.claim(session, row, holder, LEASE)
            finally:
                if not mine:
                    self._shares.leave(row.organization_id)
            if mine:
                return self._kinds[row.kind], self._job(row, holder)
            # Another process was first; further due jobs are found at the next check.
            return None

    def _job(self, row: JobRow, holder: str) -> Job:
        kind = self._kinds[row.kind]
        until = time.monotonic() + kind.seconds
        return Job(
            row.id, row.organization_id, row.subject, row.payload, row.progress, row.attempts + 1, self._tools,
            holder, until, kind,
        )  # fmt: skip

    def _work(self, kind: JobKind, job: Job) -> None:
        try:
            self._attempt(kind, job)
        except Exception:
            # Its lease expires, and the next process that claims it counts one more attempt.
            log.exception("the result of job %s (%s) could not be written", job.id, kind.name)
        finally:
            self._leave(job, threading.current_thread())
            self._claiming.wake()

    def _leave(self, job: Job, thread: threading.Thread) -> None:
        """Let others have what a job held in this process."""
        with self._lock:
            self._running.pop(job.id, None)
            self._workers.discard(thread)
        self._shares.leave(job.organization_id)
        self._free.release()

    def _give_back(self, job: Job) -> None:
        """Let the next who is free run it, without counting this attempt."""
        with self._tools.database.transaction(writes=True) as session:
            jobs.give_back(session, job.id, job.holder, now(), uncount=True)

    def _attempt(self, kind: JobKind, job: Job) -> None:
        try:
            if job.attempt > MAX_ATTEMPTS:  # the processes that tried it were killed by it
                raise JobFailed(NOT_OURS)
            with self._tools.database.transaction(writes=False) as session:
                in_vain = kind.is_in_vain(session, job)
            if in_vain:
                raise JobFailed(IN_VAIN)
            kind.run(job)
        except JobInterrupted:
            self._give_back(job)
            return
        except JobFailed as error:
            kind.give_up(job, str(error))
        except Exception:
            log.exception("job %s (%s) failed at its attempt %d", job.id, kind.name, job.attempt)
            if job.attempt < MAX_ATTEMPTS:
                again = now() + timedelta(seconds=PAUSES[job.attempt - 1])
                with self._tools.database.transaction(writes=True) as session:
                    jobs.give_back(session, job.id, job.holder, again)
                return
            kind.give_up(job, NOT_OURS)
        with self._tools.database.transaction(writes=True) as session:
            jobs.finish(session, job.id, job.holder)

    def _extend_leases(self) -> float:
        with self._lock:
            running = list(self._running.values())
        for job in running:
            try:
                with self._tools.database.transaction(writes=True) as session:
                    if not jobs.extend(session, job.id, job.holder, LEASE):
                        job.lost.set()
                with self._tools.database.transaction(writes=False) as session:
                    if job.kind.is_in_vain(session, job):
                        job.in_vain.set()
            except Exception:  # the leases of the others are extended
                log.exception("the lease of job %s could not be extended; trying again", job.id)
        return LEASE / 3
