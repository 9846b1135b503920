"""Why scripts are refused."""

from __future__ import annotations

import pytest

from runtime.contract.invocation import Script, ScriptFault
from runtime.engines.engine import ScriptRefused
from runtime.engines.python_process.pool import PythonEngine


def refused(engine: PythonEngine, source: str, entry: str = "integration.py") -> ScriptFault:
    """Return why a script is refused."""
    with pytest.raises(ScriptRefused) as caught:
        engine.check(Script("checked", "python", source, entry))
    return caught.value.fault
