"""Pictures that stand in a page, kept as files of the import beside it."""

from __future__ import annotations

from pathlib import Path

from runtime.services.importing.handing_over import Writer
from runtime.services.importing.tree import ImportedFile


class Pictures:
    """Keeps the pictures of one page; `keys` has their keys by the paths by which the page shows them."""

    def __init__(self, folder: Path, key: str, writer: Writer, stem: str = "picture") -> None:
        """Take where files are written, the key of the page, and what the names of its pictures begin with there."""
        self._folder, self._key, self._writer, self._stem = folder, key, writer, stem
        self.keys: dict[str, str] = {}

    def keep(self, content: bytes, kind: str) -> str:
        """Write a picture; gives the path by which its page shows it."""
        name = f"{self._stem}-{len(self.keys) + 1}.{kind}"
        (self._folder / name).write_bytes(content)
        self.keys[name] = f"{self._key}/{name}"
        self._writer.file(ImportedFile(self.keys[name], name, name))
        return name
