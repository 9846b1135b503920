"""Timers of a script, and promises made of them, end with the call that set them."""

from __future__ import annotations

import json
import time

import pytest

from tests.runtime.engines.conftest import Ask, Probe
from tests.runtime.engines.javascript.conftest import script, worker


def test_timers_end_with_the_call_that_set_them(ask: Ask) -> None:
    counting = script(
        worker(
            """
            if (globalThis.count === undefined) {
              globalThis.count = 0;
              setInterval(() => globalThis.count += 1, 5);
              setTimeout(() => globalThis.count += 1, 50);
              await new Promise((done) => setTimeout(done, 20));
            }
            return new Response(String(globalThis.count));
            """
        )
    )
    ask(counting)
    after = ask(counting).body
    time.sleep(0.3)
    assert ask(counting).body == after != b"0"


PROMISED = {
    "setTimeout": "for (;;) { await timers.promises.setTimeout(5); globalThis.count += 1; }",
    "setInterval": "for await (const tick of timers.promises.setInterval(5)) globalThis.count += 1;",
    "setImmediate": "for (;;) { await timers.promises.setImmediate(); globalThis.count += 1; }",
    "wait": "for (;;) { await timers.promises.scheduler.wait(5); globalThis.count += 1; }",
    "promisify": "for (;;) { await promisify(setTimeout)(5); globalThis.count += 1; }",
}


@pytest.mark.parametrize("how", PROMISED)
def test_promises_of_timers_end_with_their_call(ask: Ask, how: str) -> None:
    counting = script(
        'import timers from "node:timers";\nimport { promisify } from "node:util";\n'
        + worker(
            f"""
            if (globalThis.count === undefined) {{
              globalThis.count = 0;
              (async () => {{ {PROMISED[how]} }})();
              while (globalThis.count < 3) await new Promise((done) => setTimeout(done, 5));
            }}
            return new Response(String(globalThis.count));
            """
        )
    )
    ask(counting)
    after = ask(counting).body
    time.sleep(0.2)
    assert ask(counting).body == after


def test_promises_of_timers_are_those_of_node(probe: Probe) -> None:
    got = probe(
        """
        const { scheduler, setImmediate, setInterval, setTimeout } = await import("node:timers/promises");
        const seen = [await setTimeout(1, "a"), await setImmediate("b")];
        seen.push(await scheduler.wait(1), await scheduler.yield());
        for await (const tick of setInterval(1, "tick")) if (seen.push(tick) === 6) break;
        const failed = (promise) => promise.then(() => "no", (error) => [error.name, error.code, String(error.cause)]);
        const control = new AbortController();
        const waiting = failed(setTimeout(10_000, "late", { signal: control.signal }));
        const ticking = failed((async () => {
          for await (const tick of setInterval(10_000, 0, { signal: control.signal }));
        })());
        control.abort("enough");
        seen.push(await waiting, await ticking, await failed(setImmediate(0, { signal: control.signal })));
        seen.push((await failed(setTimeout(1, 0, { signal: "no" })))[1], (await failed(setTimeout(1, 0, null)))[1]);
        seen.push((await failed(setTimeout(1, 0, { ref: 1 })))[1]);
        seen.push((await failed(setTimeout(1, 0, { signal: { aborted: false } })))[1]);
        return Response.json(seen);
        """
    )
    aborted, invalid = ["AbortError", "ABORT_ERR", "enough"], "ERR_INVALID_ARG_TYPE"
    expected = ["a", "b", None, None, "tick", "tick", aborted, aborted, aborted, *[invalid] * 4]
    assert json.loads(got.body) == expected


def test_timers_are_those_of_the_runtime(probe: Probe) -> None:
    got = probe(
        """
        const { promisify } = await import("node:util");
        const timers = await import("node:timers");
        const seen = [await promisify(setTimeout)(1, "value"), await timers.promises.setTimeout(1, "promised")];
        seen.push(timers.setTimeout === setTimeout, setTimeout.name, setTimeout.length);
        const { promise, resolve } = Promise.withResolvers();
        setTimeout(function (...given) { resolve([given, typeof this]) }, 1, "a", "b");
        seen.push(...await promise);
        const never = setTimeout(() => seen.push("never"), 5);
        clearTimeout(never);
        addEventListener("error", (event) => seen.push(event.error.message), { once: true });
        setTimeout(() => { throw new Error("thrown") }, 1);
        await new Promise((done) => setTimeout(done, 30));
        return Response.json(seen);
        """
    )
    assert json.loads(got.body) == ["value", "promised", True, "setTimeout", 2, ["a", "b"], "object", "thrown"]
    assert [line.message.split("\n")[0] for line in got.trace.logs] == ["Error: thrown"]
