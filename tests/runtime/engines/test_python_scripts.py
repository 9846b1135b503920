"""Python scripts in the sandbox: loading, errors with their place, output, answers of every form, bundles."""

from __future__ import annotations

import base64
import io
import json
import threading
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from runtime.contract.invocation import Invocation, Limits, Script, ScriptFault, Trace
from runtime.engines.engine import AnswerCut
from runtime.engines.python_process.pool import PythonEngine
from tests.runtime.engines.conftest import Probe
from tests.runtime.engines.refusals import refused

HEAD = """from runtime.sdk import Integration, Response
integration = Integration()
"""


def zipped(files: dict[str, str | bytes]) -> str:
    """Return a bundle as it is published."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return "data:application/zip;base64," + base64.b64encode(buffer.getvalue()).decode()


def test_check_reports_what_a_script_registers(engine: PythonEngine) -> None:
    report = engine.check(
        Script(
            "reported",
            "python",
            HEAD
            + """
print("loading")

@integration.component("counter")
def counter(element): ...

@integration.on("site_view")
def viewed(event): ...
""",
        )
    )

    assert report.components == ("counter",)
    assert set(report.events) == {"site_view", "ui_render"}
    assert [line.message for line in report.logs] == ["loading"]


def test_syntax_error_has_its_place(engine: PythonEngine) -> None:
    fault = refused(engine, "x = 1\ndef broken(:\n    pass\n")

    assert (fault.file, fault.line, fault.column, fault.source) == ("integration.py", 2, 12, "def broken(:")
    assert fault.message.startswith("SyntaxError: ")
    assert fault.hint is None


@pytest.mark.parametrize(
    "source",
    [
        "export default { fetch(request) {} };",
        "const a = 1;\n",
        'import { createIntegration } from "@gitbook/runtime";\n',
        "// an integration\nfoo();\n",
        "function run() { return 1 }",
    ],
)
def test_javascript_is_recognized(engine: PythonEngine, source: str) -> None:
    assert 'runtime "v2"' in (refused(engine, source).hint or "")


def test_error_while_loading_has_its_place(engine: PythonEngine) -> None:
    fault = refused(engine, HEAD + "def load():\n    return {}['é'] + 1\n\nprint('é', load())\n", "code/main.py")

    assert fault == ScriptFault("KeyError: 'é'", "code/main.py", 4, 12, "    return {}['é'] + 1")


def test_unknown_import_says_what_may_be_imported(engine: PythonEngine) -> None:
    fault = refused(engine, "import numpy\n")

    assert fault.line == 1
    assert fault.message == "ModuleNotFoundError: No module named 'numpy'"
    assert "runtime.sdk, requests, jwt, cryptography" in (fault.hint or "")


def test_script_without_integration_is_refused_with_what_to_write(engine: PythonEngine) -> None:
    assert "integration = Integration()" in refused(engine, "x = 1\n").message


@pytest.mark.parametrize("code", ["import os; os._exit(1)", "raise SystemExit", "x = bytearray(1 << 40)"])
def test_script_that_ends_while_loading_is_refused(engine: PythonEngine, code: str) -> None:
    assert refused(engine, HEAD + code + "\n").message


def test_script_refused_at_load_answers_500_with_its_fault(ask: Probe) -> None:
    got = ask(HEAD + "raise RuntimeError('not today')\n")

    assert (got.outcome.status, got.json()) == (500, {"error": "Internal server error"})
    assert got.outcome.fault.message == "RuntimeError: not today"
    assert got.outcome.fault.line == 3
    assert got.trace.fault == got.outcome.fault


def test_exception_answers_500_with_its_fault_and_a_log_of_the_authors_lines(probe: Probe) -> None:
    got = probe("import json\nx = 'line'\njson.loads('{')")

    assert (got.outcome.status, got.json()) == (500, {"error": "Internal server error"})
    fault = got.outcome.fault
    assert (fault.file, fault.line, fault.source) == ("integration.py", 9, "    json.loads('{')")
    assert got.trace.logs[-1].level == "error"
    assert got.trace.logs[-1].message.splitlines()[1:] == ["  integration.py:9 in run", "    json.loads('{')"]


def test_what_ends_a_thread_is_one_log_record_with_the_authors_lines(probe: Probe) -> None:
    got = probe(
        """
        import sys, threading

        def work():
            1 / 0

        thread = threading.Thread(target=work, name="worker")
        thread.start()
        thread.join()
        ended = threading.Thread(target=sys.exit)
        ended.start()
        ended.join()
        return Response("fine")
        """
    )

    assert got.body == b"fine"
    (only,) = got.trace.logs
    assert only.level == "error"
    assert only.message.startswith("In worker:\nZeroDivisionError: division by zero\n  integration.py:")
    assert only.message.endswith("1 / 0") and "threading.py" not in only.message


def test_output_becomes_log_lines(probe: Probe) -> None:
    got = probe(
        """
        import logging, sys, warnings
        print("one", 2)
        print("no end", end="")
        sys.stderr.write("bad\\n")
        logging.info("told")
        logging.getLogger("deep").warning("careful")
        context.log.debug("detail %s", 5)
        """
    )

    assert [(line.level, line.message) for line in got.trace.logs] == [
        ("info", "one 2"), ("error", "bad"), ("info", "told"), ("warn", "careful"), ("debug", "detail 5"),
        ("info", "no end"),
    ]  # fmt: skip
    assert got.trace.usage.log == sum(len(line.message) for line in got.trace.logs)


def test_usage_is_reported(probe: Probe) -> None:
    got = probe("x = bytearray(b'x') * (8 << 20)\nprint('hello')\nreturn Response.json(sum(range(200_000)))")
    usage = got.trace.usage

    assert usage.wall > 0
    assert usage.cpu > 0
    assert 8 << 20 < usage.memory < 64 << 20
    assert usage.response == len(got.body)
    assert usage.log == 5


def test_answer_passes_as_it_is(probe: Probe) -> None:
    got = probe(
        "cookies = [('set-cookie', 'a=1'), ('set-cookie', 'b=2')]\n"
        "return Response(b'\\x00\\xff', status=201, headers=[*cookies, ('x-y', 'é')])"
    )

    assert (got.outcome.status, got.body) == (201, b"\x00\xff")
    assert [value for name, value in got.outcome.headers if name == "set-cookie"] == ["a=1", "b=2"]
    assert ("x-y", "é") in got.outcome.headers


@pytest.mark.parametrize(
    ("name", "value"),
    [("x-bad", "a\\r\\nset-cookie: b"), ("x bad", "a"), ("", "a"), ("x-bad", "\\u4e2d"), ("x-bad", "\\x07")],
)
def test_header_that_is_not_http_is_left_out(probe: Probe, name: str, value: str) -> None:
    got = probe(f"a = Response('ok')\na.headers = [('{name}', '{value}'), ('x-good', 'b')]\nreturn a")

    assert got.outcome.headers == [("x-good", "b")]
    assert got.trace.logs[0].level == "warn"


def test_headers_of_the_connection_are_not_passed_on(probe: Probe) -> None:
    got = probe("a = Response('ok')\na.headers = [('Content-Length', '1'), ('transfer-encoding', 'x')]\nreturn a")

    assert (got.outcome.headers, got.body) == ([], b"ok")


def test_impossible_status_is_an_error(probe: Probe) -> None:
    got = probe("a = Response('ok')\na.status = 99\nreturn a")

    assert got.outcome.status == 500


def test_fetch_body_arrives_byte_for_byte(ask: Probe) -> None:
    source = HEAD + '@integration.fetch("POST", "/")\ndef run(request):\n    return Response(request.body)\n'
    event = {"eventId": "e", "type": "fetch", "request": {"method": "post", "url": "https://x.example/", "headers": {}}}
    body = bytes(range(256)) * 8000

    assert ask(source, event=event, fetch_body=body).body == body


def test_large_answer_arrives_whole(probe: Probe) -> None:
    assert probe("return Response(b'x' * 5_000_000)").body == b"x" * 5_000_000


def test_streamed_body_arrives_piece_by_piece(probe: Probe) -> None:
    got = probe("return Response(str(number).encode() for number in range(5))")

    assert not isinstance(got.outcome.body, bytes)
    assert got.body == b"01234"
    assert got.trace.usage.response == 5


def test_streamed_body_is_bounded(probe: Probe) -> None:
    with pytest.raises(AnswerCut, match="limit of 100 bytes"):
        probe("return Response(b'x' * 60 for _ in range(5))", limits=Limits(response=100))


def test_streamed_body_that_fails_is_cut(probe: Probe) -> None:
    with pytest.raises(AnswerCut):
        probe("def body():\n    yield b'half'\n    raise ValueError\nreturn Response(body())")


def test_streamed_body_given_up_ends_the_worker(streaming: Any) -> None:
    outcome, traces = streaming("def body():\n    while True:\n        yield b'x' * 1000\nreturn Response(body())")
    body = iter(outcome.body)
    next(body)
    body.close()

    assert [trace.failure.kind for trace in traces] == ["unreachable"]
    assert list(body) == []


@pytest.fixture
def streaming(engine: PythonEngine) -> Callable[[str], Any]:
    """Call a handler and leave its body unread."""

    def run(code: str) -> Any:
        body = "".join(f"    {line}\n" for line in code.splitlines())
        source = HEAD + f'@integration.fetch("GET", "/")\ndef run(request):\n{body}'
        event = {"eventId": "e", "type": "fetch", "request": {"method": "get", "url": "https://x.example/"}}
        traces: list[Trace] = []
        invocation = Invocation(Script(code, "python", source), "", json.dumps(event).encode(), b"{}")
        return engine.invoke(invocation, traces.append), traces

    return run


def test_work_after_the_answer_is_in_the_trace(probe: Probe) -> None:
    got = probe(
        """
        import time
        def later():
            time.sleep(0.1)
            print("later")
        context.wait_until(later)
        return Response.json("now")
        """
    )

    assert got.json() == "now"
    assert [line.message for line in got.trace.logs] == ["later"]
    assert got.trace.failure is None


def test_work_after_the_answer_that_fails_is_reported(probe: Probe) -> None:
    got = probe("context.wait_until(lambda: 1 / 0)\nreturn Response.json('now')")

    assert got.json() == "now"
    assert got.trace.fault.message == "ZeroDivisionError: division by zero"


def test_work_after_the_answer_is_limited(probe: Probe) -> None:
    got = probe(
        "import time\ncontext.wait_until(lambda: time.sleep(100))\nreturn Response.json('now')", limits=Limits(wall=0.3)
    )

    assert got.json() == "now"
    assert got.trace.failure.limit == "wall"


def test_worker_is_used_again_after_its_late_work(ask: Probe) -> None:
    source = Script(
        "late-work",
        "python",
        HEAD
        + """
