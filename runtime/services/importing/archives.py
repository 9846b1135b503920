"""Unpacks untrusted archives: within limits, regular files only, and never outside the folder."""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path

from runtime.engines.separate_process.answers import Refused
from runtime.services.importing.transfer import clean

MAX_MEMBERS = 20_000
MAX_BYTES = 1 << 30
"""Bytes of all that is in an archive."""
MAX_MEMBER = 256 << 20
MAX_RATIO = 200
"""How many times as large an archive may become, from a size on at which that matters."""
RATIO_FROM = 16 << 20
LONGEST_NAME = 1000
DEEPEST = 30
PIECE = 1 << 18
ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
LEFT_OUT = ("__MACOSX", ".git", ".svn", "node_modules")
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError)


class UnpackBudget:
    """The remaining budget of an archive and its nested archives."""

    def __init__(self) -> None:
        self.members, self.bytes = MAX_MEMBERS, MAX_BYTES

    def take(self, members: int, size: int) -> None:
        """Count files and bytes; raises `Refused` for too many."""
        self.members -= members
        self.bytes -= size
        if self.members < 0 or self.bytes < 0:
            raise Refused("bomb", f"The archive has more than {MAX_MEMBERS} files or {MAX_BYTES >> 20} MB unpacked.")


def unpack(archive: Path, into: Path, *, nested: bool = False) -> list[str]:
    """Unpack a zip file; returns sentences about what was left out. Raises `Refused`.

    With `nested`, zip files in it are unpacked in their place, but not the zip files inside those.
    """
    problems: list[str] = []
    _unpack(archive, into, problems, UnpackBudget(), nested)
    return problems


def _unpack(archive: Path, into: Path, problems: list[str], room: UnpackBudget, nested: bool) -> None:
    try:
        with zipfile.ZipFile(archive) as zipped:
            members = zipped.infolist()
            check_members(members, archive.stat().st_size)
            room.take(len(members), 0)
            for member in members:
                parts = parts_of(member.filename)
                if member.is_dir() or not parts or parts[0] in LEFT_OUT or ".git" in parts:
                    continue
                is_part = nested and parts[-1].lower().endswith(".zip")
                if parts[-1].lower().endswith(ARCHIVES) and not is_part:
                    problems.append(f"{parts[-1]} is an archive in the archive, which is not opened.")
                    continue
                place = into.joinpath(*parts)
                try:
                    place.parent.mkdir(parents=True, exist_ok=True)
                    with zipped.open(member) as content, place.open("xb") as file:
                        size = 0
                        while piece := content.read(PIECE):
                            size += len(piece)
                            room.take(0, len(piece))
                            if size > member.file_size:
                                raise Refused("bomb", "The archive has more data than it declares.")
                            file.write(piece)
                    if is_part:
                        _unpack(place, place.parent, problems, room, False)
                        place.unlink()
                except (FileExistsError, NotADirectoryError, IsADirectoryError):
                    problems.append(
                        f"{clean('/'.join(parts))[:200]} appears twice in the archive; the first one is used."
                    )
    except _BROKEN as error:
        raise Refused("archive", "The archive is damaged, or not a zip file.") from error


def check_members(members: list[zipfile.ZipInfo], size: int) -> None:
    """Check an archive's members; raises `Refused` for too many or large ones, outside paths, links, encryption."""
    if len(members) > MAX_MEMBERS:
        raise Refused("bomb", f"The archive has more than {MAX_MEMBERS} files.")
    total = sum(member.file_size for member in members)
    if total > MAX_BYTES or any(member.file_size > MAX_MEMBER for member in members):
        raise Refused(
            "bomb",
            f"The archive has more than {MAX_BYTES >> 20} MB unpacked, or a file of more than {MAX_MEMBER >> 20} MB.",
        )
    if total > RATIO_FROM and total > MAX_RATIO * size:
        raise Refused(
            "bomb", f"The archive unpacks to more than {MAX_RATIO} times its size, which is treated as an attack."
        )
    for member in members:
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise Refused("link", "The archive has links or devices in it; pack only regular files.")
        if member.flag_bits & 0x1:
            raise Refused("encrypted", "The archive is encrypted; pack it without a password.")
        parts_of(member.filename)


def parts_of(name: str) -> list[str]:
    """Return the parts of a member's name; raises `Refused` for one that leads out of the folder."""
    parts = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\0" in name:
        raise Refused("path", "The archive has a file with a path outside of its folder.")
    parts = [part for part in parts if part not in ("", ".")]
    if len(name) > LONGEST_NAME or len(parts) > DEEPEST or any(len(part.encode()) > 255 for part in parts):
        raise Refused("path", "The archive has a file with a name that is too long, or folders too deep.")
    return parts
