"""Delivers due events from the queue: claim -> call -> deliver, retry or give up."""

from __future__ import annotations

import json
import logging
import math
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from itertools import groupby
from queue import Empty, SimpleQueue
from typing import Any

from runtime.contract.events import EVENTS
from runtime.contract.identifiers import new_id
from runtime.contract.invocation import LogLine, Outcome, Trace
from runtime.dispatch.announcing import Announcer
from runtime.dispatch.attempts import Attempt, store
from runtime.dispatch.deliveries import Deliveries
from runtime.dispatch.fair_pool import FairPool
from runtime.dispatch.in_flight import Flight, InFlight
from runtime.dispatch.invoke import Invoker
from runtime.dispatch.outbox import CHANGES_WINDOW, MAX_CHANGES
from runtime.dispatch.retention import Retention
from runtime.dispatch.retry import Delivered, Failed, Verdict, judge
from runtime.engines import time_slices
from runtime.engines.engine import AnswerCut
from runtime.engines.shares import NoneLeft, Turns
from runtime.engines.threads import RepeatingThread
from runtime.store import claims, queue
from runtime.store.database import Database

log = logging.getLogger(__name__)

BATCH = 256
"""Results written in one transaction."""
CLAIMED = 1024
"""Events of an integration that are claimed at once. Meanwhile, no more events of their lanes are claimed."""
MAX_IN_FLIGHT = 4 * CLAIMED
LOOK_EVERY = 0.5
WRITE_EVERY = 0.01
CLAIM_EVERY = 0.03
UNWRITTEN = 4
"""Begun and not yet stored events per thread; if a host dies, these are delivered again."""
LAST_TRIES = 5.0
"""Seconds for which a host that stops tries to store results; those that it cannot store are delivered again."""


