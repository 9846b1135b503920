"""The command line as other programs run it: one command to its end, or `devkit dev` for as long as a test needs it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import preloaded
from tests.conftest import free_port

SAMPLES = Path(__file__).parents[2] / "sample_integrations"
PATIENCE = 60.0


def copy_sample(name: str, to: Path) -> Path:
    """Copy a sample to a place of its own, without what an earlier run left beside it."""
    folder = to / name
    left = shutil.ignore_patterns(".devkit", "__pycache__", "test_*.py", "node_modules")
    shutil.copytree(SAMPLES / name, folder, ignore=left)
    if (SAMPLES / name / "node_modules").is_dir():
        (folder / "node_modules").symlink_to(SAMPLES / name / "node_modules")
    return folder


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a person whose home is `home`, who has not logged in anywhere."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("DEVKIT_")}
    return known | {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")} | more


@dataclass
class Ran:
    """How a command ended and what it wrote; `spoke_to` is the line that says to which host, and not in `err`."""

    code: int
    out: str
    err: str
    spoke_to: str = ""

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def devkit(home: Path, *arguments: str, folder: Path | None = None, **environ: str) -> Ran:
    """Run a command to its end."""
    environ = environment(home, **environ)
    code, out, errors = preloaded.run(list(arguments), environ, folder or home, PATIENCE)
    lines = errors.splitlines(keepends=True)
    told = [line for line in lines if line.startswith("host: ")]
    return Ran(code, out, "".join(line for line in lines if line not in told), "".join(told))


class DevProcess:
    """`devkit dev` on a project; `messages` is all that it has written to its output so far."""

    def __init__(
        self,
        folder: Path,
        home: Path,
        *options: str,
        host: str | None = None,
        shared: bool = False,
        environ: dict[str, str] | None = None,
    ) -> None:
        """Start it; `shared`: with one origin for whatever scripts answer."""
        self.folder, self.home, self.port = folder, home, free_port()
        more = {"DEVKIT_CONTENT_URL": f"http://localhost:{self.port}"} if shared else {}
        self.messages: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self._more = threading.Condition()
        command = ["dev", str(folder), "--no-open", "--json"]
        command += ["--port", str(self.port)] if host is None else ["--host", host]
        (output, written), (errors, complained) = os.pipe(), os.pipe()
        with os.fdopen(written, "wb") as its_output, os.fdopen(complained, "wb") as its_errors:
            known = environment(home, **more, **(environ or {}))
            self.process = preloaded.start([*command, *options], known, its_output, its_errors)
        self._readers = [
            threading.Thread(target=self._read, args=(output, self._take)),
            threading.Thread(target=self._read, args=(errors, self.errors.append)),
        ]
        for reader in self._readers:
            reader.start()

    @property
    def url(self) -> str:
        """The address of the preview, once it is known."""
        return str(self.wait("ready")["url"])

    def wait(self, kind: str, after: int = 0, **fields: Any) -> dict[str, Any]:
        """Wait for a line of this type with these fields, beyond the first `after` lines; gives it."""
        deadline = time.monotonic() + PATIENCE
        with self._more:
            while True:
                for line in self.messages[after:]:
                    if line["type"] == kind and all(line.get(key) == value for key, value in fields.items()):
                        return line
                left = deadline - time.monotonic()
                assert left > 0, f"no {kind} {fields} in {self.messages} {self.errors}"
                code = self.process.poll()
                assert code is None, f"ended with {code}: {self.messages} {self.errors}"
                self._more.wait(min(left, 0.5))

    def edit(self, file: str, *changes: tuple[str, str]) -> None:
        """Change texts of a file and save it."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text, f"{old!r} is not in {file}"
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and give the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout=PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
            assert not reader.is_alive(), "a process that it started still has its output"
        return code

    def _read(self, pipe: int, take: Callable[[str], None]) -> None:
        with os.fdopen(pipe, encoding="utf-8") as lines:
            for line in lines:
                take(line)

    def _take(self, line: str) -> None:
        with self._more:
            self.messages.append(json.loads(line))
            self._more.notify_all()


def processes_of(text: str) -> list[str]:
    """List the command lines of all processes that hold a text."""
    return list(commands_of(text).values())


def commands_of(text: str) -> dict[int, str]:
    """Give the ids of all processes whose command line holds a text, with the line."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\x00", b" ").decode(errors="replace")
            except OSError:  # it has just ended
                continue
            if text in line and "pytest" not in line.split(text)[0]:
                found[int(entry.name)] = line
    return found
