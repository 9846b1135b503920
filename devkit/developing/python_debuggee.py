"""The process that `devkit dev --debug` debugs: a script in the open, called over HTTP as a sandboxed one is by frames.

Started with the project's folder, the script's file and the path of a socket; it ends with its standard input.
"""

from __future__ import annotations

import os
import socket
import socketserver
import sys
import threading
import traceback
import types
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from devkit.terminal.output import print_error, say
from devkit.tunnel.parts import MalformedCall, read_parts
from runtime.sdk.answering import RawAnswer, RawCall, answer, find_integration
from runtime.sdk.integration import Integration

MODULE = "integration"


class Script:
    """The script, reloaded if one of its files has changed."""

    def __init__(self, folder: Path, file: Path) -> None:
        self._folder, self._file = folder, file
        self._lock = threading.Lock()
        self._seen: dict[Path, float] = {}
        self._loaded: Integration | None = None
        sys.path[:0] = [str(file.parent), str(folder)]

    def integration(self) -> Integration:
        """Return the script's integration as its files say now; raises whatever the script raises."""
        with self._lock:
            times = {path: path.stat().st_mtime for path in self._folder.rglob("*.py") if ".venv" not in path.parts}
            if self._loaded is None or times != self._seen:
                self._loaded, self._seen = self._load(), times
            return self._loaded

    def _load(self) -> Integration:
        own = [name for name, module in sys.modules.items() if self._is_own(module)]
        for name in own:
            del sys.modules[name]
        module = types.ModuleType(MODULE)
        module.__file__ = str(self._file)
        sys.modules[MODULE] = module
        # By its real path, which is how a debugger knows where its breakpoints are.
        exec(compile(self._file.read_text(encoding="utf-8"), str(self._file), "exec"), module.__dict__)
        return find_integration(module.__dict__)

    def _is_own(self, module: types.ModuleType) -> bool:
        file = getattr(module, "__file__", None)
        return bool(file) and Path(str(file)).is_relative_to(self._folder) and ".venv" not in Path(str(file)).parts


class Handler(BaseHTTPRequestHandler):
    """Answers the calls of the host."""

    protocol_version = "HTTP/1.1"
    script: Script

    def do_GET(self) -> None:
        """Tell that the script is served."""
        self._answer(200, [], b"")

    def do_POST(self) -> None:
        """Answer one call."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            parts = read_parts(self.headers.items(), body)
        except MalformedCall as error:
            self._answer(400, [], str(error).encode())
            return
        try:
            integration = self.script.integration()
        except (Exception, SystemExit):
            print_error(traceback.format_exc(limit=-1).strip().splitlines()[-1])
            self._answer(500, [], b'{"error":"Internal server error"}')
            return
        raw = answer(integration, RawCall(parts.event, parts.environment, parts.fetch_body, log))
        if raw.error is not None:
            traceback.print_exception(raw.error)
        body = raw.body if isinstance(raw.body, bytes) else b"".join(raw.body)
        self._answer(raw.status, list(raw.headers), body)
        _finish(raw)

    def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the host reports each event."""


def log(level: str, message: str) -> None:
    """Write a line of the script into the author's terminal."""
    say(f"  {level.ljust(5)} {message}")


def _finish(raw: RawAnswer) -> None:
    """Do what the script left for after its answer."""
    for work in raw.deferred:
        try:
            work()
        except (Exception, SystemExit):
            traceback.print_exc()


def _end_with_starter() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(0)


class Server(ThreadingHTTPServer):
    """Serves at a Unix socket."""

    address_family = socket.AF_UNIX

    def server_bind(self) -> None:
        """Bind alone: such a socket has no name of a host."""
        socketserver.TCPServer.server_bind(self)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept; whoever connects has no address, where handlers read one."""
        return self.socket.accept()[0], ("", 0)


def main(folder: str, file: str, place: str) -> None:
    """Serve a script until the starter is gone."""
    threading.Thread(target=_end_with_starter, daemon=True).start()
    Handler.script = Script(Path(folder), Path(file))
    Server(place, Handler).serve_forever()  # type: ignore[arg-type]  # it takes what its family binds


if __name__ == "__main__":
    main(*sys.argv[1:])
