"""The host's side of the zygote: start it, order workers, start it again when it died."""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import runtime
from runtime.engines import sandbox, seccomp
from runtime.engines.own_folders import Folders
from runtime.engines.process_start import on_any_processor
from runtime.engines.python_process.child.orders import ORDER, TAKEN, UP
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable

PACKAGES = (
    "requests", "urllib3", "idna", "certifi", "charset-normalizer", "pyjwt", "cryptography", "cffi", "pycparser",
)  # fmt: skip
TMP_BYTES = 32 * 1024 * 1024
_CERTIFICATES = f"{sandbox.PACKAGES}/certifi/cacert.pem"
_START_SECONDS = 20.0
_PROGRAM = (
    "import sys; sys.path[:] = {path!r}; from runtime.engines.python_process.child.main import main; main({descriptor})"
)
_SHOWN = (
    "__init__.py",
    "sdk",
    "engines/__init__.py",
    "engines/frames.py",
    "engines/python_process/__init__.py",
    "engines/python_process/child",
)


class Zygote:
    """One zygote process; safe to use from many threads."""

    def __init__(self, mode: SandboxMode, certificates: str) -> None:
        """Take the certificates scripts shall trust, as PEM."""
        self._mode = mode
        self._certificates = certificates
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._folders: Folders | None = None
        self._closed = False

    def start(self) -> None:
        """Start the process unless it runs; raises `SandboxUnavailable`."""
        with self._lock:
            self._running()

    def spawn(self) -> socket.socket:
        """Order a new worker and return this side of its connection; raises `SandboxUnavailable`."""
        mine, its = socket.socketpair()
        try:
            if self._mode == "required" and sys.platform == "linux":
                # The first frame must carry the sender's process id, stamped by the kernel.
                mine.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with self._lock:
                try:
                    self._send_order(its)
                except OSError:
                    self._stop()
                    self._order(its)
        except BaseException:
            mine.close()
            raise
        finally:
            its.close()
        return mine

    def _order(self, its: socket.socket) -> None:
        try:
            self._send_order(its)
        except OSError as error:
            raise SandboxUnavailable(f"no process can be requested: {error}") from error

    def _send_order(self, its: socket.socket) -> None:
        control = self._running()
        socket.send_fds(control, [ORDER], [its.fileno()])
        # Not every system outside the sandbox's keeps a descriptor under way that its sender has closed.
        if self._mode == "off" and control.recv(1) != TAKEN:
            raise ConnectionResetError("the process that starts workers has ended")

    def alive(self) -> bool:
        """Return whether the process runs."""
        process = self._process
        return process is not None and process.poll() is None

    @property
    def pid(self) -> int | None:
        """The process id of bubblewrap, or of the zygote itself without a sandbox."""
        return self._process.pid if self._process else None

    def close(self) -> None:
        """End the process and, in a sandbox, every worker with it."""
        with self._lock:
            self._closed = True
            self._stop()

    def _running(self) -> socket.socket:
        if self._closed:
            raise SandboxUnavailable("the engine is closed")
        if self._control is None or self._process is None or self._process.poll() is not None:
            self._stop()
            self._start()
        assert self._control is not None
        return self._control

    def _start(self) -> None:
        mine, its = socket.socketpair()
        confined = self._mode == "required"
        self._control = mine
        try:
            command, environment = self._command(its.fileno(), confined)
            with on_any_processor():
                self._process = subprocess.Popen(
                    command,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    pass_fds=[its.fileno()],
                    start_new_session=True,
                )
        except (OSError, LookupError) as error:
            raise SandboxUnavailable(sandbox.explain(str(error))) from error
        finally:
            its.close()
        settings = {
            "confined": confined,
            "user": sandbox.own_user() if confined and sandbox.started_by_root() else None,
            "filter": base64.b64encode(seccomp.build_filter() if confined else b"").decode(),
            "tmp_bytes": TMP_BYTES,
        }
        mine.settimeout(_START_SECONDS)
        try:
            mine.sendall(json.dumps(settings).encode() + b"\n")
            answer = mine.recv(1)
        except OSError:
            answer = b""
        if answer != UP:
            self._fail()

    def _fail(self) -> None:
        process = self._process
        assert process is not None
        process.kill()
        output = process.communicate()[1].decode("utf-8", "replace")
        self._stop()
        if self._mode == "off":
            raise SandboxUnavailable(f"Python cannot be started for scripts: {sandbox.last_words(output)}")
        raise SandboxUnavailable(sandbox.explain(output))

    def _command(self, descriptor: int, confined: bool) -> tuple[list[str], dict[str, str]]:
        package = Path(runtime.__file__).parent
        self._folders = Folders("integration-python-")
        scratch = self._folders.new()
        trusted = scratch / "certificates.pem"
        trusted.write_text(self._certificates, encoding="utf-8")
        trusted.chmod(0o644)
        environment = {"LANG": "C.UTF-8", "PATH": "/nonexistent", "TZ": "UTC"}
        if sys.platform == "darwin":  # which else ends forks of a process that has used its frameworks
            environment["OBJC_DISABLE_INITIALIZE_FORK_SAFETY"] = "YES"
        if confined:
            view, path = sandbox.interpreter_view(PACKAGES)
            for shown in _SHOWN:
                view.mounts[f"{sandbox.APPLICATION}/runtime/{shown}"] = str(package / shown)
            # In the place where every library looks for them.
            view.mounts[_CERTIFICATES] = str(trusted)
            environment |= {"HOME": "/tmp", "TMPDIR": "/tmp", "SSL_CERT_FILE": _CERTIFICATES}
            program = [sandbox.interpreter(), *_FLAGS, _PROGRAM.format(path=path, descriptor=descriptor)]
            return sandbox.bubblewrap_command(view, program, environment), {}
        environment |= {"HOME": str(scratch), "TMPDIR": str(scratch)}
        environment |= dict.fromkeys(("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"), str(trusted))
        path = [str(package.parent), *_host_path()]
        return [sandbox.interpreter(), *_FLAGS, _PROGRAM.format(path=path, descriptor=descriptor)], environment

    def _stop(self) -> None:
        """Let the process see the end of its control socket, and wait for it."""
        control, self._control = self._control, None
        process, self._process = self._process, None
        folders, self._folders = self._folders, None
        if control is not None:
            control.close()
        if process is not None:
            try:
                process.wait(2.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stderr is not None:
                process.stderr.close()
        if folders is not None:
            folders.close()


_FLAGS = ("-I", "-S", "-B", "-c")


def _host_path() -> list[str]:
    """Return where the standard library and the packages of this process are."""
    return [entry for entry in sys.path if entry and os.path.exists(entry)]  # noqa: PTH110
