"""What looks at busy processes goes on, whatever fails."""

from __future__ import annotations

import errno
import logging
import threading

import pytest

from runtime.engines.watcher import Watcher


def test_a_want_of_descriptors_is_logged_once_and_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    tries, enough = [], threading.Event()

    def housekeeping() -> None:
        tries.append(None)
        if len(tries) == 5:
            enough.set()
        raise OSError(errno.EMFILE, "Too many open files")

    watcher = Watcher(list, housekeeping)
    with caplog.at_level(logging.ERROR):
        watcher.start()
        assert enough.wait(30)
        watcher.close()
    (line,) = caplog.records
    assert line.exc_info is None and "no workers are started in advance" in line.getMessage()
