"""A process with an engine that shares its isolates, as the serving processes of a host do; it does what it is told.

It is started by `test_shared_isolates.py`, with the number of the socket to which it listens.
"""

from __future__ import annotations

import sys
import threading
from multiprocessing.connection import Connection
from typing import Any

from runtime.contract.invocation import Invocation, Trace
from runtime.engines.egress import EgressRules
from runtime.engines.javascript.pool import JavaScriptEngine


def main() -> None:
    """Make the engine, and obey until nobody is there any more."""
    commands = Connection(int(sys.argv[1]))
    options = commands.recv()
    rules = EgressRules(allow=options.pop("allow", ()))
    engine = JavaScriptEngine(sandbox="required", rules=rules, **options)
    sending = threading.Lock()

    def call(invocation: Invocation) -> tuple[int, bytes, Trace]:
        traces: list[Trace] = []
        complete = threading.Event()
        outcome = engine.invoke(invocation, lambda trace: (traces.append(trace), complete.set()))  # type: ignore[func-returns-value]
        complete.wait(30)
        assert isinstance(outcome.body, bytes)
        return outcome.status, outcome.body, traces[0]

    doing = {
        "call": call,
        "check": engine.check,
        "pids": lambda: sorted(isolate.pid for isolate in engine._isolates.running()),
        "isolates": engine.isolates,
        "retire": engine.retire,
        "close": engine.close,
    }

    def answer(number: int, what: str, given: tuple[Any, ...]) -> None:
        result = doing[what](*given)  # type: ignore[operator]
        with sending:
            commands.send((number, result))

    while True:
        try:
            asked = commands.recv()
        except EOFError:
            engine.close()
            return
        threading.Thread(target=answer, args=asked, daemon=True).start()


if __name__ == "__main__":
    main()
