"""`python -m benchmarks.greed`: a tenant that takes all it can get, in processes of its own.

Reads where to go as JSON in one line of its standard input, says `ready`, and goes on until the input ends.
"""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.load import wrk_script
from benchmarks.scripts import COUNTER, SCOPES, render_body

GREEDY = (
    COUNTER.replace("def updated(event):\n    pass", "def updated(event):\n    time.sleep(4)")
    + """

import os, socket, time
from runtime.sdk import Response


@integration.fetch("GET", "/sleeps")
def sleeps(request):
    time.sleep(4)
    return Response("slept")


@integration.fetch("GET", "/computes")
def computes(request):
    until = time.monotonic() + 4
    while time.monotonic() < until:
        sum(range(1000))
    return Response("computed")


@integration.fetch("GET", "/connects")
def connects(request):
    proxy = os.environ["EGRESS_PROXY"].rpartition("//")[2].rpartition(":")
    kept = [socket.create_connection((proxy[0], int(proxy[2]))) for _ in range(8)]
    time.sleep(4)
    return Response("connected")

"""
)
HANGS = "import time\ntime.sleep(8)\nfrom runtime.sdk import Integration\nintegration = Integration()\n"
WAYS = ("sleeps", "sleeps", "sleeps", "connects", "computes")
INTEGRATIONS, CALLERS, PUBLISHERS, EVENTS, SLOW_BODIES, RENDERERS = 6, 15, 6, 50, 40, 8


class Greed:
    """Callers that begin again as soon as they were answered, and a second after they were refused."""

    def __init__(self, url: str, organization: str, token: str, seconds: float) -> None:
        self._url, self._organization, self._token, self._seconds = url, organization, token, seconds
        self._at = urlsplit(url).netloc
        self._done = threading.Event()
        self._answers: list[int] = []

    def run(self) -> None:
        """Take what there is until the standard input ends."""
        spaces = [self._install(f"greedy-{number}") for number in range(INTEGRATIONS)]
        for number, space in enumerate(spaces):
            base = f"/v1/integrations/greedy-{number}"
            event = {"type": "space_content_updated", "spaceId": space, "revisionId": "r" * 20}
            self._must("POST", f"{base}/events", {"event": event, "count": EVENTS})
            for caller in range(CALLERS):
                path = f"{base}/integration/{WAYS[caller % len(WAYS)]}"
                self._begin(lambda at=path: self._call("GET", at))  # type: ignore[misc]
        for number in range(PUBLISHERS):
            at = f"/v1/integrations/hangs-{number}"
            self._begin(lambda at=at: self._call("POST", at, self._publication(HANGS)))  # type: ignore[misc]
        for _ in range(SLOW_BODIES):
            self._begin(self._slow_body)
        with tempfile.TemporaryDirectory(prefix="benchmark-greed-") as folder:
            script = Path(folder) / "post.lua"
            script.write_text(wrk_script(json.dumps(render_body(spaces[0])).encode(), self._headers))
            command = ["wrk", "-t1", f"-c{RENDERERS}", f"-d{self._seconds:.0f}s", "-s", str(script)]
            renders = subprocess.Popen(
                [*command, f"{self._url}/v1/integrations/greedy-0/render"], stdout=subprocess.PIPE, text=True
            )
            self._done.wait(2)
            print("ready", flush=True)
            sys.stdin.read()
            self._done.set()
            renders.terminate()
            renders.communicate()
        good = sum(status < 400 for status in self._answers)
        print(json.dumps({"answered": good, "refused": len(self._answers) - good}), flush=True)

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}

    def _install(self, name: str) -> str:
        """Publish an integration and install it on a new space; returns the space."""
        self._must("POST", f"/v1/integrations/{name}", self._publication(GREEDY))
        space: str = self._must("POST", f"/v1/orgs/{self._organization}/spaces", {"title": "Greedy"})["id"]
        base = f"/v1/integrations/{name}/installations"
        made = self._must("POST", base, {"organization": self._organization})
        self._must("POST", f"{base}/{made['id']}/spaces", {"space": space})
        return space

    def _publication(self, script: str) -> dict[str, Any]:
        body = {"title": "Greedy", "description": "", "scopes": SCOPES, "runtime": "python"}
        blocks = [{"id": "counter", "title": "Counter"}]
        return {**body, "script": script, "organization": self._organization, "blocks": blocks}

    def _begin(self, work: Any) -> None:
        def again() -> None:
            while not self._done.is_set():
                try:
                    status = work()
                except OSError:
                    status = 599
                self._answers.append(status)
                if status >= 400:
                    self._done.wait(1.0)  # refused, as it should be; it comes again when it was told to

        # Whoever still waits for an answer at the end is not waited for.
        threading.Thread(target=again, daemon=True).start()

    def _must(self, method: str, path: str, body: Any) -> Any:
        connection = http.client.HTTPConnection(self._at, timeout=60)
        connection.request(method, path, json.dumps(body), self._headers)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 400:
            raise SystemExit(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text) if text else None

    def _call(self, method: str, path: str, body: Any = None) -> int:
        connection = http.client.HTTPConnection(self._at, timeout=60)
        try:
            connection.request(method, path, json.dumps(body) if body else None, self._headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    def _slow_body(self) -> int:
        """Send a body one byte each half second."""
        host, _, port = self._at.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            head = f"POST /v1/orgs/{self._organization}/spaces HTTP/1.1\r\nHost: {self._at}\r\n"
            head += "".join(f"{name}: {value}\r\n" for name, value in self._headers.items())
            connection.sendall(f"{head}Content-Length: 12\r\n\r\n".encode())
            for _ in range(12):
                connection.sendall(b" ")
                if self._done.wait(0.5):
                    return 0
            return int(connection.recv(64).split()[1])


if __name__ == "__main__":
    Greed(**json.loads(sys.stdin.readline())).run()
