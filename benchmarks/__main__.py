"""`python -m benchmarks`: measure and print the table."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import peers
from benchmarks.hosts import Unmeasurable
from benchmarks.measures import (
    broker,
    content,
    events,
    first_render,
    footprint,
    greedy,
    javascript,
    mixed,
    page,
    people,
    save,
    toolkit,
    warm,
)
from benchmarks.results import Result, machine, table

MEASURES: dict[str, Callable[[], Iterator[Result]]] = {
    "first-render": first_render.measure,
    "warm": warm.measure,
    "save": save.measure,
    "events": events.measure,
    "memory": footprint.measure,
    "javascript": javascript.measure,
    "greedy": greedy.measure,
    "mixed": mixed.measure,
    "toolkit": toolkit.measure,
    "page": page.measure,
    "people": people.measure,
    "content": content.measure,
    "broker": broker.measure,
}


def main() -> int:
    """Run what was asked for; the exit code tells whether everything could be measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Compare the host with its peer.")
    parser.add_argument("--only", action="append", choices=list(MEASURES), metavar="NAME", help=", ".join(MEASURES))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers into a file too")
    chosen = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # with which every process would compile the host again
    described, results, problems = machine(), [], 0
    try:
        peers.prepare()
    except Unmeasurable as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for name in chosen.only or MEASURES:
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        try:
            results += list(MEASURES[name]())
        except Unmeasurable as error:
            print(f"error: {name}: {error}", file=sys.stderr)
            problems += 1
    print("; ".join(f"{key}: {value}" for key, value in described.items()))
    print(table(results))
    if chosen.json:
        content = {"machine": described, "results": [result.as_json() for result in results]}
        chosen.json.write_text(json.dumps(content, indent=2) + "\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
