"""The README's walk from an empty folder to another host, done as it says: its files, its commands, its page."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.conftest import free_port, wait_for
from tests.devkit.dev_process import Ran, environment

README = Path(__file__).parents[2] / "README.md"
SECTION = "## From an empty folder to another host"
NAMED = {"yaml": ["integration.yaml"], "python": ["integration.py", "test_integration.py"]}
TOKEN = re.compile(r"dk_[\w-]+")


def section() -> str:
    text = README.read_text(encoding="utf-8")
    return text[text.index(SECTION) :].split("\n## ")[0]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", section(), re.DOTALL)


def commands() -> list[str]:
    """Every command line of the walk, in order."""
    return [line for block in blocks("sh") for line in block.splitlines() if line.strip()]


class Walk:
    """A terminal in which the walk is done; what runs on is stopped in the end."""

    def __init__(self, home: Path) -> None:
        self.home, self.folder = home, home
        self.port, self.dev_port = free_port(), free_port()
        self.token = ""
        self.running: list[subprocess.Popen[str]] = []
        self.shown: dict[int, list[str]] = {}

    def _words(self, line: str) -> list[str]:
        line = line.replace("http://127.0.0.1:8080", f"http://127.0.0.1:{self.port}").replace("dk_...", self.token)
        words = shlex.split(line, comments=True)
        assert words[0] == "devkit"
        return [sys.executable, "-m", *words]

    def type(self, line: str, typed: str | None = None) -> Ran:
        """Run one command to its end, with what is typed, or piped into it."""
        if line.startswith("echo ") and "|" in line:
            echo, line = line.split("|", 1)
            typed = shlex.split(echo)[1] + "\n"
        done = subprocess.run(
            self._words(line.strip()),
            env=environment(self.home),
            cwd=self.folder,
            input=typed,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def start(self, line: str, *more: str) -> subprocess.Popen[str]:
        """Start a command that runs until it is stopped."""
        process = subprocess.Popen(
            [*self._words(line), *more],
            env=environment(self.home),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.running.append(process)
        lines = self.shown[process.pid] = []
        assert process.stdout is not None
        threading.Thread(target=self._read, args=(process.stdout, lines), daemon=True).start()
        return process

    @staticmethod
    def _read(stream: IO[str], lines: list[str]) -> None:
        for line in stream:
            lines.append(line)

    def shows(self, process: subprocess.Popen[str], text: str) -> str:
        """Wait until a running command shows a line with a text."""

        def found() -> str | None:
            return next((line for line in list(self.shown[process.pid]) if text in line), None)

        try:
            line: str = wait_for(found, 60)
        except AssertionError as error:
            raise AssertionError(f"no {text!r} in {self.shown[process.pid]}, exit code {process.poll()}") from error
        return line

    def stop(self, process: subprocess.Popen[str]) -> int:
        process.send_signal(signal.SIGINT)
        return process.wait(timeout=60)

    def close(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.terminate()
                process.wait(timeout=60)
            if process.stdout is not None:
                process.stdout.close()


@pytest.fixture
def walk(tmp_path: Path) -> Iterator[Walk]:
    walk_ = Walk(tmp_path)
    yield walk_
    walk_.close()


def test_the_walk_of_the_readme(walk: Walk, page: Any) -> None:
    """It is done by somebody who is logged in elsewhere, at a host that is gone, and who ends nothing in between."""
    old = walk.home / ".config" / "devkit" / "credentials.json"
    old.parent.mkdir(parents=True)
    old.write_text(json.dumps({"host": f"http://127.0.0.1:{free_port()}", "token": "dk_old"}))
    left = iter(commands())

    def following(start: str) -> str:
        line = next(left)
        assert line.startswith(start), f"the README goes on with `{line}`, this test with `{start}`"
        return line

    assert walk.type(following("devkit new")).code == 0
    walk.folder = walk.home / shlex.split(following("cd "))[1]
    for language, files in NAMED.items():
        for file, text in zip(files, blocks(language), strict=True):
            (walk.folder / file).write_text(text, encoding="utf-8")
    for start, expected in (
        ("echo s3cret", "only you can read"),
        ("devkit check", "no problem found"),
        ("devkit test", "2 passed"),
    ):
        done = walk.type(following(start))
        assert (done.code, expected in done.out) == (0, True), done

    dev = walk.start(following("devkit dev"), "--no-open", "--port", str(walk.dev_port))
    url = re.search(r"http\S+#key=\S+", walk.shows(dev, "Preview of on-call"))
    assert url is not None
    page.goto(url[0])
    page.get_by_text("On call: Ada Lovelace").wait_for()
    page.get_by_role("combobox", name="Next").fill("gra")
    page.get_by_role("option", name="Grace Hopper").click()
    page.get_by_role("button", name="Hand over").click()
    page.get_by_role("dialog").get_by_text("Shall Grace Hopper").wait_for()
    page.get_by_role("button", name="Yes").click()
    page.get_by_text("On call: Grace Hopper").wait_for()
    source = walk.folder / "integration.py"
    source.write_text(source.read_text().replace("On call: {", "Now on call: {"))
    page.get_by_text("Now on call: Grace Hopper").wait_for()

    echo = following("echo ")
    (walk.folder / "page.json").write_text(shlex.split(echo)[1])
    assert "-> 200" in walk.type(following("devkit trigger fetch")).out
    assert "paged: the build is broken" in walk.type(following("devkit logs --type fetch")).out
    assert "answered 200" in walk.type(following("devkit replay --last")).out

    match = TOKEN.search(walk.type(following("devkit init")).out)
    assert match is not None
    walk.token = match[0]
    host = walk.start(following("devkit serve"), "--port", str(walk.port))
    walk.shows(host, "listening on")
    assert walk.type(following("devkit login") + " --stdin", typed=walk.token).code == 0
    assert "Published on-call version 1" in walk.type(following("devkit publish")).out
    assert walk.type(following("devkit install")).code == 0
    assert "On call" in walk.type(following("devkit versions")).out
    logs = walk.start(following("devkit logs on-call --follow"))
    assert next(left, None) is None
    sent = f"devkit trigger fetch --path /page --body page.json --sign github --secret s3cret --host http://127.0.0.1:{walk.port}"
    assert "-> 200" in walk.type(sent).out
    walk.shows(logs, "paged: the build is broken")
    remote = re.search(r"`(devkit dev --host \S+)`", section())
    assert remote is not None
    here = walk.start(remote[1])
    walk.shows(here, "are answered here")
    assert "-> 200" in walk.type(sent).out
    walk.shows(here, "paged: the build is broken")
    assert walk.stop(here) == 0
    assert walk.stop(logs) == 0
    assert walk.stop(dev) == 0
