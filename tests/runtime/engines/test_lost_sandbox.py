"""A sandbox that stops working while the host runs: scripts and readiness stop, and come back with it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from runtime.contract import errors
from runtime.contract.integrations import PublishIntegration
from runtime.contract.invocation import Script
from runtime.engines import sandbox, seccomp
from runtime.engines.egress import EgressRules
from runtime.engines.engine import Engine
from runtime.engines.javascript.command import HEADROOM, RESERVED, limits_of
from runtime.engines.javascript.pool import JavaScriptEngine
from runtime.engines.python_process.pool import PythonEngine
from runtime.engines.sandbox import SandboxUnavailable, View
from runtime.engines.table import ENGINES, Engines
from runtime.services import publishing
from tests.conftest import wait_for
from tests.runtime.engines.conftest import asker
from tests.runtime.engines.good_scripts import GOOD
from tests.runtime.engines.process_family import OTHERS, family


@pytest.fixture(params=["python", "v2"])
def runtime(request: pytest.FixtureRequest) -> str:
    """Each runtime in turn."""
    return str(request.param)


@pytest.fixture
def engine(runtime: str) -> Iterator[Engine]:
    """An engine of the test's own, which has answered a call."""
    OTHERS.update(family())  # hosts and browsers that tests of other files share
    engine_ = ENGINES[runtime]("required", EgressRules())
    assert asker(engine_)(Script("first", runtime, GOOD[runtime])).json() == "fine"
    yield engine_
    engine_.close()
    OTHERS.clear()


def test_scripts_and_readiness_stop_and_come_back(
    engine: Engine, runtime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "find_bubblewrap", lambda: "/bin/false")
    for pid in family():
        with suppress(ProcessLookupError):  # it ended with another
            os.kill(pid, signal.SIGKILL)
    ask = asker(engine)

    # A spare process may have been left: it has its sandbox, and may still be used.
    def lost() -> bool:
        failure = ask(Script(str(time.monotonic()), runtime, GOOD[runtime])).outcome.failure
        return failure is not None and failure.kind == "unreachable" and not engine.ready()

    wait_for(lost)
    with pytest.raises(SandboxUnavailable):
        engine.check(Script("checked", runtime, GOOD[runtime]))

    body = PublishIntegration.model_validate(
        {
            "title": "Title",
            "description": "d",
            "organization": "o",
            "script": GOOD[runtime],
            "runtime": runtime,
            "scopes": [],
        }
    )
    engines = Engines({runtime: engine}, engine, {})
    with pytest.raises(errors.Unavailable, match="cannot start a process"):
        publishing.check_script(engines, "organization", "name", body, 1 << 20)

    monkeypatch.undo()
    wait_for(engine.ready)
    assert ask(Script("again", runtime, GOOD[runtime])).json() == "fine"


def test_a_program_in_the_place_of_the_interpreter_changes_nothing(tmp_path: Path) -> None:
    """What native code in the JavaScript runtime could reach: no /proc, no files of root, no rights."""
    output_file = tmp_path / "said"
    output_file.mkdir()
    output_file.chmod(0o777)
    mounts = {"/shell": os.path.realpath("/bin/sh"), "/said": str(output_file)}
    view = View(mounts=mounts, links={"/proc/self/exe": "/shell"} | sandbox.add_shared_libraries(mounts))
    attempts = (
        "[ -e /proc/sys ] && echo sees settings",
        "echo 1 > /proc/sys/vm/overcommit_memory && echo wrote settings",
        "echo x > /written && echo wrote the root",
        "echo x > /tmp/written && echo wrote a file",
        "echo x > /said/written && echo wrote a file of the host",
        "( : ) && echo made a process",
        "exec 3<> /dev/ptmx && echo has a terminal",
    )
    program = ["/shell", "-c", "; ".join(f"{{ {attempt}; }} 2>&-" for attempt in attempts) + "; echo done"]
    reading, writing = os.pipe()
    user = sandbox.own_user() if sandbox.started_by_root() else None
    limits = limits_of(1 << 27, own_user=user is not None)
    command = sandbox.bubblewrap_command(view, program, {}, filter_descriptor=reading, user=user, limits=limits)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, pass_fds=[reading])
    os.close(reading)
    os.write(writing, seccomp.build_filter(execute=True))
    os.close(writing)
    output = process.communicate(timeout=20)[0].splitlines()

    assert [line for line in output if "wrote" in line or "sees" in line or "made" in line or "has" in line] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="a host that was not started by root has no root to lose")
def test_isolates_of_a_host_started_by_root_are_users_of_their_own() -> None:
    engine = ENGINES["v2"]("required", EgressRules())
    try:
        ask = asker(engine)
        for name in ("one", "two"):
            ask(Script(name, "v2", GOOD["v2"]))
        users = [_user(pid) for pid in family() if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"/deno")]
    finally:
        engine.close()

    assert len(users) >= 2
    assert len(set(users)) == len(users)
    assert os.geteuid() not in users


def _user(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("Uid:")))


def test_data_of_an_isolate_is_bounded_close_to_what_it_begins_with() -> None:
    engine = ENGINES["v2"]("required", EgressRules())
    try:
        asker(engine)(Script("one", "v2", GOOD["v2"]))
        isolates = [pid for pid in family() if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"/deno")]
        # Of the one that answered: beside it one may have just begun to start.
        data = max(_data(pid) for pid in isolates)
    finally:
        engine.close()

    assert RESERVED - HEADROOM < data < RESERVED + HEADROOM // 2, "V8 takes another amount of addresses now"


def _data(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmData:"))) * 1024


def test_installations_share_no_globals_where_the_host_says_so(asking: Callable[..., object]) -> None:
    source = "let seen = 0; export default { fetch() { seen += 1; return Response.json(seen); } };"
    counts = {}
    for separate in (False, True):
        engine = JavaScriptEngine(sandbox="required", rules=EgressRules(), per_installation=separate)
        try:
            shared = Script("counts", "v2", source)
            engine.check(shared)
            ask = asker(engine)
            counts[separate] = [ask(shared, tenant=tenant).json() for tenant in ("one", "one", "two")]
        finally:
            engine.close()

    assert counts == {False: [1, 2, 3], True: [1, 2, 1]}


def test_python_workers_are_one_process_each() -> None:
    engine = PythonEngine(sandbox="required", rules=EgressRules())
    try:
        asker(engine)(Script("one", "python", GOOD["python"]))
        limits = [Path(f"/proc/{pid}/limits").read_text() for pid in family()]
    finally:
        engine.close()

    bounded = [text for text in limits if "Max pending signals       64" in text]
    assert bounded and all("Max open files            128" in text for text in bounded)
