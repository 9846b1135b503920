"""Load over HTTP, with wrk: the same generator for the host and for the peer."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hosts import Unmeasurable

CONNECTIONS = (2, 4, 8, 16)
RATE = re.compile(r"Requests/sec:\s*([\d.]+)")
MEDIAN = re.compile(r"50%\s+([\d.]+)(us|ms|s)")
BAD = re.compile(r"(?:Non-2xx or 3xx responses|Socket errors):.*")


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
    if shutil.which("wrk") is None:
        raise Unmeasurable("`wrk` is missing: it makes the load (Debian: apt-get install wrk)")
    with tempfile.TemporaryDirectory(prefix="benchmark-load-") as folder:
        script = Path(folder) / "post.lua"
        script.write_text(wrk_script(body, headers))
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(script), url]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    bad = BAD.search(said)
    rate, median = RATE.search(said), MEDIAN.search(said)
    if bad or not rate or not median:
        raise Unmeasurable(f"the load on {url} failed: {bad.group(0) if bad else said}")
    scale = {"us": 0.001, "ms": 1.0, "s": 1000.0}[median.group(2)]
    return Load(float(rate.group(1)), float(median.group(1)) * scale, connections)


def wrk_script(body: bytes, headers: dict[str, str]) -> str:
    """Write what makes wrk POST a body."""
    lines = ['wrk.method = "POST"', f"wrk.body = {_lua(body.decode())}"]
    lines += [f"wrk.headers[{_lua(name)}] = {_lua(value)}" for name, value in headers.items()]
    return "\n".join(lines)


def _lua(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r").replace("\n", "\\n")
    return f'"{escaped}"'
