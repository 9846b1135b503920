"""Waits for events that were just sent, and says how they ended."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from devkit.events import history
from devkit.events.traces import ending_of, ending_words, notes
from devkit.hosts import response_shapes
from devkit.hosts.client import Client, RequestRefused
from devkit.terminal.output import Problem, one_line, shortened
from runtime.contract.event_descriptions import word

PATIENCE = 40.0
"""Seconds: a call has 30 for its answer."""
MOST = 100
"""Events that are waited for; of more, the last ones."""
BEGINNING = 0.02
LONGEST_PAUSE = 0.5
FIRST_LOOK, LOOK_EVERY = 1.0, 5.0
"""Seconds an event is queued until it is asked what it waits for, and until it is asked again."""
UNDER_WAY = ("queued", "running")
FINE = ("success", "not-handled", *UNDER_WAY)


def ended(client: Client, name: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Wait until the script has answered these events; gives each as the host shows it then.

    One that is still queued or running in the end is given as it is, with the failed event it waits for as `behind`;
    none that its sender may not see.
    """
    began = time.monotonic()
    found: dict[str, dict[str, Any]] = {}
    open_, pause, look_at = list(ids[-MOST:]), BEGINNING, began + FIRST_LOOK
    while open_:
        for event in list(open_):
            if time.monotonic() > began + PATIENCE:
                break
            try:
                detail = client.call("GET", history.path(name, event), shape=response_shapes.DETAIL)
            except RequestRefused as refused:
                if refused.status not in (403, 404):
                    raise
                open_.remove(event)
                continue
            found[event] = detail
            if ending_of(detail["event"]) not in UNDER_WAY or _much_later(detail["event"], detail["event"]):
                open_.remove(event)
        late = time.monotonic() > began + PATIENCE
        if open_ and (late or time.monotonic() > look_at):
            look_at = time.monotonic() + LOOK_EVERY
            queued = {one: found[one]["event"] for one in open_ if one in found and _is_queued(found[one]["event"])}
            for installation in {event["installationId"] for event in queued.values()}:
                tried = history.latest(client, name, MOST, ending="retrying", installation=installation)
                for one, event in queued.items():
                    behind = _failed_before(event, tried) if event["installationId"] == installation else None
                    if behind is not None and (late or _much_later(behind, event)):
                        found[one]["behind"] = behind
                        open_.remove(one)
        if late:
            break
        if open_:
            time.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)
    return [found[event] for event in ids if event in found]


def _is_queued(event: dict[str, Any]) -> bool:
    """Return whether an event waits for its turn among those of an installation."""
    return event["delivery"]["state"] == "pending" and "installationId" in event


def _failed_before(event: dict[str, Any], tried: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the event that one waits for: an earlier one of its installation, of those that are to be tried again."""
    # A task is no part of the order in which an installation gets its events.
    before = [one for one in tried if one["payload"]["type"] != "task" and one["createdAt"] <= event["createdAt"]]
    return before[-1] if before else None


def _much_later(event: dict[str, Any], sent: dict[str, Any]) -> bool:
    """Return whether an event is due later than anybody waits for one that was sent; by the host's clock alone."""
    due = event["delivery"].get("nextAttemptAt")
    if due is None:
        return False
    wait = datetime.fromisoformat(due) - datetime.fromisoformat(sent["createdAt"])
    return wait.total_seconds() > PATIENCE


def waiting(name: str, details: Sequence[dict[str, Any]]) -> list[str]:
    """Return lines that say what the last queued event waits for, none where none waits for a failed one."""
    last = next((detail for detail in reversed(details) if "behind" in detail), None)
    if last is None:
        return []
    behind = last["behind"]
    return [
        f"{last['event']['id']} waits for {behind['id']}, which failed before it {notes(behind)}.",
        f"A new version is tried at once: save the script, or publish it. `devkit events {name} {behind['id']}` shows "
        "why it failed.",
    ]


def failures(details: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return those that the script refused, or in which it failed."""
    return [detail for detail in details if ending_of(detail["event"]) not in FINE]


def delivery(detail: dict[str, Any]) -> dict[str, Any]:
    """Return what programs are told of one: its id, how it ended, and the status of the answer."""
    event = detail["event"]
    answer = event["delivery"].get("answer")
    behind = {"waitsFor": detail["behind"]["id"]} if "behind" in detail else {}
    return {"event": event["id"], "ending": ending_of(event)} | ({} if answer is None else {"answer": answer}) | behind


def endings(sent: Sequence[dict[str, Any]]) -> str:
    """Count how events that `judged` has seen ended, as ": 2 success, 1 rejected"; "" where nothing is known."""
    known = [word(one["ending"]) for part in sent for one in part.get("deliveries", ())]
    known += [f"answered {part['answer']['status']}" for part in sent if "answer" in part]
    counts = ", ".join(f"{count} {how}" for how, count in Counter(known).items())
    return f": {counts}" if counts else ""


def fault_of(detail: dict[str, Any]) -> str:
    """Return where in the script an event failed, and why; "" where the host does not know."""
    fault = (detail.get("trace") or {}).get("fault")
    if not fault:
        return ""
    line = f":{fault['line']}" if fault.get("line") else ""
    place = f"{fault['file']}{line}: " if fault.get("file") else ""
    return shortened(place + one_line(fault["message"]))


def reason(client: Client, name: str, event: str) -> str:
    """Return what `fault_of` does of an event that was answered a moment ago."""
    for pause in (0.0, 0.1, 0.3):
        time.sleep(pause)
        try:
            detail = client.call("GET", history.path(name, event), shape=response_shapes.DETAIL)
        except Problem:  # it is written a moment after the answer, and not everybody may read it
            continue
        return fault_of(detail)
    return ""


def failed(name: str, details: Sequence[dict[str, Any]], of: int) -> Problem:
    """Return what to say of events that failed: how the last one ended, what it answered, and where to read more."""
    last = details[-1]["event"]
    answer = details[-1].get("answer") or {}
    body = one_line(str(answer.get("body") or ""))[:200]
    many = "" if of == 1 else f"{len(details)} of {of} events failed; the last one: "
    reason = fault_of(details[-1]) or body
    return Problem(
        f"{many}{last['payload']['type']} {last['id']}: {ending_words(last)}{f': {reason}' if reason else ''}",
        hint=f"`devkit events {name} {last['id']}` shows its logs",
    )


def judged(client: Client, name: str, sent: Sequence[dict[str, Any]]) -> tuple[list[str], Problem | None]:
    """Wait until the script has handled what was sent, and add how.

    Returns what queued events wait for, as lines, and what to say if the script refused or failed.
    """
    ids = [event for one in sent if "answer" not in one for event in one["events"]]
    details = ended(client, name, ids)
    by_id = {detail["event"]["id"]: delivery(detail) for detail in details}
    for one in sent:
        deliveries = [by_id[event] for event in one["events"] if event in by_id]
        one.update({"deliveries": deliveries} if deliveries else {})
    wrong = failures(details)
    refused = [one for one in sent if "answer" in one and one["answer"]["status"] >= 400]
    if not refused:
        return waiting(name, details), failed(name, wrong, len(sent)) if wrong else None
    last, event = refused[-1], refused[-1]["events"][-1]
    many = f"{len(wrong) + len(refused)} of {len(sent)} events failed; the last one: " if len(sent) > 1 else ""
    return waiting(name, details), Problem(
        f"{many}{last['type']} {event} was answered {last['answer']['status']}",
        hint=f"`devkit events {name} {event}` shows its logs",
        status=last["answer"]["status"],
    )
