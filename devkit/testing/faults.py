"""How a test hears that a script did not do what it should."""

from __future__ import annotations

from runtime.contract.invocation import ScriptFault

AGAIN = "this test cannot run: an earlier one that failed says why"
"""What tests say after the first one that could not use the script."""


class Refused(Exception):
    """The script refused with an error that is meant for the person at the screen."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status, self.message = status, message


class ScriptFailed(AssertionError):
    """The script ended with an error nobody expected; `fault` says where in the author's file."""

    def __init__(self, what: str, fault: ScriptFault) -> None:
        line = f":{fault.line}:{fault.column or 1}" if fault.line else ""
        place = f"{fault.file}{line}: " if fault.file else ""
        message = f"{what}: {place}{fault.message}"
        if fault.source is not None and fault.line is not None:
            message += f"\n    {fault.source}\n    {' ' * ((fault.column or 1) - 1)}^"
        super().__init__(message + (f"\n{fault.hint}" if fault.hint else ""))
        self.fault = fault


class NotLoaded(ScriptFailed):
    """The script cannot be loaded, so that every test fails that needs it."""

    def __init__(self, fault: ScriptFault) -> None:
        super().__init__("the script cannot be loaded", fault)
