"""Every template in Python as an author gets it: made by `devkit new`, tested, checked, alive under `devkit dev`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from devkit.commands.new import TEMPLATES
from tests.devkit.dev_process import DevProcess, devkit
from tests.templates.probes import PROBES, Author


@pytest.fixture(params=TEMPLATES)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A template's name, and a fresh project of it."""
    template: str = request.param
    done = devkit(tmp_path, "new", "my-try", "--template", template)
    assert done.code == 0, done.err
    return template, tmp_path / "my-try"


@pytest.fixture
def started(project: tuple[str, Path], tmp_path: Path) -> Iterator[Author]:
    process = DevProcess(project[1], tmp_path)
    try:
        yield Author(project[1], process)
    finally:
        process.end()


def test_every_template_is_tried() -> None:
    assert list(PROBES) == list(TEMPLATES)


def test_its_own_test_passes_and_the_check_finds_nothing(project: tuple[str, Path], tmp_path: Path) -> None:
    _, folder = project
    done = devkit(tmp_path, "test", folder=folder)
    assert done.code == 0, done.out + done.err
    checked = devkit(tmp_path, "check", "--json", folder=folder)
    assert (checked.code, checked.json["findings"], checked.json["warnings"]) == (0, [], []), checked.out


def test_it_runs_under_dev_at_once(project: tuple[str, Path], started: Author) -> None:
    PROBES[project[0]](started)
    assert urlsplit(started.host).port == started.process.port
    assert [line for line in started.process.messages if line["type"] in ("fault", "warning")] == []
    assert started.process.errors == []
