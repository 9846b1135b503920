"""Scripts that are stopped, and scripts that are refused."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from runtime.contract.invocation import Limits
from runtime.engines.engine import AnswerCut, ScriptRefused, ScriptTooLarge
from runtime.engines.javascript.pool import JavaScriptEngine
from tests.conftest import wait_for
from tests.runtime.engines.conftest import Ask, Probe
from tests.runtime.engines.javascript.conftest import at, logs, script, worker


@pytest.mark.parametrize(
    ("code", "limits", "kind", "limit"),
    [
        ("for (;;);", Limits(wall=0.4), "timeout", "wall"),
        ("for (;;);", Limits(cpu=0.3), "timeout", "cpu"),
        ("await new Promise(() => undefined);", Limits(wall=0.3), "timeout", "wall"),
        ("for (;;) await null;", Limits(wall=0.5), "timeout", "wall"),
        ("const all = []; for (;;) all.push(new Array(100_000).fill(1.5));", Limits(), "limit", "memory"),
        ("const all = []; for (;;) all.push(new Uint8Array(5_000_000).fill(1));", Limits(), "limit", "memory"),
        ("for (;;) console.log('x'.repeat(10_000));", Limits(), "limit", "log"),
        ("for (let i = 0; i < 30; i += 1) console.log('x'.repeat(10_000)); await new Promise(() => undefined);",
         Limits(), "limit", "log"),
        ("return new Response('x'.repeat(6_000_000));", Limits(), "limit", "response"),
        ("return new Response(new Blob(['x'.repeat(6_000_000)]).stream());", Limits(), "limit", "response"),
    ],
)  # fmt: skip
def test_script_is_stopped(ask: Ask, code: str, limits: Limits, kind: str, limit: str) -> None:
    stopping = script(worker(f"if (event.request.url.endsWith('/well')) return new Response('well');\n{code}"))
    try:
        got = ask(stopping, limits=limits)
        assert got.outcome.failure is not None
        assert (got.outcome.failure.kind, got.outcome.failure.limit) == (kind, limit)
        assert got.trace.failure == got.outcome.failure
    except AnswerCut as cut:  # what was sent before the limit was reached is out already
        assert (cut.failure.kind, cut.failure.limit) == (kind, limit)

    assert ask(stopping, event=at("/well")).body == b"well"


def test_what_a_runaway_said_before_is_kept(probe: Probe) -> None:
    got = probe("console.log('last words'); for (;;);", limits=Limits(wall=0.4))

    assert got.trace.logs[0].message == "last words"


def test_other_calls_of_a_killed_process_are_answered(ask: Ask) -> None:
    shared = script(
        worker(
            """
            const path = new URL(event.request.url).pathname;
            if (path === "/slow") await new Promise((done) => setTimeout(done, 5000));
            if (path === "/loop") for (;;);
            return new Response(path);
            """
        )
    )
    ask(shared)
    slow: list[Any] = []
    thread = threading.Thread(target=lambda: slow.append(ask(shared, event=at("/slow"))))
    thread.start()
    time.sleep(0.3)
    loop = ask(shared, event=at("/loop"), limits=Limits(wall=0.5))
    thread.join()

    assert loop.outcome.failure.limit == "wall"
    assert (slow[0].outcome.status, slow[0].outcome.failure.kind) == (502, "unreachable")
    assert ask(shared, event=at("/again")).body == b"/again"


def test_a_call_over_time_leaves_the_others_alone(ask: Ask) -> None:
    shared = script(
        worker(
            """
            const seconds = Number(new URL(event.request.url).pathname.slice(1));
            globalThis.seen = (globalThis.seen ?? 0) + 1;
            await new Promise((done) => setTimeout(done, seconds * 1000));
            return Response.json(globalThis.seen);
            """
        )
    )
    ask(shared, event=at("/0"))
    other: list[Any] = []
    thread = threading.Thread(target=lambda: other.append(ask(shared, event=at("/1.5"))))
    thread.start()
    late = ask(shared, event=at("/20"), limits=Limits(wall=0.5))
    thread.join()

    assert late.outcome.failure.limit == "wall"
    assert other[0].outcome.status == 200
    assert ask(shared, event=at("/0")).json() >= 4


@pytest.mark.parametrize(
    ("source", "message", "line"),
    [
        ("export default {\n  fetch( {\n", "SyntaxError", 2),
        ("\nthrow new RangeError('while loading');", "RangeError: while loading", 2),
        ("const x = undefined;\nx.y;\nexport default {}", "TypeError: Cannot read", 2),
        ("export const fetch = 1;", "export default an object with a function fetch", 1),
        ("export default {};", "export default an object with a function fetch", 1),
        ("addEventListener('fetch', () => {});", "export default an object with a function fetch", 1),
        ('import x from "./missing.js";\nexport default {}', '"missing.js" cannot be imported', 1),
        ('import x from "lodash";\nexport default {}', '"lodash" cannot be imported: a script is one module', 1),
        ('import fs from "node:fs";\nexport default {}', "node:fs cannot be imported", 1),
        ("const other = 1;\n\n  export default () => other;", "export default an object with a function fetch", 3),
        ("const other = 1;\nvar it = {};\nexport { other, it as default };", "must export default an object", 2),
        ("", "export default", 1),
    ],
)
def test_a_broken_script_is_refused_with_its_place(
    engine: JavaScriptEngine, source: str, message: str, line: int
) -> None:
    with pytest.raises(ScriptRefused) as refused:
        engine.check(script(source))

    fault = refused.value.fault
    assert message in fault.message
    assert fault.line == line
    assert fault.file in (None, "src/index.js")
    assert "/inside/" not in fault.message and "/script/" not in fault.message


def test_python_is_recognized(engine: JavaScriptEngine) -> None:
    with pytest.raises(ScriptRefused) as refused:
        engine.check(script("from runtime.sdk import Integration\nintegration = Integration()\n"))

    assert 'runtime "python"' in (refused.value.fault.hint or "")


def test_a_script_over_its_size_is_refused(engine: JavaScriptEngine, ask: Ask) -> None:
    huge = script("//" + "x" * (11 * 1024 * 1024))
    with pytest.raises(ScriptTooLarge, match="10 MB"):
        engine.check(huge)

    assert ask(huge).outcome.failure.limit == "script"


def test_a_script_that_never_ends_loading_is_stopped(ask: Ask) -> None:
    waiting = ask("await new Promise(() => undefined);\n" + worker("return new Response()"), limits=Limits(wall=0.5))
    looping = ask("for (;;);\n" + worker("return new Response()"), limits=Limits(wall=0.5))

    assert waiting.outcome.failure.limit == "wall"
    assert looping.outcome.failure.limit == "wall"


def test_what_is_said_while_loading_is_kept(engine: JavaScriptEngine, ask: Ask) -> None:
    source = "console.warn('hello from the top');\n" + worker("return new Response()")

    assert [line.message for line in engine.check(script(source)).logs] == ["hello from the top"]
    assert logs(ask(source)) == [("warn", "hello from the top")]


def test_calls_that_were_stopped_leave_nothing_open(engine: JavaScriptEngine, ask: Ask) -> None:
    hangs = "if (event.request.url.endsWith('/slow')) await new Promise(() => {}); return new Response()"
    hanging = script(worker(hangs))
    ask(hanging)

    def opened() -> int:
        folders = [Path(f"/proc/{isolate.pid}/fd") for isolate in engine._isolates.running()]
        return max(len(list(folder.iterdir())) for folder in folders)

    before = opened()
    for _ in range(12):
        assert ask(hanging, event=at("/slow"), limits=Limits(wall=0.1)).trace.failure is not None
    ask(hanging)
    wait_for(lambda: opened() <= before + 3)
