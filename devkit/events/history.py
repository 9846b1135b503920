"""Reads the events that a host keeps of an integration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from devkit.hosts import response_shapes
from devkit.hosts.budgets import Budget
from devkit.hosts.client import Client, part
from devkit.terminal.output import Mistake
from runtime.contract.timestamps import wire_time

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
PAGE = 200
ANY_FAILURE = "failed"


def moment(text: str) -> str:
    """Read `2h`, `30m`, `45s`, `1d` ago or an ISO time, as the API wants it; raises Problem."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d+)?)([smhd])", text.strip())
    try:
        if match:
            return wire_time(datetime.now(UTC) - timedelta(seconds=float(match[1]) * UNITS[match[2]]))
        time = datetime.fromisoformat(text.strip())
        return wire_time(time if time.tzinfo else time.astimezone())
    except (ValueError, OverflowError):
        raise Mistake(f"--since {text}: write 30s, 10m, 2h, 1d, or a time such as 2026-01-31T12:00") from None


def by_status(status: str | None) -> dict[str, str | None]:
    """Return the filters of the API for a status that lists show: `failed` is any failure."""
    return {"status" if status == ANY_FAILURE else "ending": status}


def path(name: str, *more: str) -> str:
    """Return the address of an integration's events, or of one of them."""
    return "/".join([f"/v1/integrations/{part(name)}/events", *map(part, more)])


def walk(client: Client, name: str, size: int = PAGE, **filters: str | None) -> Iterator[dict[str, Any]]:
    """Go through events, newest first; `filters` are those of the API: type, status, ending, installation, since."""
    return client.every(path(name), size, response_shapes.EVENT, None, **filters)


def whole(client: Client, name: str, event: str, budget: Budget | None = None) -> dict[str, Any]:
    """Return one event, with its request's `body` if the host kept it; raises Problem."""
    detail = client.call("GET", path(name, event), shape=response_shapes.DETAIL, budget=budget)
    recorded = {"body": detail["body"]} if "body" in detail else {}
    return {**detail["event"], **recorded}


def latest(client: Client, name: str, limit: int, **filters: str | None) -> list[dict[str, Any]]:
    """List the newest events, newest first."""
    return list(islice(walk(client, name, min(PAGE, limit), **filters), limit))


def by_itself(event: dict[str, Any]) -> bool:
    """Return whether nobody waits for the answer to an event."""
    from runtime.contract.events import EVENTS  # the models take longer to load than most commands to run

    model = EVENTS.get(event["payload"]["type"])
    return model is not None and not model.waits
