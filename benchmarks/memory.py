"""Memory as the kernel shares it out: the proportional set size (PSS) of processes."""

from __future__ import annotations

from pathlib import Path

from benchmarks.hosts import Unmeasurable


def family(pid: int) -> list[int]:
    """Give a process and all below it."""
    parents: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:  # it has just ended
            continue
        parents.setdefault(int(fields[1]), []).append(int(place.name))
    found, todo = [], [pid]
    while todo:
        current = todo.pop()
        found.append(current)
        todo += parents.get(current, [])
    return found


def own(pid: int) -> tuple[int, int]:
    """Give the PSS of a process and what nobody shares (its USS), in bytes; raises Unmeasurable, ProcessLookupError."""
    shown = {}
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except FileNotFoundError as error:
        raise ProcessLookupError(pid) from error
    except ProcessLookupError:
        raise
    except OSError as error:
        raise Unmeasurable(
            f"the memory of process {pid} cannot be read: {error}; run as the user of the host"
        ) from error
    for line in lines[1:]:
        name, _, rest = line.partition(":")
        shown[name] = int(rest.split()[0]) * 1024
    return shown["Pss"], shown["Private_Clean"] + shown["Private_Dirty"]


def proportional(pid: int) -> int:
    """Give the PSS of a process and all below it, in bytes."""
    total = 0
    for one in family(pid):
        try:
            total += own(one)[0]
        except ProcessLookupError:  # it has just ended
            continue
    return total
