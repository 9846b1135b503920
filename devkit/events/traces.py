"""Formats events and their traces for the terminal."""

from __future__ import annotations

from typing import Any

from devkit.terminal.output import one_line, styled
from runtime.contract.event_descriptions import ending, subject, word
from runtime.contract.units import bytes_text, duration_text
from runtime.engines.frames import LEVELS

COLORS = {"debug": "bright_black", "info": "cyan", "warn": "yellow", "error": "red"}
QUIET = "bright_black"
CUT = 4_000
"""Characters that hosts keep of a refusal, except for those of endpoints."""
ENDINGS = {"success": "green", "queued": "cyan", "running": "cyan", "retrying": "yellow", "not-handled": QUIET}
"""Colors of how events ended; the others are failures."""


def handled(event: dict[str, Any]) -> bool:
    """Return whether the script handled an event, as far as is known."""
    return ending_of(event) != "not-handled"


def ending_words(event: dict[str, Any]) -> str:
    """Format an event's result: `success`, `refused (401)`, `will be retried (500)`."""
    how, answer = ending_of(event), event["delivery"].get("answer")
    told = answer is not None and how not in ("success", "not-handled", "queued", "running")
    return f"{word(how)} ({answer})" if told else word(how)


def ending_text(event: dict[str, Any], width: int = 0) -> str:
    """Format an event's result as `ending_words` does, in color."""
    return styled(ending_words(event).ljust(width), fg=ENDINGS.get(ending_of(event), "red"))


def what(event: dict[str, Any]) -> str:
    """Describe an event: its type and its subject."""
    return f"{event['payload']['type']} {subject(event['payload'])}".rstrip()


def notes(event: dict[str, Any]) -> str:
    """Describe when an event is due or retried, and its number of attempts if more than one."""
    delivery = event["delivery"]
    attempts, moment = delivery["attempts"], delivery.get("nextAttemptAt")
    if delivery["state"] == "pending":
        return f"(due at {moment})" if moment else ""
    if delivery["state"] == "failed":
        return f"(attempt {attempts}, next attempt at {moment})"
    return f"(given up after {attempts} attempts)" if delivery["state"] == "given-up" and attempts > 1 else ""


def as_text(detail: dict[str, Any], level: str | None = None) -> str:
    """Format an event with its logs of at least a level."""
    event, trace = detail["event"], detail.get("trace") or {}
    words = [event["createdAt"], styled(event["id"], fg=QUIET), what(event), ending_text(event)]
    if event["delivery"].get("durationMs") is not None:
        words.append(duration_text(event["delivery"]["durationMs"]))
    lines = [one_line(" ".join([*words, notes(event)])).rstrip()]
    least = LEVELS.index(level) if level is not None else 0
    for line in trace.get("logs") or ():
        if LEVELS.index(line["level"]) >= least:
            color = COLORS[line["level"]] if handled(event) else QUIET
            lines.append(f"  {styled(line['level'].ljust(5), fg=color)} {_indented(line['message'])}")
    for subrequest in trace.get("subrequests") or ():
        end = subrequest.get("status") or subrequest.get("refused")
        lines.append(one_line(f"  -> {subrequest['method']} {subrequest['url']} {end}"))
    fault = trace.get("fault")
    if fault:
        lines += _fault_lines(fault)
    if trace.get("unrecorded"):
        lines.append(f"  (and {trace['unrecorded']:,} more calls before it, counted and not recorded)")
    return "\n".join(lines)


def _fault_lines(fault: dict[str, Any]) -> list[str]:
    """Format where a script failed or was stopped: place and message, the line itself, and what to do."""
    place = f"{fault['file']}:{fault.get('line') or 1} " if fault.get("file") else ""
    lines = [f"  {one_line(place)}{_indented(fault['message'])}"]
    lines += [one_line(f"        {fault['source'].strip()}")] if fault.get("source") else []
    lines += [f"  {_indented(fault['hint'])}"] if fault.get("hint") else []
    return lines


def answer_text(answer: dict[str, Any]) -> str:
    """Format the recorded response of an endpoint: status, headers, body."""
    lines = [f"{answer['status']}, {bytes_text(answer['bytes'])}"]
    lines += [one_line(f"{name}: {value}") for name, value in answer["headers"]]
    body = answer.get("body")
    if body:
        lines += ["", *body.splitlines()]
        if len(body.encode()) < answer["bytes"] and len(body) == CUT:
            lines += ["", f"(only the first {CUT:,} characters are kept)"]
    elif answer["bytes"]:
        lines += ["", "(the body is not kept: it is not text, or longer than 64 KB)"]
    return "\n".join(lines)


def _indented(text: str) -> str:
    """Indent all lines of a script's text after the first, so that none looks like an event."""
    return "\n        ".join(text.splitlines())


def ending_of(event: dict[str, Any]) -> str:
    """Tell how an event ended, or how far it is."""
    # By the rule, not from the answer: hosts of earlier releases do not say it.
    delivery = event["delivery"]
    return ending(event["payload"]["type"], delivery["state"], delivery.get("answer"))