calls = []
@integration.fetch("GET", "/")
def run(context):
    calls.append(1)
    context.wait_until(lambda: calls.append(1))
    return Response.json(len(calls))
""",
    )

    assert [ask(source).json() for _ in range(3)] == [1, 3, 5]


def test_bundle_imports_its_own_modules(ask: Probe) -> None:
    files = {
        "src/main.py": HEAD + "from helper import greet\nimport shared.deep\n"
        '@integration.fetch("GET", "/")\ndef run():\n    return greet(shared.deep.NAME)\n',
        "src/helper.py": "def greet(name):\n    return f'hello {name}'\n",
        "shared/__init__.py": "",
        "shared/deep.py": "NAME = 'bundle'\n",
    }

    assert ask(Script("zip-good", "python", zipped(files), "src/main.py")).body == b"hello bundle"


def test_error_in_a_module_of_a_bundle_has_its_place(engine: PythonEngine) -> None:
    files = {"main.py": HEAD + "import part\n", "part.py": "\nx = 1 / 0\n"}
    fault = refused(engine, zipped(files), "main.py")

    assert (fault.file, fault.line, fault.source) == ("part.py", 2, "x = 1 / 0")


@pytest.mark.parametrize("name", ["../evil.py", "/etc/evil.py", "a/../../evil.py", "c:/evil.py", "a\\..\\evil.py"])
def test_bundle_with_a_file_outside_is_refused(engine: PythonEngine, name: str) -> None:
    assert "outside its folder" in refused(engine, zipped({"integration.py": HEAD, name: "x"})).message


def test_bundle_without_its_entry_is_refused(engine: PythonEngine) -> None:
    assert "no file 'integration.py'" in refused(engine, zipped({"other.py": HEAD})).message


@pytest.mark.parametrize("content", ["", "AAAA", "not base64!", base64.b64encode(b"PK\x05\x06").decode()])
def test_bundle_that_is_not_a_zip_is_refused(engine: PythonEngine, content: str) -> None:
    assert "not a valid zip" in refused(engine, "data:application/zip;base64," + content).message


def test_bundle_that_unpacks_to_too_much_is_refused(engine: PythonEngine) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("integration.py", HEAD)
        archive.writestr("bomb", bytes(40 << 20))
    source = "data:application/zip;base64," + base64.b64encode(buffer.getvalue()).decode()

    assert "limit of 10 MB" in refused(engine, source).message


def test_script_over_its_limit_is_refused_and_not_run(engine: PythonEngine, ask: Probe) -> None:
    source = HEAD + "#" * 2000

    got = ask(source, limits=Limits(script=1000))
    assert (got.outcome.status, got.outcome.failure.limit) == (502, "script")
    assert "limit of 10 MB" in refused(engine, "#" * (11 << 20)).message


def test_calls_of_one_worker_come_one_after_another(ask: Probe) -> None:
    source = Script(
        "one-by-one",
        "python",
        HEAD
        + """
import time
inside = []
@integration.fetch("GET", "/")
def run():
    inside.append(1)
    time.sleep(0.02)
    return Response.json(len([inside.pop()]) + len(inside))
""",
    )
    got: list[int] = []
    threads = [threading.Thread(target=lambda: got.append(ask(source).json())) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert got == [1] * 12
