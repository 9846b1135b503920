"""How calls of a module worker run: output, errors, work after the answer, streams, requests, limits, bad scripts."""

from __future__ import annotations

import base64
import json
import threading
import time
from typing import Any
from urllib.parse import quote

import pytest

from runtime.contract.invocation import Invocation, Limits, Script, Trace
from runtime.engines.engine import AnswerCut
from runtime.engines.javascript.pool import JavaScriptEngine
from tests.runtime.engines.conftest import ENVIRONMENT, FETCH, Answered, Ask, Probe
from tests.runtime.engines.javascript.conftest import at, logs, script, worker

POST = FETCH | {"request": {"method": "post", "url": "https://integrations.example/", "headers": {}}}


def test_console_reaches_the_trace_with_levels_and_times(probe: Probe) -> None:
    before = time.time()
    got = probe(
        """
        console.log("text %s %d", "and", 3, { deep: { a: [1, 2] } });
        console.info(new Map([["k", 1]]), null, undefined, 10n, Symbol("s"));
        console.debug("finely"); console.warn("careful"); console.error("badly");
        console.group("group"); console.log("inside"); console.groupEnd(); console.log("outside");
        console.count("times"); console.assert(1 === 2, "not equal"); 
        console.table([1]); console.time("t"); console.timeEnd("t");
        const loop = {}; loop.self = loop; console.log(loop);
        console.log({ get broken() { throw new Error("getter"); } });
        return new Response("x");
        """
    )

    assert logs(got)[:11] == [
        ("info", "text and 3 { deep: { a: [ 1, 2 ] } }"),
        ("info", "Map(1) { 'k' => 1 } null undefined 10n Symbol(s)"),
        ("debug", "finely"),
        ("warn", "careful"),
        ("error", "badly"),
        ("info", "group"),
        ("info", "  inside"),
        ("info", "outside"),
        ("info", "times: 1"),
        ("error", "Assertion failed: not equal"),
        ("info", "[ 1 ]"),
    ]
    assert "Circular" in logs(got)[12][1]
    assert all(before - 1 < line.timestamp < time.time() + 1 for line in got.trace.logs)


