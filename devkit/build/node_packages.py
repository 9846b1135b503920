"""Packages of npm that a project has installed, and the programs in them that run without Node."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from pathlib import Path

PROCESSORS = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def installed(folder: Path, *names: Path | str) -> Iterator[Path]:
    """Yield where packages of these paths below `node_modules` are, from a folder upward, links followed."""
    for above in (folder, *folder.parents):
        for name in names:
            package = above / "node_modules" / name
            if package.is_dir():
                yield package.resolve()


def this_machine() -> str:
    """Name this machine as packages with programs for one do, such as "linux-x64"."""
    processor = platform.machine().lower()
    return f"{sys.platform}-{PROCESSORS.get(processor, processor)}"


def program(package: Path, path: Path) -> Path | None:
    """Find a program in another package that a package needs; None where it is not installed.

    Package managers that link packages keep what a package needs beside the place the link leads to.
    """
    return next((file for file in (package / "node_modules" / path, package.parent / path) if file.is_file()), None)
