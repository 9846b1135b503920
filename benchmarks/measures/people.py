"""Lists of a large organization: pages of 100 and of 1,000, first and last, on SQLite and on PostgreSQL."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import requests

from benchmarks.databases import KINDS, prepared
from benchmarks.hosts import Host
from benchmarks.memory import proportional
from benchmarks.results import Result
from runtime.store.database import Database
from runtime.store.migrate import migrate
from runtime.store.secrets import load_keyring, use_keyring
from tests.large_organization import Large, Size, fill

TIMES = {100: 100, 1000: 20}
TARGETS = {100: 50.0, 1000: 300.0}
LISTS = ("spaces", "collections", "members", "teams", "sites")
ROUNDS = 5


def measure() -> Iterator[Result]:
    """Time pages of an organization of 10,000 members, 100 teams and 2,000 spaces in 500 collections."""
    for kind in KINDS:
        with _serving(kind) as (host, made):
            for who in ("admin", "member"):
                http = requests.Session()
                http.headers["Authorization"] = f"Bearer {getattr(made, who)}"
                for name in LISTS:
                    yield from _pages(host, http, made, kind, who, name)
            yield _memory(host, made, kind)


def _pages(host: Host, http: requests.Session, made: Large, kind: str, who: str, name: str) -> Iterator[Result]:
    path = f"{host.url}/v1/orgs/{made.organization}/{name}"
    for limit, times in TIMES.items():
        last = _last_page(http, path, limit)
        for place, query in (("first", f"limit={limit}"), ("last", last)):
            took = _time(http, f"{path}?{query}", times)
            what = f"{kind}: {name} for {'an admin' if who == 'admin' else 'a member of 20 teams'}, {place} {limit:,}"
            worst = took[min(len(took) - 1, round(len(took) * 0.99))]
            note = f"p99; median {statistics.median(took):.1f} ms"
            yield Result("people", what, "ms", worst, TARGETS[limit], True, note=note)


def _memory(host: Host, made: Large, kind: str) -> Result:
    """Page through all lists again and again; what is kept of them would show."""
    http = requests.Session()
    http.headers["Authorization"] = f"Bearer {made.admin}"
    sizes = []
    for _ in range(ROUNDS):
        for name in LISTS:
            _last_page(http, f"{host.url}/v1/orgs/{made.organization}/{name}", 100)
        assert host.process is not None
        sizes.append(proportional(host.process.pid) / 1e6)
    note = f"PSS: {sizes[0]:.0f} MB after the first time through all lists, {sizes[-1]:.0f} MB after {ROUNDS}"
    return Result("people", f"{kind}: memory that paging adds", "MB", sizes[-1] - sizes[0], 5.0, True, note=note)


def _last_page(http: requests.Session, path: str, limit: int) -> str:
    """Walk to the last page; gives its query."""
    query = f"limit={limit}"
    while True:
        answer = http.get(f"{path}?{query}", timeout=60)
        answer.raise_for_status()
        if "next" not in answer.json():
            return query
        query = f"limit={limit}&page={answer.json()['next']['page']}"


def _time(http: requests.Session, address: str, times: int) -> list[float]:
    http.get(address, timeout=60).raise_for_status()
    took = []
    for _ in range(times):
        began = time.perf_counter()
        answer = http.get(address, timeout=60)
        took.append((time.perf_counter() - began) * 1000)
        answer.raise_for_status()
    return sorted(took)


@contextmanager
def _serving(kind: str) -> Iterator[tuple[Host, Large]]:
    with prepared(kind) as (host, address):
        use_keyring(load_keyring(host.data, None))
        with closing(Database(address)) as database:
            migrate(database)
            made = fill(database, Size())
            with database.engine.connect() as connection:
                connection.exec_driver_sql("ANALYZE")
                connection.commit()
        host.start()
        yield host, made
