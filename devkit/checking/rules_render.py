"""Rules on what components draw, each with the properties it begins with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from devkit.build.source_positions import source_line
from devkit.checking.rule import Rule
from devkit.checking.subject import Drawing, Subject
from devkit.manifests.findings import Finding, Level
from devkit.terminal.wording import nearest
from runtime.contract import accessibility, contentkit
from runtime.contract.invocation import LoadReport
from runtime.contract.json_shapes import Violation

HANDLER = re.compile(r"on[A-Z]")
DATA = ("props", "state", "data", "returnValue")
"""What an element carries without drawing it."""
MOST = 10
"""At most this many violations are reported for one component."""
CONFIGURATION = re.compile(r"""[.?]configuration\b(?!\s*\()|["']configuration["']|(?<![.\w])configuration[.?\[]""")


def render_crashed(subject: Subject) -> Iterator[Finding]:
    """A component draws itself with its default properties."""
    for drawing in _failed(subject):
        # What an answer was made up for may well miss something that the real one has.
        if drawing.called.trace.subrequests or _wants_configuration(drawing):
            continue
        failure, fault = drawing.called.trace.failure, drawing.called.fault
        if failure is not None:
            hint = f". {fault.hint.removesuffix('.')}" if fault is not None and fault.hint else ""
            message = f"{failure.message.removesuffix('.')}, {_drawing(drawing)}{hint}"
            yield _at_fault(subject, drawing, message, "render-crashed", "error")
        elif fault is not None:
            yield _at_fault(subject, drawing, f"{fault.message}, {_drawing(drawing)}", "render-crashed", "error")
        else:
            message = f"the script answered with status {drawing.called.status}, {_drawing(drawing)}"
            yield _placed(subject, drawing, message, "render-crashed")


def render_offline(subject: Subject) -> Iterator[Finding]:
    """What a component asks of others cannot be answered here, and what the API answers is made up."""
    for drawing in _failed(subject):
        if drawing.called.asked_outside:
            unanswered = next(
                subrequest for subrequest in drawing.called.trace.subrequests if subrequest.status is None
            )
            message = (
                f"{_drawing(drawing)} it requested {unanswered.method} {unanswered.url}, which a check does "
                "not answer, and then failed: catch the error, or try it with `devkit dev`"
            )
            yield _at_fault(subject, drawing, message, "render-offline", "warning")
        elif drawing.called.trace.subrequests:
            error = drawing.called.fault.message if drawing.called.fault else "it failed"
            last = drawing.called.trace.subrequests[-1]
            message = (
                f"{error}, {_drawing(drawing)}, after it requested {last.method} {last.url}, which a check "
                "answers with an example: handle missing values, or try it with `devkit dev`"
            )
            yield _at_fault(subject, drawing, message, "render-offline", "warning")
        elif _wants_configuration(drawing):
            error = drawing.called.fault.message if drawing.called.fault else "it failed"
            message = (
                f"{error}, {_drawing(drawing)} of an installation that nobody has configured yet: render "
                "something for that case, such as a hint"
            )
            yield _at_fault(subject, drawing, message, "render-offline", "warning")


def render_refused(subject: Subject) -> Iterator[Finding]:
    """A component that refuses its default properties shows a message where a new block should be."""
    reported = set[tuple[str, str]]()
    for drawing in subject.drawings:
        refusal = (drawing.component, drawing.called.error)
        if 400 <= drawing.called.status < 500 and drawing.called.status != 404 and refusal not in reported:
            reported.add(refusal)
            message = (
                f"the script refused with {drawing.called.status}, {_drawing(drawing)}: “{drawing.called.error}”; "
                "readers see that message instead of the component"
            )
            yield _placed(subject, drawing, message, "render-refused", "warning")


def render_invalid(subject: Subject) -> Iterator[Finding]:
    """What a component draws is ContentKit."""
    yield from _judged(subject, contentkit.violations, "render-invalid", "error")


def render_inaccessible(subject: Subject) -> Iterator[Finding]:
    """Pictures have a text and controls a label, for whoever cannot see them."""
    judge = partial(accessibility.warnings, typed=not subject.python)
    yield from _judged(subject, judge, "render-inaccessible", "warning")


def action_without_handler(subject: Subject) -> Iterator[Finding]:
    """What can be pressed has a handler, and what it opens is there; only Python reports which there are."""
    if not subject.python or subject.report is None:
        return
    reported = set[tuple[str, str]]()
    for drawing in subject.drawings:
        if drawing.called.status >= 300:
            continue
        for sentence in _unhandled(drawing, subject.report):
            if (drawing.component, sentence) not in reported:
                reported.add((drawing.component, sentence))
                yield _placed(subject, drawing, sentence, "action-without-handler", "warning")


def _unhandled(drawing: Drawing, report: LoadReport) -> Iterator[str]:
    """Yield a sentence for each action that does nothing, and each component that is not there to be opened."""
    handled = [name for component, name in report.actions if component == drawing.component]
    for action in _actions(drawing):
        name, opened = action["action"], action.get("componentId")
        if name == "@ui.modal.open" and isinstance(opened, str) and opened not in report.components:
            what, close = (
                f"the action opens the component `{opened}` as a modal, but there is none",
                nearest(opened, report.components),
            )
            cure = f'register `{opened}` with @integration.component("{opened}")'
        elif not name.startswith("@") and name not in handled and "*" not in handled:
            what, close = (
                f"the action `{name}` has no handler, so the component only renders again",
                nearest(name, handled),
            )
            cure = f'register `{name}` with @VARIABLE.action("{name}"), where VARIABLE holds the component'
        else:
            continue
        yield f"{what} (in `{drawing.component}`, drawn as {drawing.what}): " + (
            f"write `{close}`, or {cure}" if close else cure
        )


def _actions(drawing: Drawing) -> Iterator[dict[str, Any]]:
    """Yield the actions of the elements that were drawn, and none of the data that elements and actions carry."""
    try:
        output = drawing.called.json
    except (ValueError, RecursionError):  # which render-invalid reports
        return
    left: list[Any] = [output.get("element")] if isinstance(output, dict) else []
    while left:
        node = left.pop()
        if isinstance(node, list):
            left.extend(reversed(node))
        elif isinstance(node, dict):
            for name, value in node.items():
                if HANDLER.match(name) and isinstance(value, dict) and isinstance(value.get("action"), str):
                    yield value
            left.extend(value for name, value in reversed(node.items()) if name not in DATA and not HANDLER.match(name))


def _judged(subject: Subject, judge: Callable[[Any], list[Violation]], rule: str, level: Level) -> Iterator[Finding]:
    """Judge what was drawn; what writers and readers of a block both see is reported once."""
    reported = set[tuple[str, str]]()
    for drawing in subject.drawings:
        if drawing.called.status >= 300:
            continue
        try:
            violations = judge(drawing.called.json)
        except (ValueError, RecursionError):
            violations = [Violation("the answer", "must be JSON")] if level == "error" else []
        for violation in violations[:MOST]:
            if (drawing.component, str(violation)) not in reported:
                reported.add((drawing.component, str(violation)))
                yield _placed(subject, drawing, f"{violation}, {_drawing(drawing)}", rule, level)


def _failed(subject: Subject) -> Iterator[Drawing]:
    """Yield the drawings that failed, of one component and cause the first."""
    reported = set[tuple[str, object, object]]()
    for drawing in subject.drawings:
        cause = (drawing.component, drawing.called.fault, drawing.called.trace.failure)
        if drawing.called.status >= 500 and cause not in reported:
            reported.add(cause)
            yield drawing


def _wants_configuration(drawing: Drawing) -> bool:
    """Return a script that takes a configured installation for granted, by the line that failed."""
    fault = drawing.called.fault
    return fault is not None and CONFIGURATION.search(fault.source or "") is not None


def _drawing(drawing: Drawing) -> str:
    return f"while `{drawing.component}` was drawn as {drawing.what}"


def _placed(subject: Subject, drawing: Drawing, message: str, rule: str, level: Level = "error") -> Finding:
    """Say it where the component is registered, else where the manifest asks for it."""
    if drawing.spot is not None:
        return drawing.spot.finding(message, rule, level)
    return subject.project.finding(drawing.where, message, rule, level)


def _at_fault(subject: Subject, drawing: Drawing, message: str, rule: str, level: Level) -> Finding:
    """Say it at the line of the script that failed."""
    fault = drawing.called.fault
    if fault is None or fault.file is None or fault.line is None:
        return _placed(subject, drawing, message, rule, level)
    folder, file = subject.project.folder, subject.project.script.parent / fault.file
    source = fault.source or source_line(folder, file, fault.line)
    return Finding(fault.file, fault.line, fault.column or 1, message, source, rule, level)


RULES = (
    Rule(
        "render-crashed",
        "error",
        "A component fails when it is rendered with its default properties.",
        "Fix the reported line; every property may be missing at first.",
        render_crashed,
    ),
    Rule(
        "render-offline",
        "warning",
        "A component could not be rendered without an external answer, or without a configuration.",
        "Render something for that case, and try it with `devkit dev`.",
        render_offline,
    ),
    Rule(
        "render-refused",
        "warning",
        "A component refuses its default properties.",
        "Render something for a new block, such as a hint about what to do.",
        render_refused,
    ),
    Rule(
        "render-invalid",
        "error",
        "A component renders something that is not ContentKit.",
        "Fix the element at the path given.",
        render_invalid,
    ),
    Rule(
        "render-inaccessible",
        "warning",
        "An image has no `alt`, or a control has no label.",
        "Add `alt` or `label` to the element at the path given.",
        render_inaccessible,
    ),
    Rule(
        "action-without-handler",
        "warning",
        "An element names an action without a handler, or opens a component that does not exist.",
        "Write the name of a handler, or register one.",
        action_without_handler,
    ),
)
