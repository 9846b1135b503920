"""Files of a project are not larger than they may be, and none outside it is shown."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devkit.build import bundle
from devkit.build.source_positions import source_line
from devkit.files import own_files
from devkit.manifests import reading
from devkit.projects import environments, names
from devkit.terminal.output import Problem


@pytest.fixture
def whole_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse to read a file without a bound: a repository has gigabytes of zeros for a few kilobytes."""

    def refused(*_: Any, **__: Any) -> None:
        raise AssertionError("a file of the project was read whole")

    monkeypatch.setattr(Path, "read_text", refused)
    monkeypatch.setattr(Path, "read_bytes", refused)


def zeros(file: Path) -> Path:
    with file.open("wb") as opened:
        opened.truncate(3 << 30)
    return file


@pytest.mark.usefixtures("whole_reads")
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("integration.yaml", reading.read),
        (".env", lambda file: environments.variables(file.parent, None)),
        ("module.py", lambda file: bundle._zipped(file.parent, [file])),
    ],
)
def test_what_is_far_too_large_is_not_read(name: str, read: Callable[[Path], Any], tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"has 3,221,225,472 bytes; .* has at most"):
        read(zeros(tmp_path / name))


@pytest.mark.usefixtures("whole_reads")
def test_a_name_is_not_sought_in_what_is_too_large(tmp_path: Path) -> None:
    zeros(tmp_path / "integration.yaml")
    assert names.guess_name(str(tmp_path)) is None


@pytest.mark.parametrize("content", ["one\ntwo\n", "one\r\ntwo\r\n", "one\rtwo\r"])
def test_line_ends_are_read_as_python_reads_them(content: str, tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_bytes(content.encode())
    assert own_files.text_of(file, 100, "a text") == file.read_text() == "one\ntwo\n"


def test_a_line_of_a_file_outside_the_project_is_not_shown(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "credentials").write_text("[default]\nsecret = 1\n")
    (folder / "script.js").write_text("one\ntwo\n")
    (folder / "link.js").symlink_to(tmp_path / "credentials")
    assert source_line(folder, folder / "script.js", 2) == "two"
    for file in (folder / "../credentials", tmp_path / "credentials", folder / "link.js"):
        assert source_line(folder, file, 2) is None


def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "integration.py").write_text("")
    assert bundle.modules(tmp_path / "integration.py") == [tmp_path / "integration.py"]
    with pytest.raises(Problem, match="not a regular file"):
        own_files.text_of(tmp_path / "pipe.py", 100, "a text")
