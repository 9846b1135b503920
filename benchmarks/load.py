"""Load over HTTP, with wrk: the same generator for the host and for the peer."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from benchmarks.hosts import Unmeasurable

CONNECTIONS = (2, 4, 8, 16)
RATE = re.compile(r"Requests/sec:\s*([\d.]+)")
MEDIAN = re.compile(r"50%\s+([\d.]+)(us|ms|s)")
BAD = re.compile(r"Non-2xx or 3xx responses: (\d+)")
BROKEN = re.compile(r"Socket errors:.*")


@dataclass(frozen=True, slots=True)
class Load:
    """What a load gave: requests a second, median milliseconds, how many connections."""

    rate: float
    median: float
    connections: int


def best(url: str, body: bytes, headers: dict[str, str], seconds: int) -> Load:
    """Try each number of connections and give the best rate."""
    return max((once(url, body, headers, seconds, count) for count in CONNECTIONS), key=lambda load: load.rate)


def once(url: str, body: bytes, headers: dict[str, str], seconds: int, connections: int) -> Load:
    """POST a body over and over; raises Unmeasurable without wrk, or when an answer is not a success."""
    got, bad = ended(begin(url, wrk_script(body, headers), seconds, connections))
    if bad:
        raise Unmeasurable(f"the load on {url} failed: {bad} answers were no success")
    return got


def begin(url: str, script: str, seconds: int, connections: int) -> subprocess.Popen[str]:
    """Start a load that a script for wrk makes; raises Unmeasurable without wrk."""
    if shutil.which("wrk") is None:
        raise Unmeasurable("`wrk` is missing: it makes the load (Debian: apt-get install wrk)")
    with tempfile.NamedTemporaryFile("w", prefix="benchmark-load-", suffix=".lua", delete=False) as file:
        file.write(script)
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "--latency", "-s", file.name, url]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[Load, int]:
    """Wait for a load; gives what it got, and how many answers were no success. Raises Unmeasurable."""
    said, _ = process.communicate()
    command = cast(list[str], process.args)
    Path(command[-2]).unlink()
    bad, broken, rate, median = BAD.search(said), BROKEN.search(said), RATE.search(said), MEDIAN.search(said)
    if process.returncode or broken or not rate or not median:
        raise Unmeasurable(f"the load on {command[-1]} failed: {broken.group(0) if broken else said}")
    connections = int(command[2].removeprefix("-c"))
    scale = {"us": 0.001, "ms": 1.0, "s": 1000.0}[median.group(2)]
    got = Load(float(rate.group(1)), float(median.group(1)) * scale, connections)
    return got, int(bad.group(1)) if bad else 0


def wrk_script(body: bytes, headers: dict[str, str]) -> str:
    """Write what makes wrk POST a body."""
    lines = ['wrk.method = "POST"', f"wrk.body = {_lua(body.decode())}"]
    lines += [f"wrk.headers[{_lua(name)}] = {_lua(value)}" for name, value in headers.items()]
    return "\n".join(lines)


def numbered_script(method: str, paths: list[str], body: dict[str, Any], headers: dict[str, str]) -> str:
    """Write what makes wrk send a body to one path after the other; `NUMBER` in it is never the same twice."""
    lines = [f"local paths = {{{', '.join(_lua(path) for path in paths)}}}", f"local body = {_lua(json.dumps(body))}"]
    lines += ["local headers = {}", "local sent = 0"]
    lines += [f"headers[{_lua(name)}] = {_lua(value)}" for name, value in headers.items()]
    lines += [
        "function request()",
        "  sent = sent + 1",
        '  local number = string.format("%d-%d", sent, math.random(1, 1000000000))',
        f"  return wrk.format({_lua(method)}, paths[sent % #paths + 1], headers, (body:gsub('NUMBER', number)))",
        "end",
    ]
    return "\n".join(lines)


def _lua(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r").replace("\n", "\\n")
    return f'"{escaped}"'
