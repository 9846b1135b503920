"""A person at a shell: a home of their own, and a host they are the admin of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import HostProcess, Tenant
from tests.devkit.dev_process import DevProcess, Ran, copy_sample, devkit

Shell = Callable[..., Ran]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Run a command with a home that is empty at first."""

    def run(*arguments: str, folder: Path | None = None, **environ: str) -> Ran:
        return devkit(tmp_path, *arguments, folder=folder, **environ)

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the smallest sample."""
    return copy_sample("counter", tmp_path)


@pytest.fixture
def logged_in(shell: Shell, host: HostProcess, alpha: Tenant) -> Shell:
    """A shell that has logged in to the host."""
    assert alpha.api.token is not None
    done = shell("login", "--host", host.url + "/", "--token", alpha.api.token)
    assert done.code == 0, done.err
    return shell


@pytest.fixture
def start_dev(tmp_path: Path) -> Iterator[Callable[..., DevProcess]]:
    """Start `devkit dev`; whatever still runs at the end is stopped."""
    running: list[DevProcess] = []

    def start(folder: Path, *options: str, host: str | None = None) -> DevProcess:
        running.append(DevProcess(folder, tmp_path, *options, host=host))
        return running[-1]

    yield start
    for process in running:
        process.end()
