"""The table of what `devkit doctor` looks at: one function for each thing, none of which changes anything."""

from __future__ import annotations

from collections.abc import Callable

from devkit.diagnostics import host, machine, manifest
from devkit.diagnostics.result import Examination, Place

EXAMINATIONS: dict[str, Callable[[Place], Examination]] = {
    "python": machine.python,
    "bubblewrap": machine.bubblewrap,
    "sandbox": machine.python_sandbox,
    "javascript": machine.javascript_sandbox,
    "project": manifest.manifest,
    "manifest": manifest.form,
    "folder": machine.folder,
    "running": machine.note,
    "port": machine.port,
    "credentials": machine.credentials,
    "host": host.host,
    "version": host.same_version,
    "confinement": host.confinement,
    "clock": host.clock,
    "token": host.token,
    "origins": host.origins,
    "development": host.development,
}
"""What is looked at, in the order it is reported."""


def examine(place: Place, name: str) -> Examination:
    """Look at one thing."""
    return EXAMINATIONS[name](place)
