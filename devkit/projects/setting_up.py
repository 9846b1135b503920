"""Prepares a new project: npm installs its packages, Git makes it a repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from devkit.terminal.output import confirm, one_line, warn

NO_NPM = (
    "npm is not installed: install Node.js, which includes it (https://nodejs.org), and run `npm install` in {folder}"
)
NO_GIT = "Git is not installed: install it (https://git-scm.com), and run `git init` in {folder}"


def wants(given: bool | None, question: str, *, asks: bool) -> bool:
    """Return what an option says, else what a person answers; nothing happens where nobody can be asked."""
    if given is not None or not asks:
        return bool(given)
    return confirm(question, default=True, err=True)


def install_packages(folder: Path, given: bool | None, *, asks: bool) -> bool:
    """Let npm install the packages of a project, if that is wanted; tells whether they are there."""
    if shutil.which("npm") is None:
        if given or (given is None and asks):
            warn(NO_NPM.format(folder=folder))
        return False
    return wants(given, "Install its packages with npm?", asks=asks) and _run(("npm", "install"), folder)


def make_repository(folder: Path, given: bool | None, *, asks: bool) -> bool:
    """Make a project a Git repository without a commit, if that is wanted; tells whether it is in one."""
    if _is_in_repository(folder):
        return True
    if shutil.which("git") is None:
        if given or (given is None and asks):
            warn(NO_GIT.format(folder=folder))
        return False
    return wants(given, "Make it a Git repository?", asks=asks) and _run(("git", "init", "--quiet"), folder)


def _is_in_repository(folder: Path) -> bool:
    return any((place / ".git").exists() for place in (folder, *folder.parents))


def _run(command: Sequence[str], folder: Path) -> bool:
    """Run a program, whose output is no result of ours, and warn if it fails; tells whether it did what it should."""
    shown = " ".join(command)
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)
    except OSError as error:
        warn(one_line(f"`{shown}` cannot be run: {error.strerror or error}"))
        return False
    if done.returncode:
        warn(f"`{shown}` failed with exit code {done.returncode}; run it again in {folder}")
    return done.returncode == 0
