"""Functions that run apart: what they give back, what stops them, and what they do not see."""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path

import pytest

from runtime.engines import sandbox
from runtime.engines.separate_process.answers import Refused
from runtime.engines.separate_process.runner import SeparateProcessFailed, SeparateProcessRunner, open_made

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import functions_run_separately as functions  # noqa: E402

MOUNTS = {f"{sandbox.APPLICATION}/functions_run_separately.py": str(HERE / "functions_run_separately.py")}
MEMORY = 512 * 1024 * 1024


@pytest.fixture(params=["required", "off"])
def runner(request: pytest.FixtureRequest) -> SeparateProcessRunner:
    return SeparateProcessRunner(request.param)


def run(runner: SeparateProcessRunner, function, folder: Path, arguments=None, **options):
    options = {"memory": MEMORY, "seconds": 20.0, "mounts": MOUNTS} | options
    return runner.run(function, folder, arguments, **options)


def test_a_function_reads_and_writes_its_folder_and_answers(runner: SeparateProcessRunner, tmp_path: Path) -> None:
    (tmp_path / "given.txt").write_text("ünlike")
    answer = run(runner, functions.double, tmp_path, {"number": 21})
    assert answer == {"given": "ünlike", "double": 42}
    with open_made(tmp_path, "made.txt") as made:
        assert made.read() == b"made"


def test_a_refusal_travels(runner: SeparateProcessRunner, tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        run(runner, functions.refuse, tmp_path)
    assert (caught.value.code, caught.value.message) == ("too-odd", "This file is too odd.")


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (functions.grow, "memory"),
        (functions.dive, "memory"),
        (functions.spin, "time"),
        (functions.sleep, "time"),
        (functions.end, "crashed"),
        (functions.write_much, "crashed"),
    ],
)
def test_what_never_ends_well_is_stopped(runner: SeparateProcessRunner, tmp_path: Path, function, reason: str) -> None:
    seconds = 2.0 if reason == "time" else 20.0
    with pytest.raises(SeparateProcessFailed) as caught:
        run(runner, function, tmp_path, seconds=seconds, file_bytes=1_000_000)
    assert caught.value.reason == reason


LIES = [
    "link", "pipe", "folder", "", "[]", "{}", "{", "[" * 1_000_000, '{"refused": 1}', '{"refused": ["a", 1]}',
    '{"refused": ["a"]}', '{"failed": ["x"]}', '{"failed": "x"}',
]  # fmt: skip


@pytest.mark.parametrize("lie", LIES, ids=range(len(LIES)))
def test_what_is_no_answer_is_a_crash(runner: SeparateProcessRunner, tmp_path: Path, lie: str) -> None:
    for _ in range(2):
        with pytest.raises(SeparateProcessFailed) as caught:
            run(runner, functions.answer_with, tmp_path, lie)
        assert caught.value.reason == "crashed"


def test_whoever_waits_can_stop_it(runner: SeparateProcessRunner, tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    until = time.monotonic() + 0.5

    def check() -> None:
        if time.monotonic() > until:
            raise Enough

    with pytest.raises(Enough):
        run(runner, functions.sleep, tmp_path, check=check)


def test_a_link_in_the_folder_leads_nowhere(runner: SeparateProcessRunner, tmp_path: Path) -> None:
    assert run(runner, functions.link_out, tmp_path)
    with pytest.raises(OSError, match="out"):
        open_made(tmp_path, "out")


def test_a_confined_function_sees_nothing_of_the_machine(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path_factory.mktemp("elsewhere") / "secret"
    secret.write_text("secret")
    monkeypatch.setenv("DEVKIT_SECRET_KEY", "a key of the host")
    listener = socket.create_server(("127.0.0.1", 0))
    files = [str(secret), "/etc/passwd", "/proc/1/environ", str(Path(__file__).resolve())]
    arguments = {"files": files, "port": listener.getsockname()[1]}
    seen = run(SeparateProcessRunner("required"), functions.look_around, tmp_path, arguments)
    listener.close()
    environment = seen.pop("environment")
    assert seen == {**dict.fromkeys(files, "FileNotFoundError"), "network": False, "writes": False}
    assert not [name for name in environment if name.startswith("DEVKIT")]


def test_how_far_a_function_is_is_heard(runner: SeparateProcessRunner, tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    assert run(runner, functions.tell, tmp_path, heard=lambda done, total: heard.append((done, total)))
    assert len(heard) > 1 and heard == sorted({*heard}) and {total for _, total in heard} == {4}


def test_what_is_no_progress_is_not_heard(runner: SeparateProcessRunner, tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    said = ["-1 2", "1", "9" * 1000, "1 2 3", "link", "x y", ""]
    assert run(runner, functions.tell_lies, tmp_path, {"said": said}, heard=lambda *told: heard.append(told))
    assert heard == []


def test_who_hears_may_stop_it(runner: SeparateProcessRunner, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        run(runner, functions.tell, tmp_path, heard=stop)


def test_what_computes_apart_lets_others_go_first(runner: SeparateProcessRunner, tmp_path: Path) -> None:
    assert run(runner, functions.tell_niceness, tmp_path) == max(10, os.nice(0))
