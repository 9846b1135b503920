"""Paths in a folder: relative to it, separated by `/`, and never leading out of it."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

README = re.compile(r"(?:readme|index)\.(?:md|markdown)", re.IGNORECASE)
MARKDOWN = re.compile(r"\.(?:md|markdown)$", re.IGNORECASE)
ASSETS = ".gitbook/assets"
INCLUDES = ".gitbook/includes"
VARIABLES = ".gitbook/vars.yaml"
CONFIGURATION = ".gitbook.yaml"
MAX_NAME = 240
"""Bytes of one part of a path; file systems take 255."""
MAX_PATH = 900
SLUG = re.compile(r"[^/?#%\s\\]{1,120}")
"""The longest slug that the API takes, with the number that tells equal ones apart."""
_QUOTED = re.compile(r"[%#?&:\s<>\"'\\|`{}()\[\]\x00-\x1f\x7f-\x9f]")


def _below(path: str, root: str) -> str:
    return path.removeprefix(f"{root}/") if root else path


def usable(name: str) -> bool:
    """Return whether a path part is a valid file name on every system and not reserved by Git."""
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        return False
    plain = name not in ("", ".", "..") and not any(ord(sign) < 32 or sign in "/\\\x7f" for sign in name)
    return plain and length <= MAX_NAME and not name.lower().startswith(".git") and not name.lower().startswith("git~")


def resolved(path: str, folder: str = "") -> str | None:
    """Resolve `.` and `..` in a path relative to a folder; None if it leads out of the folder or is invalid."""
    if "\x00" in path or "\\" in path:
        return None
    whole = posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
    if whole == ".":
        return ""
    return None if whole.startswith(("../", "/")) or whole == ".." else whole


def quoted(path: str) -> str:
    """Escape a path for use as a link target."""
    return _QUOTED.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), path)


def unquoted(target: str) -> str:
    """Unescape a path from a link target."""
    return unquote(target, errors="replace")


def slug_in(path: str, root: str = "") -> str | None:
    """Return the slug a page gets from its file name, or from its folder's name if it is that folder's README.

    The name of `root`, the folder where the content begins, never becomes a slug.
    """
    folder, name = posixpath.split(_below(path, root))
    stem = posixpath.basename(folder) or "readme" if README.fullmatch(name) else MARKDOWN.sub("", name)
    return stem if SLUG.fullmatch(stem) else None


def title_in(path: str, root: str = "") -> str:
    """Return the title a page gets from its file name if nothing else names one; only folders below `root` count."""
    folder, name = posixpath.split(_below(path, root))
    stem = posixpath.basename(folder) or "Home" if README.fullmatch(name) else MARKDOWN.sub("", name)
    words = re.sub(r"[-_\s]+", " ", stem).strip()
    return words[:1].upper() + words[1:] or "Untitled"
