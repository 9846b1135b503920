"""The parts that the API works with: created once by `app.py`, passed to every call."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import ExitStack
from dataclasses import dataclass, field

from runtime.api.anonymous_lanes import KnownOwners
from runtime.api.auth import Authenticator
from runtime.api.request_capacity import RequestCapacity
from runtime.background.free_memory import FreeMemory
from runtime.background.jobs import JobRunner
from runtime.background.mailing import Mailer
from runtime.background.purging import Purger
from runtime.contract.addresses import Addresses
from runtime.contract.organizations import Role
from runtime.dispatch.announcing import Announcer
from runtime.dispatch.broker import Broker
from runtime.dispatch.candidates import Candidates
from runtime.dispatch.deliveries import Plans
from runtime.dispatch.followers import Followers
from runtime.dispatch.invoke import Invoker
from runtime.dispatch.recorder import Recorder
from runtime.dispatch.tunnels import Tunnels
from runtime.dispatch.worker import Dispatcher
from runtime.engines.dev_tunnel.relay import Relay
from runtime.engines.own_folders import Folders
from runtime.engines.separate_process.runner import SeparateProcessRunner
from runtime.engines.table import Engines
from runtime.services.answer_model import AnswerModel
from runtime.services.render_cache import RenderCache
from runtime.services.render_shortcuts import RenderShortcuts
from runtime.services.rendering import Renderer
from runtime.services.search_indexing import Indexer
from runtime.services.unfurling import Unfurling
from runtime.settings import Settings
from runtime.store.blobs.store import BlobStore
from runtime.store.database import Database, Table
from runtime.store.disk import Disk
from runtime.store.epoch_cache import EpochCache
from runtime.store.page_weight import bytes_of

HEAVIEST_NAMED = 64 * 1024 * 1024
"""Limit, in bytes, of the cached rows that paths name."""


@dataclass(slots=True)
class ResolvedPath:
    """The rows that a path names, by the names of their resources, and the level of the requester on each."""

    rows: dict[str, Table] = field(default_factory=dict)
    levels: dict[str, Role | None] = field(default_factory=dict)

    @property
    def parts(self) -> dict[Hashable, int]:
        """Approximate bytes in memory of the rows with unbounded columns."""
        return {id(row): bytes_of(row) for row in self.rows.values()}


@dataclass(frozen=True, slots=True)
class Host:
    """The parts of one host process."""

    settings: Settings
    addresses: Addresses
    database: Database
    disk: Disk
    engines: Engines
    relay: Relay
    tunnels: Tunnels
    recorder: Recorder
    announcer: Announcer
    followers: Followers
    plans: Plans
    candidates: Candidates
    invoker: Invoker
    dispatcher: Dispatcher
    broker: Broker | None
    purger: Purger
    free_memory: FreeMemory
    blobs: BlobStore
    separate_process: SeparateProcessRunner
    folders: Folders
    jobs: JobRunner
    indexer: Indexer
    answer_model: AnswerModel | None
    mailer: Mailer | None
    authenticator: Authenticator
    known_owners: KnownOwners
    renders: RenderCache
    shortcuts: RenderShortcuts
    unfurling: Unfurling
    renderer: Renderer
    named: EpochCache[ResolvedPath]
    capacity: RequestCapacity

    def close(self) -> None:
        """Finish calls in flight, write pending results, stop every process and thread.

        All of them, whichever fails; raises what the last one that failed raised.
        """
        in_order = (
            self.announcer,
            self.mailer,
            self.followers,
            self.jobs,
            self.purger,
            self.free_memory,
            self.indexer,
            self.dispatcher,
            self.broker,
            self.engines,
            self.relay,
            self.recorder,
            self.database,
        )
        with ExitStack() as closing:
            for part in reversed(in_order):  # what is added last is closed first
                if part is not None:
                    closing.callback(part.close)