class Dispatcher:
    """The threads that deliver events in this process; any number of processes share the work."""

    def __init__(
        self,
        database: Database,
        deliveries: Deliveries,
        invoker: Invoker,
        announcer: Announcer,
        *,
        threads: int,
        lease: float,
        schedule: Sequence[float],
        keep: int,
        tell: Callable[[], None] = lambda: None,
    ) -> None:
        """Take the number of events delivered at once, 0 to leave all to other hosts; `tell` notifies these."""
        self._database, self._deliveries, self._invoker, self._announcer = database, deliveries, invoker, announcer
        self._lease, self._schedule = lease, schedule
        self._delivers, self._tell_others = threads > 0, tell
        self._owner = new_id()
        self._retention = Retention(keep)
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._results: SimpleQueue[Attempt | Flight] = SimpleQueue()  # a flight alone was not begun
        self._in_flight = InFlight(MAX_IN_FLIGHT, CLAIMED)
        self._begun = 0  # and not yet stored
        self._most_begun = threads * UNWRITTEN
        self._written = threading.Condition()
        self._last_try = math.inf
        self._drained = threading.Event()
        self._pool = FairPool(threads, "delivery")
        self._masking = Turns(1, threads, lease)
        self._threads = [
            threading.Thread(target=run, name=name, daemon=True)
            for run, name in ((self._claim_loop, "claims"), (self._write_loop, "results"))
        ]
        self._leasing = RepeatingThread(
            "leases", self._extend_leases, log=log, failed="leases could not be extended; trying again"
        )

    def start(self) -> None:
        """Start delivering."""
        if not self._delivers:
            return
        for thread in self._threads:
            thread.start()
        self._leasing.start()

    def ready(self) -> bool:
        """Return whether every thread that should run is alive."""
        if not self._delivers:
            return not self._stopping.is_set()
        working = all(thread.is_alive() for thread in self._threads) and self._leasing.alive()
        return working and not self._stopping.is_set()

    def wake(self) -> None:
        """Check at once, here and in other processes: something was committed."""
        self.wake_here()
        self._tell_others()

    def wake_here(self) -> None:
        """Check at once in this process alone: another one has told that something was committed."""
        self._wake.set()

    def close(self) -> None:
        """Stop claiming events, finish those in flight, store their results."""
        self._stopping.set()
        self._wake.set()
        self._pool.close()
        self._last_try = time.monotonic() + LAST_TRIES
        self._drained.set()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(timeout=self._invoker.limits.wall + 10)
        self._leasing.close()  # after the others: what is in flight stays ours until its result is stored
        with self._database.transaction(writes=True) as session:
            queue.release(session, self._owner)

    def _claim_loop(self) -> None:
        time_slices.answer_soon()
        looked, taken = 0.0, 0
        while not self._stopping.is_set():
            self._wake.clear()
            # An event after a quiet period is delivered at once. Under load, checking after each commit would cost
            # more than the deliveries do.
            self._stopping.wait(looked + CLAIM_EVERY - time.monotonic())
            looked = time.monotonic()
            try:
                taken, pause = self._claim(expected=taken > 0)
            except Exception:  # whatever the error is, this thread must go on
                log.exception("events could not be taken; trying again")
                taken, pause = 0, LOOK_EVERY
            if not taken:
                self._wake.wait(pause)

    def _claim(self, *, expected: bool) -> tuple[int, float]:
        """Claim due events; returns how many, and how long to wait for the next.

        Unless some are `expected`, it looks whether there are any before it asks for the place of who writes.
        """
        room = self._in_flight.room()
        full = {"without": room.full_integrations, "without_owners": room.full_organizations}
        if room.left <= 0:
            return 0, WRITE_EVERY
        with self._database.transaction(writes=False) if not expected else nullcontext() as session:
            if session is not None and not claims.ready(session, self._owner, **full):
                due = claims.next_moment(session)
                return 0, LOOK_EVERY if due is None else max(0.0, min(LOOK_EVERY, due - time.time()))
        until = time.monotonic() + self._lease
        with self._database.transaction(writes=True) as session:
            events = claims.claim(
                session,
                self._owner,
                limit=min(CLAIMED, room.left),
                lease=self._lease,
                **full,
            )
            owners = claims.owners(session, events)
        if not events:
            return 0, WRITE_EVERY  # another process was first
        # An integration stands for its organization where it, or the installation, is gone.
        flights = [
            Flight(event, owners.get(event.installation_id or event.integration_id, event.integration_id), until)
            for event in events
        ]
        self._in_flight.add(flights)
        flights.sort(key=lambda flight: (flight.event.lane, flight.event.seq))
        for _, lane in groupby(flights, key=lambda flight: flight.event.lane):
            flights_of_lane = list(lane)
            first = flights_of_lane[0]
            work = partial(self._deliver_lane, flights_of_lane)
            self._pool.submit(first.organization_id, first.event.integration_id, work)
        return len(events), 0

    def _deliver_lane(self, flights: list[Flight]) -> None:
        """Deliver events of one lane until one has to be retried, for which the others then wait."""
        for index, flight in enumerate(flights):
            event = flight.event
            if not self._begin():
                return  # events that were not begun are released when the threads have ended
            # After this process, or the database, was blocked, another process may have the lane.
            if flight.leased_until <= time.monotonic():
                log.warning("the lease of event %s expired before its delivery began", event.id)
                self._unbegin()
                self._give_back(flights[index:])
                return
            try:
                over = self._deliver(flight)
            except Exception:
                log.exception("event %s could not be delivered", event.id)
                over = event.attempts > len(self._schedule)
                delay = 0.0 if over else self._schedule[event.attempts - 1]
                self._end(flight, state="given-up" if over else "failed", delay=delay)
            if not over:
                self._give_back(flights[index + 1 :])
                return

    def _begin(self) -> bool:
        """Wait until one more event may begin; False when the host stops.

        The number of begun events is limited, since they would accumulate if the database is slow or locked.
        """
        with self._written:
            while self._begun >= self._most_begun and not self._stopping.is_set():
                self._written.wait(LOOK_EVERY)
            if self._stopping.is_set():
                return False
            self._begun += 1
            return True

    def _unbegin(self) -> None:
        with self._written:
            self._begun -= 1
            self._written.notify()

    def _give_back(self, flights: Sequence[Flight]) -> None:
        for flight in flights:
            self._results.put(flight)

    def _deliver(self, flight: Flight) -> bool:
        """Call the script; returns whether the event is finished, or will be retried."""
        event = flight.event
        plan = self._deliveries.plan_for(event, json.loads(event.payload))
        if plan is None:
            self._end(flight, state="given-up")
            return True

        def judged(outcome: Outcome) -> Verdict:
            repeats = EVENTS[event.type].repeats
            return judge(
                outcome.status, event.attempts, repeats=repeats, schedule=self._schedule, chance=random.random()
            )

        def ended(outcome: Outcome, trace: Trace, seconds: float) -> None:
            verdict = judged(outcome)
            state = "delivered" if isinstance(verdict, Delivered) else "given-up"
            delay = 0.0
            if isinstance(verdict, Failed):
                state, delay = "failed", verdict.delay
            if event.held:
                trace.logs.insert(0, _held(event.held))
            self._end(
                flight,
                state=state,
                integration=plan.integration,
                answer=outcome.status,
                delay=delay,
                trace=trace,
                seconds=seconds,
                masker=plan.masker,
                outcome=outcome,
                configured=plan.configured,
            )

        outcome = self._invoker.send(plan, event.type, event.payload.encode(), None, ended)
        if not isinstance(outcome.body, bytes):
            # Nobody reads the body of a background event, but the script must finish.
            with suppress(AnswerCut):  # the trace has the reason
                deque(outcome.body, maxlen=0)
        # The trace may arrive after the answer, so this is not left to the writing thread.
        return not isinstance(judged(outcome), Failed)

    def _end(self, flight: Flight, **how: Any) -> None:
        attempt = Attempt(flight, ended=time.time(), **how)
        if attempt.is_long:
            # One per organization at a time, since it needs the interpreter, which all threads share. After waiting too
            # long, it is left to the writing thread.
            with suppress(NoneLeft), self._masking.turn(flight.organization_id):
                attempt.prepare(self._invoker.limits, told=self._announcer.heard(attempt.integration))
        self._results.put(attempt)

    def _write_loop(self) -> None:
        time_slices.answer_soon()
        while not (self._drained.is_set() and self._begun <= 0 and self._results.empty()):
            batch = self._take_results()
            ended = [one for one in batch if isinstance(one, Attempt)]
            unbegun = [one.event.seq for one in batch if isinstance(one, Flight)]
            # Here, and not in the delivering thread, except for long ones: the next event of the lane waits there.
            values = [attempt.values(self._invoker.limits) for attempt in ended]
            while batch:
                try:
                    store(list(zip(ended, values, strict=True)), unbegun, self._database, self._owner, self._retention)
                    break
                except Exception:  # whatever the error is, this thread must go on
                    log.exception("%d results could not be written; trying again", len(batch))
                    if time.monotonic() >= self._last_try:
                        break
                    time.sleep(LOOK_EVERY)
            self._in_flight.remove([one if isinstance(one, Flight) else one.flight for one in batch])
            with self._written:
                self._begun -= len(ended)
                self._written.notify(len(ended))
            if batch:
                self._wake.set()
            for attempt in ended:
                self._tell(attempt)

    def _tell(self, attempt: Attempt) -> None:
        try:
            if self._announcer.heard(attempt.integration):
                self._announcer.announce(attempt.integration, "event", attempt.told())
        except Exception:  # whatever the error is, this thread must go on
            log.exception("those who watch could not be told of event %s", attempt.event.id)

    def _take_results(self) -> list[Attempt | Flight]:
        try:
            batch: list[Attempt | Flight] = [self._results.get(timeout=LOOK_EVERY)]
        except Empty:
            return []
        deadline = time.monotonic() + WRITE_EVERY
        # Sleep instead of waiting on the queue: each result would wake this thread and interrupt the delivering thread.
        while (left := deadline - time.monotonic()) > 0 and self._begun < self._most_begun:
            time.sleep(min(left, WRITE_EVERY / 4))
        with suppress(Empty):
            while len(batch) < BATCH:
                batch.append(self._results.get_nowait())
        return batch

    def _bring_back(self) -> None:
        try:
            with self._database.transaction(writes=False) as session:
                strayed = queue.strayed(session, self._lease, self._schedule)
            if strayed:
                with self._database.transaction(writes=True) as session:
                    count = queue.bring_back(session, self._lease, self._schedule)
                log.warning(
                    "%d events were due too far in the future and were rescheduled: was the clock set back?", count
                )
                self._wake.set()
        except Exception:  # leases are extended all the same
            log.exception("events that are due too far in the future could not be rescheduled; trying again")

    def _extend_leases(self) -> float:
        self._bring_back()
        if self._in_flight:
            until = time.monotonic() + self._lease
            with self._database.transaction(writes=True) as session:
                extended = queue.extend(session, self._owner, self._lease)
            self._in_flight.extend(set(extended), until)
        return self._lease / 3


def _held(seconds: float) -> LogLine:
    """Add to a trace why its event was delayed."""
    text = (
        f"[host] held back for {seconds:.1f} s: the configuration of this installation changed more than "
        f"{MAX_CHANGES} times in {CHANGES_WINDOW:.0f} s. A handler that changes the configuration it is "
        "notified about should stop when there is nothing left to change."
    )
    return LogLine(time.time(), "warn", text)
