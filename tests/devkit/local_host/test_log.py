"""What the host says of itself holds no secret."""

from __future__ import annotations

import logging
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from devkit.local_host.log import MaskedFormatter, secrets_of
from runtime.contract.masking import MASK, Masker
from runtime.settings import Settings
from runtime.store.database import Database
from tests.devkit.dev_process import devkit


def test_lines_and_stacks_lose_secrets() -> None:
    written = MaskedFormatter(Masker(["a key that was chosen"]))
    try:
        raise ValueError("no: a key that was chosen, Bearer abcdefghijkl")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "", 1, "dk_%s", ("a" * 43,), sys.exc_info())
    output = written.format(record)
    assert "Traceback" in output
    assert f"no: {MASK}, Bearer {MASK}" in output
    assert "a key that" not in output and "aaaa" not in output


def test_errors_of_the_database_do_not_tell_what_was_written(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'x.sqlite'}")
    with pytest.raises(SQLAlchemyError) as refused, database.transaction(writes=True) as session:
        session.execute(text("INSERT INTO nowhere VALUES (:value)"), {"value": "what somebody wrote"})
    database.close()
    assert "what somebody wrote" not in str(refused.value)


def test_a_host_is_not_founded_with_a_key_it_would_not_start_with(tmp_path: Path) -> None:
    done = devkit(tmp_path, "init", "--data", str(tmp_path / "data"), DEVKIT_SECRET_KEY="short")
    assert done.code == 1
    assert "DEVKIT_SECRET_KEY has 5 characters" in done.err


def test_no_setting_that_is_secret_shows() -> None:
    settings = Settings(
        secret_key="secret-key-0123456789",
        author_token="author-token-0123456789",
        ask_key="ask-key-0123456789",
        database_url="postgresql://user:database%40pass@host/name",
        smtp_url="smtps://user:smtp-password@host",
        broker_url="amqp://user:broker-password@host/",
    )
    told = " ".join(str(getattr(settings, entry.name)) for entry in fields(Settings)) + " database@pass"
    written = MaskedFormatter(Masker(tuple(secrets_of(settings))))
    output = written.format(logging.LogRecord("x", logging.INFO, "", 1, told, (), None))
    assert "amqp://user" in output
    for word in ("0123456789", "pass", "password"):
        assert word not in output
