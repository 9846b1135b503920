"""`devkit serve` refuses settings that no host could have, with the code of a mistake, however many processes serve."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import free_port
from tests.devkit.dev_process import devkit


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEVKIT_SMTP_URL", "nonsense"),
        ("DEVKIT_ASK_URL", "nonsense"),
        ("DEVKIT_BLOB_URL", "s3:/nonsense"),
        ("DEVKIT_BROKER_URL", "amqp://name:hidden-word@host:port/"),
        ("DEVKIT_DISPATCH_THREADS", "0"),
        ("DEVKIT_KEEP_EVENTS", "-5"),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, name: str, value: str, workers: str) -> None:
    environ = {name: value, "DEVKIT_SANDBOX": "off"}
    port = str(free_port())  # the usual one may be taken, which would be told first
    refused = devkit(tmp_path, "serve", "--data", "data", "--port", port, "--workers", workers, **environ)
    assert (refused.code, refused.out) == (2, "")
    assert name in refused.err and "hidden-word" not in refused.err
    assert len(refused.err.splitlines()) <= 2


def test_a_number_of_processes_that_cannot_be(tmp_path: Path) -> None:
    refused = devkit(tmp_path, "serve", "--data", "data", DEVKIT_WORKERS="0")
    assert refused.code == 2 and "DEVKIT_WORKERS=0" in refused.err
