"""Hosts on both databases: SQLite, and a PostgreSQL of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from benchmarks.hosts import Host, Unmeasurable
from runtime.contract.identifiers import new_id

SERVER = os.environ.get("DEVKIT_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432")
KINDS = ("SQLite", "PostgreSQL")


@contextmanager
def prepared(kind: str) -> Iterator[tuple[Host, str]]:
    """Prepare a host with an empty database of a kind, which whoever asked starts; gives it and its address."""
    with TemporaryDirectory(prefix="bench-") as folder:
        data = Path(folder)
        name = f"devkit_bench_{new_id().lower()}"
        address = f"sqlite:///{data / 'host.sqlite'}" if kind == "SQLite" else f"{SERVER}/{name}"
        if kind != "SQLite":
            _on_server(f"CREATE DATABASE {name}")
        try:
            host = Host(data, 1, [] if kind == "SQLite" else ["--database-url", address])
            try:
                yield host, address
            finally:
                host.stop()
        finally:
            if kind != "SQLite":
                _on_server(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _on_server(statement: str) -> None:
    try:
        with psycopg.connect(f"{SERVER}/postgres", autocommit=True, connect_timeout=3) as connection:
            connection.execute(statement.encode())
    except psycopg.OperationalError as error:
        raise Unmeasurable("there is no PostgreSQL at 127.0.0.1:5432; DEVKIT_TEST_POSTGRES may name one") from error
