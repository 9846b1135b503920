"""Rules on what components draw, each with the properties it begins with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from devkit.build.places import source_line
from devkit.checking.rule import Rule
from devkit.checking.subject import Shown, Subject
from devkit.findings import Finding, Level
from runtime.contract import accessibility, contentkit
from runtime.contract.json_shapes import Violation

MOST = 10
"""So many violations are told of one component."""
CONFIGURATION = re.compile(r"""[.?]configuration\b(?!\s*\()|["']configuration["']|(?<![.\w])configuration[.?\[]""")


def render_crashed(subject: Subject) -> Iterator[Finding]:
    """A component draws itself with its default properties."""
    for shown in _failed(subject):
        if shown.called.asked_outside or _wants_configuration(shown):
            continue
        failure, fault = shown.called.trace.failure, shown.called.fault
        if failure is not None:
            message = f"{failure.message.removesuffix('.')}, {_drawing(shown)}"
            yield _placed(subject, shown, message, "render-crashed")
        elif fault is not None:
            yield _at_fault(subject, shown, f"{fault.message}, {_drawing(shown)}", "render-crashed", "error")
        else:
            message = f"the script answered with status {shown.called.status}, {_drawing(shown)}"
            yield _placed(subject, shown, message, "render-crashed")


def render_offline(subject: Subject) -> Iterator[Finding]:
    """What a component asks of the API or of others cannot be answered here, so the rest of it was not looked at."""
    for shown in _failed(subject):
        if shown.called.asked_outside:
            asked = next(one for one in shown.called.trace.subrequests if one.status is None)
            message = (
                f"{_drawing(shown)} it asked {asked.method} {asked.url}, which a check does not answer, and went no "
                "further: catch the error, or try it under `devkit dev`"
            )
            yield _at_fault(subject, shown, message, "render-offline", "warning")
        elif _wants_configuration(shown):
            told = shown.called.fault.message if shown.called.fault else "it failed"
            message = (
                f"{told}, {_drawing(shown)} of an installation that nobody has configured: "
                "draw something until it is, such as a hint"
            )
            yield _at_fault(subject, shown, message, "render-offline", "warning")


def render_refused(subject: Subject) -> Iterator[Finding]:
    """A component that refuses its default properties shows a message where a new block should be."""
    told = set[tuple[str, str]]()
    for shown in subject.shown:
        refusal = (shown.component, shown.called.error)
        if 400 <= shown.called.status < 500 and shown.called.status != 404 and refusal not in told:
            told.add(refusal)
            message = (
                f"the script refused with {shown.called.status}, {_drawing(shown)}: “{shown.called.error}”; "
                "readers see that sentence in place of the component"
            )
            yield _placed(subject, shown, message, "render-refused", "warning")


def render_invalid(subject: Subject) -> Iterator[Finding]:
    """What a component draws is ContentKit."""
    yield from _judged(subject, contentkit.violations, "render-invalid", "error")


def render_inaccessible(subject: Subject) -> Iterator[Finding]:
    """Pictures have a text and controls a label, for whoever cannot see them."""
    yield from _judged(subject, accessibility.warnings, "render-inaccessible", "warning")


def _judged(subject: Subject, judge: Callable[[Any], list[Violation]], rule: str, level: Level) -> Iterator[Finding]:
    """Judge what was drawn; what writers and readers of a block both see is told once."""
    told = set[tuple[str, str]]()
    for shown in subject.shown:
        if shown.called.status >= 300:
            continue
        try:
            found = judge(shown.called.json)
        except (ValueError, RecursionError):
            found = [Violation("the answer", "must be JSON")] if level == "error" else []
        for one in found[:MOST]:
            if (shown.component, str(one)) not in told:
                told.add((shown.component, str(one)))
                yield _placed(subject, shown, f"{one}, {_drawing(shown)}", rule, level)


def _failed(subject: Subject) -> Iterator[Shown]:
    """Give the drawings that failed, of one component and cause the first."""
    told = set[tuple[str, object, object]]()
    for shown in subject.shown:
        cause = (shown.component, shown.called.fault, shown.called.trace.failure)
        if shown.called.status >= 500 and cause not in told:
            told.add(cause)
            yield shown


def _wants_configuration(shown: Shown) -> bool:
    """Tell a script that takes a configured installation for granted, by the line that failed."""
    fault = shown.called.fault
    return fault is not None and CONFIGURATION.search(fault.source or "") is not None


def _drawing(shown: Shown) -> str:
    return f"while `{shown.component}` was drawn as {shown.what}"


def _placed(subject: Subject, shown: Shown, message: str, rule: str, level: Level = "error") -> Finding:
    """Say it where the component is registered, else where the manifest asks for it."""
    if shown.spot is not None:
        return shown.spot.finding(message, rule, level)
    return subject.project.finding(shown.where, message, rule, level)


def _at_fault(subject: Subject, shown: Shown, message: str, rule: str, level: Level) -> Finding:
    """Say it at the line of the script that failed."""
    fault = shown.called.fault
    if fault is None or fault.file is None or fault.line is None:
        return _placed(subject, shown, message, rule, level)
    source = fault.source or source_line(subject.project.script.parent / fault.file, fault.line)
    return Finding(fault.file, fault.line, fault.column or 1, message, source, rule, level)


RULES = (
    Rule(
        "render-crashed",
        "error",
        "A component fails when it is drawn with its default properties.",
        "Mend the line told; every property may be missing at first.",
        render_crashed,
    ),
    Rule(
        "render-offline",
        "warning",
        "A component could not be drawn without an answer from outside, or without a configuration.",
        "Draw something for that case, and try it under `devkit dev`.",
        render_offline,
    ),
    Rule(
        "render-refused",
        "warning",
        "A component refuses its default properties.",
        "Draw something for a new block, such as a hint what to do.",
        render_refused,
    ),
    Rule(
        "render-invalid",
        "error",
        "A component draws what is no ContentKit.",
        "Mend the element at the path told.",
        render_invalid,
    ),
    Rule(
        "render-inaccessible",
        "warning",
        "A picture has no text, or a control no label.",
        "Add `alt` or `label` to the element at the path told.",
        render_inaccessible,
    ),
)
