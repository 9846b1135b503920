"""Which files belong to a project: its folder, or the workspace it is in, and the packages installed above it."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from devkit.files.own_files import MOST_TEXT, text_of
from devkit.terminal.output import Problem

PACKAGES = "node_modules"


def root_of(folder: Path) -> Path:
    """Return the folder all sources of a project are below: that of its workspace, else its own.

    A workspace is a folder above whose `package.json` or `pnpm-workspace.yaml` names the project among its packages;
    never one that holds the author's home.
    """
    folder, home = folder.resolve(), _home()
    for above in folder.parents:
        if home is not None and home.is_relative_to(above):
            break
        if any(_names(pattern, folder.relative_to(above)) for pattern in _workspaces(above)):
            return above
    return folder


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:  # of an account without one, as in some containers
        return None


def places(folder: Path) -> list[Path]:
    """List the folders that files of a bundle may lie in: the root, and where packages are installed.

    A `node_modules` in the project or above it may be a link; it is followed to a folder of that name alone, which
    holds packages and nothing else.
    """
    root = root_of(folder)
    found = [root]
    for above in (folder.resolve(), *folder.resolve().parents):
        installed = above / PACKAGES
        if installed.is_dir() and installed.resolve().name == PACKAGES:
            found += [place for place in (installed, installed.resolve()) if not place.is_relative_to(root)]
    return list(dict.fromkeys(found))


def within(file: Path, folder: Path) -> bool:
    """Return whether a file belongs to a project, wherever links lead to."""
    real = file.resolve()
    return any(real.is_relative_to(place.resolve()) for place in places(folder))


def _workspaces(folder: Path) -> Iterator[str]:
    yield from _texts(_read(folder / "pnpm-workspace.yaml"), "packages")
    package = _read(folder / "package.json")
    declared = package.get("workspaces") if isinstance(package, dict) else None
    yield from _texts(declared, "packages") if isinstance(declared, dict) else _texts(package, "workspaces")


def _texts(document: Any, key: str) -> list[str]:
    listed = document.get(key) if isinstance(document, dict) else None
    return [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []


def _read(file: Path) -> Any:
    """Read JSON or YAML; None for what is no such thing, which then names no packages."""
    try:
        text = text_of(file, MOST_TEXT, "a description of packages")
        return json.loads(text) if file.suffix == ".json" else yaml.safe_load(text)
    except (OSError, ValueError, RecursionError, yaml.YAMLError, Problem):
        return None


def _names(pattern: str, way: Path) -> bool:
    plain = pattern.removeprefix("./").rstrip("/").replace("**", "*")
    return not plain.startswith("!") and fnmatch.fnmatchcase(way.as_posix(), plain)
