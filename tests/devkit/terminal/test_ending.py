"""Interrupted commands: at any moment nothing is left behind, and the terminal is as it was."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.conftest import free_port
from tests.devkit.dev_process import PATIENCE, environment, processes_of

ENDINGS = {signal.SIGINT: {0, 130, -signal.SIGINT}, signal.SIGTERM: {0, 143, -signal.SIGTERM}}
"""Signal -> how a command may end: in order, by it, or by it before there was anything to put in order."""
MOMENTS = (0.5, 0.7, 0.9, 1.1, 1.4, 1.8, 2.2, 2.6)
"""Seconds after the start of `devkit dev`: while its host starts, its files are read, it is ready.

No sooner: before Python itself has started, nobody can put anything in order.
"""


class Typed:
    """A command in a terminal of its own, with a folder of its own for temporary files."""

    def __init__(self, home: Path, folder: Path, *arguments: str) -> None:
        self.passing = home / "passing"
        self.passing.mkdir(exist_ok=True)
        self._master, self._terminal = pty.openpty()
        self._before = termios.tcgetattr(self._terminal)
        self.shown = b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "devkit", *arguments],
            env=environment(home, TMPDIR=str(self.passing), PYTHONDONTWRITEBYTECODE="1"),
            cwd=folder,
            stdin=self._terminal,
            stdout=self._terminal,
            stderr=self._terminal,
            start_new_session=True,
        )

    def look(self, seconds: float, until: bytes | None = None) -> None:
        """Take what it writes, for a while, until it ends, or until it has written something."""
        deadline = time.monotonic() + seconds
        while (
            time.monotonic() < deadline and self.process.poll() is None and (until is None or until not in self.shown)
        ):
            if select.select([self._master], [], [], 0.02)[0]:
                self.shown += os.read(self._master, 65536)

    def end(self, number: signal.Signals) -> int:
        """Send a signal, and give the exit code."""
        self.process.send_signal(number)
        self.look(PATIENCE)
        while select.select([self._master], [], [], 0.05)[0]:
            self.shown += os.read(self._master, 65536)
        try:
            return self.process.wait(timeout=1)
        finally:
            self.same = termios.tcgetattr(self._terminal) == self._before
            os.close(self._master)
            os.close(self._terminal)


def check_traces(typed: Typed, code: int, number: signal.Signals, folder: Path) -> None:
    """Fail where something of a command is left, or was shown that nobody can use."""
    output = typed.shown.decode(errors="replace")
    assert code in ENDINGS[number], output
    assert "Traceback" not in output and 'File "' not in output
    assert typed.same
    assert output.count("\x1b[?25l") <= output.count("\x1b[?25h")
    assert list(typed.passing.iterdir()) == []
    assert not (folder / ".devkit" / "running.json").exists()
    assert processes_of(str(folder)) == []


@pytest.mark.parametrize("number", ENDINGS)
def test_dev_may_be_interrupted_at_any_moment(number: signal.Signals, project: Path, tmp_path: Path) -> None:
    for moment in MOMENTS:
        typed = Typed(tmp_path, project, "dev", str(project), "--no-open", "--port", str(free_port()))
        typed.look(moment)
        check_traces(typed, typed.end(number), number, project)


@pytest.mark.parametrize("number", ENDINGS)
def test_dev_may_be_interrupted_while_it_reloads(number: signal.Signals, project: Path, tmp_path: Path) -> None:
    typed = Typed(tmp_path, project, "dev", str(project), "--no-open", "--port", str(free_port()))
    typed.look(PATIENCE, b"Preview of counter")
    with (project / "integration.py").open("a") as script:
        script.write("\nchanged = True\n")
    check_traces(typed, typed.end(number), number, project)


@pytest.mark.parametrize("number", ENDINGS)
@pytest.mark.parametrize("arguments", [("check",), ("render", "counter")])
def test_a_script_that_never_ends_may_be_interrupted(
    arguments: tuple[str, ...], number: signal.Signals, project: Path, tmp_path: Path
) -> None:
    with (project / "integration.py").open("a") as script:
        script.write("\nwhile True:\n    pass\n")
    typed = Typed(tmp_path, project, *arguments)
    typed.look(2.0)
    assert typed.process.poll() is None
    check_traces(typed, typed.end(number), number, project)


def test_a_question_for_a_secret_gives_the_terminal_back(project: Path, tmp_path: Path) -> None:
    for number in ENDINGS:
        typed = Typed(tmp_path, project, "secrets", "--set", "API_KEY")
        typed.look(PATIENCE, b"not shown")
        code = typed.end(number)
        assert code == 128 + number
        check_traces(typed, code, number, project)
        assert not (project / ".env").exists()


FINALIZED = """
import signal, sys, time, weakref
from devkit.terminal import ending

class Thing:
    pass

ending.in_order()
thing = Thing()
watch = weakref.ref(thing, lambda _: (signal.raise_signal(int(sys.argv[1])), time.sleep(0.01)))
try:
    del thing
    time.sleep(30)
except KeyboardInterrupt as error:
    sys.exit(ending.exit_code(error))
"""


@pytest.mark.parametrize("number", ENDINGS)
def test_an_interrupt_that_comes_into_a_finalizer_is_not_lost(number: signal.Signals) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FINALIZED, str(int(number))], capture_output=True, text=True, timeout=20
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "")


SET_BY_SIGNALS = """
import signal
from devkit.terminal.ending import InterruptEvent

event, count = InterruptEvent(), 0

def handler(*_):
    global count
    count += 1
    event.set()

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
while count < 5000:
    event.wait(0.0001)
    event.clear()
signal.setitimer(signal.ITIMER_REAL, 0)
event.set()
assert event.is_set() and event.wait() and event.wait(0)
print("ended")
"""


def test_an_event_may_be_set_whatever_its_handler_interrupts() -> None:
    done = subprocess.run([sys.executable, "-c", SET_BY_SIGNALS], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr


def test_dev_may_be_interrupted_more_than_once(project: Path, tmp_path: Path) -> None:
    typed = Typed(tmp_path, project, "dev", str(project), "--no-open", "--port", str(free_port()))
    typed.look(PATIENCE, b"Preview of counter")
    for _ in range(20):
        typed.process.send_signal(signal.SIGTERM)
        typed.process.send_signal(signal.SIGINT)
    check_traces(typed, typed.end(signal.SIGTERM), signal.SIGTERM, project)
