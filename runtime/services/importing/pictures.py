"""Pictures embedded in a page, which become files of the import."""

from __future__ import annotations

from pathlib import Path

from runtime.services.imported_tree import ImportedFile
from runtime.services.importing.transfer import Writer


class Pictures:
    """Stores the embedded pictures of one page; `keys` maps their paths in the page to their keys."""

    def __init__(self, folder: Path, key: str, writer: Writer, stem: str = "picture") -> None:
        """Take the folder for files, the page's key, and the prefix of picture names."""
        self._folder, self._key, self._writer, self._stem = folder, key, writer, stem
        self.keys: dict[str, str] = {}

    def keep(self, content: bytes, kind: str) -> str:
        """Store a picture; returns its path in the page."""
        name = f"{self._stem}-{len(self.keys) + 1}.{kind}"
        (self._folder / name).write_bytes(content)
        self.keys[name] = f"{self._key}/{name}"
        self._writer.file(ImportedFile(self.keys[name], name, name))
        return name
