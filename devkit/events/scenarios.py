"""Scenarios: recorded events with the pauses between them, as an editable YAML file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devkit.events import payloads
from devkit.events.payloads import ParsedText
from devkit.files import private_files
from devkit.manifests.findings import Finding
from devkit.terminal.output import Problem

HEADER = """\
# A scenario for `devkit play`. `after` is the pause before an event, in seconds.
# Events get the ids of the installation, space and site they are played to; to choose others, write installationId,
# spaceId or siteId into an event ("*": any). A `fetch` may have a `body` next to its event.
"""
KEYS = {"after", "event", "body"}
LONGEST = 86_400.0


class Unwritable(Problem):
    """A scenario cannot be written."""


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a scenario; `after` is seconds, `place` is `file:line:column`."""

    after: float
    event: dict[str, Any]
    body: str | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Events in order, and the integration they were recorded from."""

    integration: str | None
    steps: list[Step]


def write(path: Path, integration: str, steps: Iterable[Step]) -> None:
    """Write a scenario atomically; raises Unwritable."""
    events = [
        {"after": step.after, "event": step.event} | ({} if step.body is None else {"body": step.body})
        for step in steps
    ]
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        # Events carry what visitors and people wrote.
        private_files.write(fresh, HEADER + payloads.dump({"integration": integration, "events": events}))
        fresh.replace(path)
    except OSError as error:
        with suppress(OSError):  # removing it may fail for the reason that writing did
            fresh.unlink(missing_ok=True)
        raise Unwritable(f"{path} cannot be written: {error.strerror}") from None


def read(path: str) -> Scenario:
    """Read a scenario; raises Problem with the position of the error."""
    written = payloads.read(path)
    value = written.value
    if not isinstance(value, dict) or not isinstance(value.get("events"), list):
        raise Problem(f"{path}:1:1: a scenario has `events:` with a list", hint="`devkit record FILE` makes one")
    name = value.get("integration")
    findings = [] if name is None or isinstance(name, str) else [written.finding(("integration",), "write its name")]
    for number, entry in enumerate(value["events"]):
        findings += _faults(written, number, entry)
    payloads.refuse(findings)
    return Scenario(name, [_step(written, number, entry) for number, entry in enumerate(value["events"])])


def _faults(written: ParsedText, number: int, entry: Any) -> list[Finding]:
    where = ("events", number)
    if not isinstance(entry, dict) or "event" not in entry:
        return [written.finding(where, "an entry has `event:` with a payload, and may have `after:` with seconds")]
    findings = [
        written.finding((*where, str(key)), f"there is no `{key}` here, only {', '.join(sorted(KEYS))}")
        for key in entry
        if key not in KEYS
    ]
    after = entry.get("after", 0)
    if isinstance(after, bool) or not isinstance(after, (int, float)) or not 0 <= after <= LONGEST:
        findings.append(written.finding((*where, "after"), f"after: write seconds, from 0 to {LONGEST:g}"))
    if not isinstance(entry.get("body", ""), str):
        findings.append(written.finding((*where, "body"), "body: write text, in quotes or after `|`"))
    return findings + payloads.check(written, (*where, "event"))


def _step(written: ParsedText, number: int, entry: dict[str, Any]) -> Step:
    line, column = written.places.get(("events", number), (1, 1))
    place = f"{written.file}:{line}:{column}"
    return Step(float(entry.get("after", 0)), entry["event"], entry.get("body"), place)
