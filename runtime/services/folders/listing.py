"""Lists a revision as the files of a folder, in pages: text files with their content, other files by reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from runtime.services.folders.configuration import Configuration
from runtime.services.folders.names import CONFIGURATION
from runtime.services.folders.paths import paths_of
from runtime.services.folders.texts import EMPTY, Document, Texts
from runtime.store.content.snapshot import Snapshot


class Listed(NamedTuple):
    """A file of the folder; `document` names the stored document if it is a page or reusable content."""

    kind: Literal["page", "file", "reusable-content", "summary", "variables", "configuration"]
    id: str
    path: str
    document: str | None = None

    @property
    def key(self) -> str:
        """Return a key that is unique among all files."""
        return f"{self.kind} {self.id}"


class FolderOf:
    """A revision as a folder."""

    def __init__(self, snapshot: Snapshot, configuration: Configuration) -> None:
        """Assign paths to all pages and files, following this `.gitbook.yaml`."""
        self._snapshot = snapshot
        self._paths = paths_of(snapshot, configuration)
        self._texts = Texts(snapshot, self._paths)

    def every(self) -> Sequence[Listed]:
        """List all files, sorted by path."""
        pages = {page.id: page for page in self._snapshot.pages}
        contents = self._snapshot.reusable_content_by_id
        found = [Listed("page", one, path, pages[one].document) for one, path in self._paths.page.items()]
        found += [Listed("file", one, path) for one, path in self._paths.file.items()]
        found += [
            Listed("reusable-content", one, path, contents[one].document)
            for one, path in self._paths.reusable_content.items()
        ]
        found.append(Listed("summary", "", self._paths.summary))
        if self._snapshot.variables:
            found.append(Listed("variables", "", self._paths.variables))
        if self._texts.configuration() is not None:
            found.append(Listed("configuration", "", CONFIGURATION))
        return sorted(found, key=lambda one: one.path)

    def text(self, one: Listed, documents: Mapping[str, Document]) -> str | None:
        """Return a file's text; None for a file that is not text."""
        document = documents[one.document] if one.document is not None else EMPTY
        if one.kind == "page":
            return self._texts.page(self._snapshot.page_by_id[one.id], document)
        if one.kind == "reusable-content":
            return self._texts.content(self._snapshot.reusable_content_by_id[one.id], document)
        if one.kind == "summary":
            return self._texts.summary()
        if one.kind == "configuration":
            return self._texts.configuration()
        return self._texts.variables() if one.kind == "variables" else None
