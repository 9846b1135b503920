"""The peer: miniflare serving a bundle of @gitbook/runtime; see peer/serve.mjs."""

from __future__ import annotations

import queue
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from benchmarks.hosts import Unmeasurable, free_port
from benchmarks.scripts import BOUNDARY, peer_body

FOLDER = Path(__file__).parent / "peer"
SOURCE = FOLDER / "counter.tsx"
HEADERS = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


def prepare() -> None:
    """Install the peer's packages if they are missing; raises Unmeasurable."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise Unmeasurable(f"`{program}` is missing: the peer runs on Node.js 20 or newer (Debian: nodejs, npm)")
    if (FOLDER / "node_modules" / "miniflare").exists():
        return
    done = subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=FOLDER, capture_output=True, text=True)
    if done.returncode:
        raise Unmeasurable(f"`npm ci` failed in {FOLDER}: {done.stderr.strip().splitlines()[-1:]}")


def bundle(to: Path) -> None:
    """Build the peer's script."""
    _node("bundle", SOURCE, to).wait()
    if not to.exists():
        raise Unmeasurable(f"esbuild made no bundle of {SOURCE}")


def _node(mode: str, source: Path, last: object) -> subprocess.Popen[str]:
    command = ["node", str(FOLDER / "serve.mjs"), mode, str(source), str(last)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


class Peer:
    """A running peer."""

    def __init__(self, mode: str, source: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.body = peer_body()
        self.http = requests.Session()
        self.process = _node(mode, source, self.port)
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._heard: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self.process.stderr or ():
            self._said.put(line.strip())
        self._said.put("")

    def wait(self, word: str) -> None:
        """Wait until the peer says a word; raises Unmeasurable when it ends or does not."""
        while True:
            try:
                line = self._said.get(timeout=60)
            except queue.Empty:
                raise Unmeasurable(f"the peer did not say {word!r}") from None
            if line == word:
                return
            self._heard.append(line)
            if not line and self.process.poll() is not None:
                raise Unmeasurable("the peer ended: " + " ".join(self._heard[-5:]))

    def render(self) -> str:
        """Render the component; returns the text of the answer."""
        answer = self.http.post(self.url, data=self.body, headers=HEADERS, timeout=60)
        answer.raise_for_status()
        return answer.text

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(timeout=30)


@contextmanager
def running(mode: str, source: Path) -> Iterator[Peer]:
    """Run a peer until it has answered once, and longer."""
    peer = Peer(mode, source)
    try:
        peer.wait("ready")
        peer.render()
        yield peer
    finally:
        peer.stop()


@contextmanager
def serving() -> Iterator[Peer]:
    """Run a peer that serves the bundle."""
    with tempfile.TemporaryDirectory(prefix="benchmark-peer-") as folder:
        made = Path(folder) / "bundle.mjs"
        bundle(made)
        with running("serve", made) as peer:
            yield peer


def start_milliseconds() -> float:
    """Measure one start: from the command until the first answer."""
    with tempfile.TemporaryDirectory(prefix="benchmark-peer-") as folder:
        made = Path(folder) / "bundle.mjs"
        bundle(made)
        began = time.perf_counter()
        with running("serve", made):
            return (time.perf_counter() - began) * 1000
