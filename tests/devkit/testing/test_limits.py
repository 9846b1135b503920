"""Scripts that never end, in the process of their tests: stopped where a host would stop them."""

from __future__ import annotations

import re
import time

import pytest

from devkit.testing.limits import TimeLimitExceeded, limited
from runtime.contract.invocation import Limits
from tests.devkit.conftest import Shell


def test_computing_and_waiting_are_stopped() -> None:
    with pytest.raises(TimeLimitExceeded, match=r"0\.2 seconds of computing"), limited(Limits(cpu=0.2)):
        while True:
            pass
    with pytest.raises(TimeLimitExceeded, match=r"0\.2 seconds$"), limited(Limits(wall=0.2)):
        time.sleep(60)


def test_nothing_is_stopped_afterwards() -> None:
    with limited(Limits(wall=0.2)):
        pass
    time.sleep(0.4)


def test_who_catches_it_is_stopped_again() -> None:
    caught = 0
    with pytest.raises(TimeLimitExceeded), limited(Limits(wall=0.1)):
        while True:
            try:
                time.sleep(60)
            except TimeLimitExceeded:
                caught += 1
                if caught == 2:
                    raise


def test_an_endless_loop_fails_its_test_at_its_line(shell: Shell, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "integration.yaml").write_text(
        "name: stuck\ntitle: Stuck\nscript: integration.py\nscopes: []\nblocks: [{id: stuck, title: Stuck}]\n"
    )
    (tmp_path / "integration.py").write_text(
        "from runtime.sdk import Integration, ui\n\nintegration = Integration()\n\n\n"
        '@integration.component("stuck")\ndef stuck(element):\n    while True:\n        pass\n'
    )
    (tmp_path / "test_stuck.py").write_text("def test_stuck(integration):\n    integration.render('stuck')\n")
    done = shell("test", str(tmp_path))
    assert done.code == 1
    # Computing ends first, but where other programs have the processors.
    assert re.search(r"longer than the limit of (10 seconds of computing|30 seconds)", done.out)
    assert "integration.py:" in done.out
