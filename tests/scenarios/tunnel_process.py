"""A tunnel as a process, and the server on the developer's machine to which it leads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from queue import Queue
from typing import Any

from tests.conftest import Api


class Server(BaseHTTPRequestHandler):
    """Something on the developer's machine."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/away":
            self._answer(302, b"", Location=f"http://localhost:{self.server.server_address[1]}/here")
        elif self.path == "/live":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for _ in range(3):
                self.wfile.write(b"5\r\ntick\n\r\n")
                self.wfile.flush()
                gate.get(timeout=10)
            self.wfile.write(b"0\r\n\r\n")
        elif self.path == "/never":
            time.sleep(60)
        elif self.path == "/slow":
            time.sleep(1)
            self._answer(200, b"slow")
        else:
            told = {"path": self.path, "headers": dict(self.headers.items())}
            self._answer(200, json.dumps(told).encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(201, body, **{"Set-Cookie": "a=1"})

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


gate: Queue[None] = Queue()


class Tunnel:
    """`devkit tunnel` as a process; what it says comes line by line."""

    def __init__(self, api: Api, port: int, home: Path, *options: str) -> None:
        command = [sys.executable, "-m", "devkit", "tunnel", str(port), "--json", *options]
        command += ["--host", api.url, "--token", api.token or ""]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"HOME": str(home)}
        )
        self.lines: Queue[dict[str, Any]] = Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.url = self.says("open")["url"]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def says(self, kind: str) -> dict[str, Any]:
        while True:
            told = self.lines.get(timeout=30)
            if told["type"] == kind:
                return told

    def stop(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGINT)
        _, wrong = self.process.communicate(timeout=20)
        return self.process.returncode, wrong

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=20)
