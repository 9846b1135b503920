"""Events with their traces, as people read them in a terminal."""

from __future__ import annotations

from typing import Any

import click

from runtime.engines.frames import LEVELS

COLORS = {"debug": "bright_black", "info": "cyan", "warn": "yellow", "error": "red"}


def as_text(detail: dict[str, Any], level: str | None = None) -> str:
    """Write an event with its logs, of which only those of at least a level."""
    event, trace = detail["event"], detail.get("trace") or {}
    delivery, good = event["delivery"], event["status"] == "success"
    words = [event["createdAt"], event["payload"]["type"], click.style(event["status"], fg="green" if good else "red")]
    if not good and "answer" in delivery:
        words.append(f"answered {delivery['answer']}")
    if "durationMs" in delivery:
        words.append(f"{delivery['durationMs']:.1f} ms")
    if delivery["state"] == "failed":
        words.append(f"(attempt {delivery['attempts']}, next attempt at {delivery['nextAttemptAt']})")
    lines = [" ".join(words)]
    least = LEVELS.index(level) if level is not None else 0
    for line in trace.get("logs", ()):
        if LEVELS.index(line["level"]) >= least:
            lines.append(f"  {click.style(line['level'].ljust(5), fg=COLORS[line['level']])} {line['message']}")
    for subrequest in trace.get("subrequests", ()):
        lines.append(f"  -> {subrequest['method']} {subrequest['url']} {subrequest['status'] or subrequest['refused']}")
    fault = trace.get("fault")
    if fault:
        lines.append(f"  {fault.get('file', '')}:{fault.get('line', '')} {fault['message']}")
    if trace.get("unrecorded"):
        lines.append(f"  (and {trace['unrecorded']:,} successful renders before it, counted and not recorded)")
    return "\n".join(lines)
