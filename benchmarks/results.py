"""One measured thing beside the peer's, and the table of all of them."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Result:
    """One row: `target` is the most or the least the host's `value` may be, `at_most` tells which of the two."""

    name: str
    what: str
    unit: str
    value: float
    target: float | None
    at_most: bool
    peer: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times better than the peer the host is; below 1 it is worse."""
        if not self.peer or not self.value:
            return None
        return self.peer / self.value if self.at_most else self.value / self.peer

    @property
    def met(self) -> bool | None:
        """Tell whether the target is met; None without a target."""
        if self.target is None:
            return None
        return self.value <= self.target if self.at_most else self.value >= self.target

    def as_json(self) -> dict[str, Any]:
        """Give the row with what follows from it."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


def machine() -> dict[str, Any]:
    """Describe the machine and how busy it is."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine()
    )
    return {
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 2),
    }


def table(results: Sequence[Result]) -> str:
    """Write all rows as a Markdown table."""
    head = ("measured", "host", "peer", "times better", "target", "met", "note")
    rows = [head, *(_cells(result) for result in results)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _cells(result: Result) -> tuple[str, ...]:
    bound = "≤" if result.at_most else "≥"
    return (
        result.what,
        f"{_number(result.value)} {result.unit}",
        f"{_number(result.peer)} {result.unit}" if result.peer is not None else "",
        f"{result.ratio:.2f}" if result.ratio is not None else "",
        f"{bound} {_number(result.target)} {result.unit}" if result.target is not None else "",
        {True: "yes", False: "no", None: ""}[result.met],
        result.note,
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}"
