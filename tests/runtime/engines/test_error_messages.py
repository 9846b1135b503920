"""What a Python script's errors tell: the name that was meant, and recursions in a few lines."""

from __future__ import annotations

import pytest

from runtime.contract.invocation import Failure, Script
from runtime.engines.engine import refusal
from runtime.engines.python_process.pool import PythonEngine
from tests.runtime.engines.conftest import Probe
from tests.runtime.engines.refusals import refused


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("ui.txt('a')", "AttributeError: module 'runtime.sdk.ui' has no attribute 'txt' (did you mean 'text'?)"),
        (
            "ui.configration()",
            "AttributeError: module 'runtime.sdk.ui' has no attribute 'configration' (did you mean 'configuration'?)",
        ),
        (
            "Integration().event",
            "AttributeError: 'Integration' object has no attribute 'event' (did you mean 'on'?)",
        ),
        ("shown.acton", "AttributeError: 'Component' object has no attribute 'acton' (did you mean 'action'?)"),
        ("len(prnt)", "NameError: name 'prnt' is not defined (did you mean 'print'?)"),
        ("hepler()", "NameError: name 'hepler' is not defined (did you mean 'helper'?)"),
        (
            "ui.select('a', [], placeholdr='b')",
            "TypeError: select() got an unexpected keyword argument 'placeholdr' (did you mean 'placeholder'?)",
        ),
        ("helper(colro=1)", "TypeError: helper() got an unexpected keyword argument 'colro' (did you mean 'color'?)"),
        ("odd.nothing", "AttributeError: 'Odd' object has no attribute 'nothing'"),
        ("odd.colr", "AttributeError: 'Odd' object has no attribute 'colr' (did you mean 'color'?)"),
        (
            "from runtime.sdk import Integraton",
            "ImportError: cannot import name 'Integraton' from 'runtime.sdk' (did you mean 'Integration'?)",
        ),
        (
            "from runtime.sdk.ui import txt",
            "ImportError: cannot import name 'txt' from 'runtime.sdk.ui' (did you mean 'text'?)",
        ),
        ("from json import dmps", "ImportError: cannot import name 'dmps' from 'json' (did you mean 'dumps'?)"),
        ("from json import xyzzy", "ImportError: cannot import name 'xyzzy' from 'json'"),
        ("len(xyzzy)", "NameError: name 'xyzzy' is not defined"),
    ],
)
def test_a_misspelled_name_is_reported_with_the_one_that_was_meant(
    engine: PythonEngine, code: str, message: str
) -> None:
    source = f"""from runtime.sdk import Integration, ui
integration = Integration()

@integration.component("shown")
def shown(element): ...

def helper(*, color=None): ...

class Odd:
    color = 1

    def __dir__(self):
        raise SystemExit("this must not run")

    def __getattribute__(self, name):
        if name.startswith("__"):
            raise SystemExit("nor must this")
        return object.__getattribute__(self, name)

odd = Odd()
{code}
"""
    assert refused(engine, source).message == message


def test_a_recursion_without_end_is_told_in_a_few_lines(probe: Probe) -> None:
    got = probe("def down(number):\n    return down(number + 1)\ndown(0)")
    message = got.trace.logs[-1].message
    assert "RecursionError" in message
    assert (message.count(" in down"), message.count(" in run")) == (3, 1)
    assert "\n  [Previous line repeated 9" in message


def test_a_limit_reached_while_loading_is_one_sentence() -> None:
    failure = Failure("limit", "The integration used more than 10 s of CPU time.")
    said = refusal(Script("v", "python", ""), failure).fault.message
    assert said == "While it was being loaded: the integration used more than 10 s of CPU time."
