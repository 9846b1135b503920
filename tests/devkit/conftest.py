"""A person at a shell: a home of their own, and a host they are the admin of."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import HostProcess, Installed, Tenant, installed, tenant
from tests.devkit.dev_process import DevProcess, Ran, copy_sample, devkit

Shell = Callable[..., Ran]
StartDev = Callable[..., DevProcess]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Run a command with a home that is empty at first."""

    def run(*arguments: str, folder: Path | None = None, **environ: str) -> Ran:
        return devkit(tmp_path, *arguments, folder=folder, **environ)

    return run


@pytest.fixture(scope="session")
def alpha(host: HostProcess) -> Tenant:
    """Somebody in one organization, which no test elsewhere changes: commands ask which one where there are more."""
    return tenant(host, "Alpha", "alpha-of-the-toolkit@example.com")


@pytest.fixture(scope="session")
def counter(alpha: Tenant) -> Installed:
    """The counter, installed there."""
    return installed(alpha)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the smallest sample."""
    return copy_sample("counter", tmp_path)


@pytest.fixture(scope="session")
def home(host: HostProcess, alpha: Tenant, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody who has logged in to the host, which is copied: logging in takes a process."""
    folder = tmp_path_factory.mktemp("home")
    assert alpha.api.token is not None
    done = devkit(folder, "login", "--host", host.url + "/", "--token", alpha.api.token)
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def logged_in(shell: Shell, home: Path, tmp_path: Path) -> Shell:
    """A shell that has logged in to the host."""
    shutil.copytree(home, tmp_path, dirs_exist_ok=True)
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
