"""Limits of processes hold before their first instruction, however slow the machine is that starts them."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from runtime.contract.invocation import Limits
from runtime.engines import process_limits, sandbox
from runtime.engines.egress import EgressRules
from runtime.engines.javascript import command
from runtime.engines.javascript.command import limits_of
from runtime.engines.javascript.pool import JavaScriptEngine
from runtime.engines.sandbox import SandboxUnavailable
from tests.runtime.engines.conftest import asker
from tests.runtime.engines.javascript.conftest import script, worker

MEMORY = Limits().memory


def test_an_isolate_has_its_limits_where_its_host_is_slow_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    starting = command._popen

    def slowly(*arguments: Any) -> subprocess.Popen[bytes]:
        process = starting(*arguments)
        time.sleep(0.3)  # bubblewrap has long made its namespaces and forked
        return process

    monkeypatch.setattr(command, "_popen", slowly)
    engine = JavaScriptEngine(sandbox="required", rules=EgressRules())
    try:
        assert asker(engine)(script(worker("return new Response('fine');"))).outcome.status == 200
        for isolate in engine._isolates.running():
            missing = process_limits.missing_limit(isolate.pid, limits_of(MEMORY, own_user=True))
            assert missing is None
    finally:
        engine.close()


def test_an_isolate_without_its_limits_is_refused_before_it_has_its_script(monkeypatch: pytest.MonkeyPatch) -> None:
    building = sandbox.bubblewrap_command

    def without(*arguments: Any, limits: Mapping[int, int], **options: Any) -> list[str]:
        return building(*arguments, **options)

    monkeypatch.setattr(sandbox, "bubblewrap_command", without)
    engine = JavaScriptEngine(sandbox="required", rules=EgressRules())
    try:
        with pytest.raises(SandboxUnavailable, match="without its limit"):
            engine.check(script(worker("return new Response('fine');")))
    finally:
        engine.close()


def test_a_host_without_the_program_that_sets_limits_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_limits, "find_program", lambda: None)
    with pytest.raises(SandboxUnavailable, match="util-linux"):
        sandbox.bubblewrap_command(sandbox.View({}), ["/nothing"], {}, limits={resource.RLIMIT_CORE: 0})


def test_a_process_is_told_from_one_with_more(tmp_path: Path) -> None:
    program = process_limits.find_program()
    assert program is not None
    limits = {resource.RLIMIT_NOFILE: 100, process_limits.MSGQUEUE: 0}
    bounded = subprocess.Popen([*process_limits.limiting(program, limits), "sleep", "60"])
    try:
        while b"sleep" not in Path(f"/proc/{bounded.pid}/cmdline").read_bytes().split(b"\0"):
            time.sleep(0.01)
        time.sleep(0.1)
        assert process_limits.missing_limit(bounded.pid, limits) is None
        assert process_limits.missing_limit(bounded.pid, limits | {resource.RLIMIT_NOFILE: 99}) == "Max open files"
    finally:
        bounded.kill()
        bounded.wait()
    with pytest.raises(OSError, match="No such file"):
        process_limits.missing_limit(bounded.pid, limits)


def test_what_a_host_may_not_give_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda limit: (10, 20))
    words = process_limits.limiting("prlimit", {resource.RLIMIT_NOFILE: 100})
    assert words == ["prlimit", "--nofile=20:20", "--"]