def test_logs_of_calls_at_the_same_time_stay_apart(engine: JavaScriptEngine, ask: Ask) -> None:
    shared = script(
        worker(
            """
            const path = new URL(event.request.url).pathname;
            for (let turn = 0; turn < 20; turn += 1) {
              console.log(path);
              await new Promise((done) => setTimeout(done, 2));
            }
            return new Response(path);
            """
        )
    )
    answers: list[Any] = []
    names = [f"/{number}" for number in range(8)]
    threads = [
        threading.Thread(target=lambda name=name: answers.append((name, ask(shared, event=at(name))))) for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for name, got in answers:
        assert got.body == name.encode()
        assert [line.message for line in got.trace.logs] == [name] * 20


def test_a_call_reports_what_it_used(probe: Probe) -> None:
    code = "globalThis.kept = new Uint8Array(8_000_000).fill(1); return new Response()"
    usage = probe(code).trace.usage

    assert usage.cpu > 0
    assert usage.wall > 0
    assert usage.memory > 4_000_000


def test_an_uncaught_error_is_reported_with_file_and_line(probe: Probe) -> None:
    got = probe("const broken = undefined;\nreturn broken.name;")

    assert (got.outcome.status, got.json()) == (500, {"error": "Internal server error"})
    assert got.trace.fault.message.startswith("TypeError: Cannot read properties of undefined")
    assert (got.trace.fault.file, got.trace.fault.line) == ("src/index.js", 7)
    assert "at Object.fetch (src/index.js:7:" in got.trace.logs[-1].message
    assert "isolate" not in got.trace.logs[-1].message


SOURCE = 'export default { fetch() {\n\n\n  throw new Error("mapped");\n} };'
# Line n of the bundle is line n + 10 of the author's file; from column 5 of the fourth on it is column 2 there.
MAPPING = {"version": 3, "sources": ["./src/deep/view.tsx"], "names": [], "mappings": "AAUA;AACA;AACA;AACA,IAAC;AAAD"}
BASE64 = base64.b64encode(json.dumps(MAPPING).encode()).decode()


@pytest.mark.parametrize(
    "comment",
    [
        f"//# sourceMappingURL=data:application/json;base64,{BASE64}",
        f"//# sourceMappingURL=data:application/json;charset=utf-8;base64,{BASE64}\n// and a last word\n\n",
        f"//# sourceMappingURL=data:application/json,{quote(json.dumps(MAPPING))}",
    ],
)
def test_errors_are_mapped_to_the_authors_files(ask: Ask, comment: str) -> None:
    got = ask(f"{SOURCE}\n{comment}")

    assert (got.trace.fault.file, got.trace.fault.line, got.trace.fault.column) == ("src/deep/view.tsx", 14, 2)
    assert "src/deep/view.tsx:14:2" in got.trace.logs[-1].message


@pytest.mark.parametrize(
    "comment",
    [
        "//# sourceMappingURL=data:application/json;base64,%%%",
        "//# sourceMappingURL=data:application/json;base64,e30=",
        '//# sourceMappingURL=data:application/json,{"version":3,"sources":["a"],"mappings":"A~A"}',
        "//# sourceMappingURL=index.js.map",
        "//# sourceMappingURL=data:",
    ],
)
def test_a_broken_map_leaves_the_places_in_the_bundle(ask: Ask, comment: str) -> None:
    got = ask(f"{SOURCE}\n{comment}")

    assert (got.trace.fault.file, got.trace.fault.line) == ("src/index.js", 4)


def test_what_looks_like_a_map_inside_a_text_stays(ask: Ask) -> None:
    text = "\n//# sourceMappingURL=data:application/json;base64,e30=\n"
    source = f"const text = `{text}`;\nexport default {{ fetch() {{ return new Response(text); }} }};"

    assert ask(source).body == text.encode()


@pytest.mark.parametrize(
    "thrown", ["'text'", "null", "undefined", "42", "{ a: 1 }", "new (class extends Error {})('m')"]
)
def test_anything_may_be_thrown(probe: Probe, thrown: str) -> None:
    got = probe(f"throw {thrown}")

    assert got.outcome.status == 500
    assert got.trace.fault.message


def test_an_error_nobody_waits_for_is_logged_and_ends_nothing(probe: Probe) -> None:
    got = probe(
        """
        Promise.reject(new RangeError("lost"));
        setTimeout(() => { throw new TypeError("late"); }, 1);
        await new Promise((done) => setTimeout(done, 30));
        return new Response("fine");
        """
    )

    assert got.body == b"fine"
    assert [text.split("\n")[0] for _, text in logs(got)] == ["RangeError: lost", "TypeError: late"]


@pytest.mark.parametrize(
    "lost", ["Promise.reject(new RangeError('lost'));", "(async () => { throw new RangeError('lost'); })();"]
)
def test_an_error_nobody_waits_for_is_logged_also_by_a_call_that_answers_at_once(probe: Probe, lost: str) -> None:
    got = probe(f"{lost} return new Response('fine');")

    assert got.body == b"fine"
    assert [text.split("\n")[0] for _, text in logs(got)] == ["RangeError: lost"]


@pytest.mark.parametrize("answer", ["undefined", "'text'", "{ status: 200 }", "Response.error()"])
def test_an_answer_must_be_a_response(probe: Probe, answer: str) -> None:
    assert probe(f"return {answer}").outcome.status == 500


def test_work_after_the_answer_goes_on(probe: Probe) -> None:
    got = probe(
        """
        ctx.waitUntil((async () => {
          await new Promise((done) => setTimeout(done, 50));
          console.log("after the answer");
          ctx.waitUntil(new Promise((done) => setTimeout(() => { console.log("and later"); done(); }, 50)));
        })());
        ctx.waitUntil(Promise.reject(new Error("failed later")));
        return new Response("early");
        """
    )

    assert got.body == b"early"
    assert [text.split("\n")[0] for _, text in logs(got)] == ["Error: failed later", "after the answer", "and later"]
    assert got.trace.failure is None


def test_work_after_the_answer_ends_at_the_limit(probe: Probe) -> None:
    got = probe("ctx.waitUntil(new Promise(() => undefined)); return new Response('x')", limits=Limits(wall=0.5))

    assert (got.outcome.status, got.body) == (200, b"x")
    assert got.trace.failure.limit == "wall"


def test_pieces_arrive_while_the_script_still_writes(engine: JavaScriptEngine) -> None:
    source = worker(
        """
        const { readable, writable } = new TransformStream();
        const writer = writable.getWriter();
        ctx.waitUntil((async () => {
          await writer.write(new TextEncoder().encode("first"));
          await new Promise(() => undefined);
        })());
        return new Response(readable, { headers: { "content-type": "text/event-stream" } });
        """
    )
    traces: list[Trace] = []
    outcome = engine.invoke(
        Invocation(
            script(source), "t", json.dumps(FETCH).encode(), json.dumps(ENVIRONMENT).encode(), None, Limits(wall=2)
        ),
        traces.append,
    )
    assert not isinstance(outcome.body, bytes)
    pieces = iter(outcome.body)

    assert next(pieces) == b"first"
    assert traces == []
    with pytest.raises(AnswerCut):
        next(pieces)
    assert traces[0].failure is not None and traces[0].failure.limit == "wall"


def test_a_stream_that_fails_is_cut_not_ended(ask: Ask) -> None:
    source = worker(
        """
        return new Response(new ReadableStream({
          start(controller) {
            controller.enqueue(new Uint8Array([1]));
            setTimeout(() => controller.error(new Error("broke off")), 30);
          },
        }));
        """
    )
    with pytest.raises(AnswerCut):
        ask(source)


def test_five_megabytes_both_ways(probe: Probe) -> None:
    body = bytes(range(256)) * 20_480
    got = probe("return new Response(await sent.arrayBuffer())", event=POST, fetch_body=body)

    assert got.body == body
    assert got.trace.usage.response == len(body) == 5 * 1024 * 1024


def test_answers_of_any_kind(probe: Probe) -> None:
    redirect = probe("return Response.redirect('https://elsewhere.example/x', 303)")
    empty = probe("return new Response(null, { status: 204 })")
    blob = probe("return new Response(new Blob(['blob'], { type: 'text/x' }))")
    passed = probe("return new Response(new Response('inner').body)")

    assert (redirect.outcome.status, dict(redirect.outcome.headers)["location"]) == (303, "https://elsewhere.example/x")
    assert (empty.outcome.status, empty.body) == (204, b"")
    assert (blob.body, dict(blob.outcome.headers)["content-type"]) == (b"blob", "text/x")
    assert passed.body == b"inner"


def test_requests_leave_through_the_proxy(probe: Probe, peer: str) -> None:
    got = probe(
        f"""
        const peer = {peer!r};
        const read = async (...given) => {{
          const answer = await fetch(...given);
          return [answer.status, await answer.text()];
        }};
        const bytes = new Uint8Array(3_000_000).fill(7);
        const large = await fetch(peer + "/echo", {{ method: "POST", body: bytes }});
        const cookies = await fetch(new Request(peer + "/cookies"));
        const head = await fetch(peer + "/echo", {{ method: "HEAD" }});
        return Response.json({{
          get: await read(peer + "/echo"),
          moved: await read(peer + "/moved", {{ method: "POST", body: "kept" }}),
          manual: (await fetch(peer + "/moved", {{ redirect: "manual" }})).status,
          zipped: await read(peer + "/zipped"),
          large: (await large.arrayBuffer()).byteLength,
          cookies: cookies.headers.getSetCookie(),
          head: [head.status, head.headers.get("content-length")],
          loop: await fetch(peer + "/loop").catch((error) => error.name),
          aborted: await fetch(peer + "/echo", {{ signal: AbortSignal.abort() }}).catch((error) => error.name),
        }});
        """
    )

    assert got.json() == {
        "get": [200, "GET "],
        "moved": [200, "POST kept"],
        "manual": 307,
        "zipped": [200, "unzipped"],
        "large": 3_000_005,
        "cookies": ["a=1", "b=2; Path=/"],
        "head": [200, "123"],
        "loop": "TypeError",
        "aborted": "AbortError",
    }
    assert got.trace.usage.subrequests > 20
    assert got.trace.subrequests[0].url.endswith("/echo")


def test_private_addresses_are_refused_also_after_a_redirect(probe: Probe, peer: str) -> None:
    got = probe(
        f"""
        const refused = (url) => fetch(url).then((answer) => answer.status, (error) => error.message);
        return Response.json([await refused("http://127.0.0.1:8/"), await refused({peer!r} + "/private"),
          await refused("http://[::1]/"), await refused("file:///etc/passwd"), await refused("data:text/plain,x")]);
        """
    )
    loopback, redirected, six, file, data = got.json()

    assert "private network" in loopback
    assert "private network" in redirected
    assert "private network" in six
    assert isinstance(file, str)
    assert data == 200


def test_requests_are_counted(probe: Probe, peer: str) -> None:
    got = probe(
        f"""
        const one = () => fetch({peer!r} + "/echo").then((answer) => answer.text());
        const all = await Promise.allSettled(Array.from({{ length: 20 }}, one));
        return Response.json(all.filter((one) => one.status === "fulfilled").length);
        """,
        limits=Limits(wall=10, subrequests=12),
    )

    assert got.json() == 12
    assert got.trace.usage.subrequests == 20


def test_no_request_while_loading_or_after_the_call(ask: Ask, peer: str) -> None:
    loading = ask(f"await fetch({peer!r});\n" + worker("return new Response()"))
    assert "not while the script loads" in loading.trace.fault.message

    late = script(
        "const later = [];\nsetInterval(() => later.splice(0).forEach((wake) => setTimeout(wake, 20)), 10);\n"
        + worker(
            f"""
            if (!globalThis.said) {{
              new Promise((wake) => later.push(wake))
                .then(() => fetch({peer!r}))
                .catch((error) => (globalThis.said = error.message));
              globalThis.said = "nothing yet";
              return new Response();
            }}
            await new Promise((done) => setTimeout(done, 60));
            return new Response(globalThis.said);
            """
        )
    )
    ask(late)
    assert b"is over" in ask(late).body


def leaving(behind: str) -> Script:
    """Return a script whose first call leaves something behind, and whose second is open for a while."""
    return script(
        worker(
            f"""
            if (globalThis.asked) await new Promise((done) => setTimeout(done, 500));
            else {{
              globalThis.asked = true;
              {behind};
            }}
            return new Response();
            """
        )
    )


def test_requests_that_wait_when_their_call_ends_are_not_sent_for_the_next(ask: Ask, peer: str) -> None:
    forgetful = leaving(
        f'for (let count = 0; count < 100; count += 1) fetch({peer!r} + "/echo").catch(() => undefined)'
    )
    ask(forgetful)
    following = ask(forgetful).trace
    assert (following.usage.subrequests, following.subrequests, logs_of(following)) == (0, [], [])


@pytest.mark.parametrize(
    "late",
    [
        'setTimeout(() => { throw new Error("secret of the first") }, 150)',
        'setTimeout(async () => { throw new Error("secret of the first") }, 150)',
        'const every = setInterval(() => { clearInterval(every); throw new Error("secret of the first") }, 150)',
        'setImmediate(() => setTimeout(() => { throw new Error("secret of the first") }, 150))',
        'AbortSignal.timeout(150).addEventListener("abort", () => { throw new Error("secret of the first") })',
        'setTimeout(() => queueMicrotask(() => { throw new Error("secret of the first") }), 50)',
    ],
)
def test_errors_of_a_call_that_is_over_are_not_told_the_next(ask: Ask, late: str) -> None:
    careless = leaving(late)
    ask(careless)
    following = ask(careless)
    assert (following.outcome.status, logs_of(following.trace)) == (200, [])


@pytest.mark.parametrize(
    "thrown",
    [
        "Object.create(null)",
        "{ toString() { throw new Error('in turn'); } }",
        "Object.defineProperty(new Error('hidden'), 'stack', { get() { throw new Error('in turn'); } })",
        "new Proxy({}, { getPrototypeOf() { throw new Error('in turn'); }, get() { throw new Error('in turn'); } })",
        "Symbol('symbol')",
    ],
)
@pytest.mark.parametrize(
    "how", ["throw {};", "setTimeout(() => {{ throw {} }});", "ctx.waitUntil(Promise.reject({}));"]
)
def test_whatever_is_thrown_ends_no_other_call(ask: Ask, how: str, thrown: str) -> None:
    wild = script(
        worker(
            f"""
            if (new URL(event.request.url).pathname === "/waits") await new Promise((done) => setTimeout(done, 300));
            else {{
              {how.format(thrown)}
              await new Promise((done) => setTimeout(done, 20));
            }}
            return new Response("fine");
            """
        )
    )
    waiting: list[Answered] = []
    thread = threading.Thread(target=lambda: waiting.append(ask(wild, event=at("/waits"))))
    thread.start()
    time.sleep(0.1)
    got = ask(wild)
    thread.join()
    assert [level for level, _ in logs(got)] == ["error"]
    assert [one.body for one in waiting] == [b"fine"]


def test_the_console_remembers_nothing_for_the_next_call(ask: Ask) -> None:
    grouping = script(
        worker('console.group("group"); console.count("label"); console.time("timer"); return new Response();')
    )
    first = logs_of(ask(grouping).trace)
    assert first == ["group", "  label: 1"] == logs_of(ask(grouping).trace)


def test_a_request_that_waits_can_be_given_up(probe: Probe, peer: str) -> None:
    got = probe(
        f"""
        const slow = Array.from({{ length: 6 }}, () => fetch({peer!r} + "/slow"));
        const began = Date.now();
        const signal = AbortSignal.timeout(50);
        const failed = await fetch({peer!r} + "/echo", {{ signal }}).catch((error) => error.name);
        const waited = Date.now() - began;
        const detached = new Request({peer!r} + "/echo", {{ signal: AbortSignal.abort() }});
        await Promise.all(slow);
        return Response.json([failed, waited < 900, (await fetch(detached, {{ signal: null }})).status]);
        """
    )
    assert json.loads(got.body) == ["TimeoutError", True, 200]


def logs_of(trace: Trace) -> list[str]:
    return [line.message for line in trace.logs]
