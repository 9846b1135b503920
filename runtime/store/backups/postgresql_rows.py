"""Dump and restore of the rows of a PostgreSQL database.

With COPY instead of `pg_dump`: that writes SQL, which would be executed on restore, and it must be installed and not
older than the server. The schema is created by our own migrations.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from psycopg import sql
from sqlalchemy import Connection, text

from runtime.store.backups.archive import PIECE, BackupRefused


def write_out(connection: Connection, folder: Path) -> dict[str, list[str]]:
    """Write each table to `TABLE.copy`, as the connection's transaction sees it; returns the columns of each."""
    columns = _columns(connection)
    with _driver(connection).cursor() as cursor:
        for table, names in columns.items():
            with (folder / f"{table}.copy").open("xb") as out, cursor.copy(_copy(table, names, "TO STDOUT")) as rows:
                for piece in rows:
                    out.write(piece)
    return columns


def read_in(connection: Connection, files: dict[str, Path], columns: dict[str, list[str]]) -> None:
    """Fill the tables of an empty schema, in the connection's transaction; raises `BackupRefused`.

    References are checked when all rows are there: tables refer to each other, and rows to rows of their own table.
    """
    there = _columns(connection)
    if {table: set(names) for table, names in there.items()} != {t: set(names) for t, names in columns.items()}:
        raise BackupRefused("the tables in the archive do not match its schema; use another backup")
    references = connection.execute(
        text(
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE contype = 'f' AND connamespace = current_schema()::regnamespace"
        )
    ).all()
    with _driver(connection).cursor() as cursor:
        for table, name, _ in references:
            cursor.execute(sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}").format(_name(table), sql.Identifier(name)))
        for table, file in files.items():
            # Rows that migrations insert, such as their own version, are among the rows of the archive.
            cursor.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
            with file.open("rb") as source, cursor.copy(_copy(table, columns[table], "FROM STDIN")) as rows:
                while piece := source.read(PIECE):
                    rows.write(piece)
        for table, name, definition in references:
            cursor.execute(
                sql.SQL("ALTER TABLE {} ADD CONSTRAINT {} {}").format(
                    _name(table), sql.Identifier(name), sql.SQL(definition)
                )
            )
        _move_sequences(cursor, there)


def is_empty(connection: Connection) -> bool:
    """Return whether the schema is empty."""
    query = "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
    return connection.execute(text(query)).scalar() == 0


def _move_sequences(cursor: Any, columns: dict[str, list[str]]) -> None:
    for table, names in columns.items():
        for name in names:
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", (sql.Identifier(table).as_string(cursor), name))
            (sequence,) = cursor.fetchone()
            if sequence is not None:
                statement = "SELECT setval(%s::regclass, max({}) + 1, false) FROM {} HAVING count(*) > 0"
                cursor.execute(sql.SQL(statement).format(sql.Identifier(name), sql.Identifier(table)), (sequence,))


def _columns(connection: Connection) -> dict[str, list[str]]:
    query = (
        "SELECT c.table_name, c.column_name FROM information_schema.columns c JOIN information_schema.tables t "
        "USING (table_schema, table_name) WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' "
        "AND c.is_generated = 'NEVER' ORDER BY c.table_name, c.ordinal_position"
    )
    found: dict[str, list[str]] = {}
    for table, column in connection.execute(text(query)):
        found.setdefault(table, []).append(column)
    return found


def _copy(table: str, columns: list[str], way: str) -> sql.Composed:
    names = sql.SQL(", ").join(sql.Identifier(name) for name in columns)
    return sql.SQL("COPY {} ({}) {}").format(sql.Identifier(table), names, sql.SQL(way))


def _name(quoted: str) -> sql.SQL:
    """Return a name as a SQL identifier, quoted if necessary."""
    return sql.SQL(quoted)


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection
