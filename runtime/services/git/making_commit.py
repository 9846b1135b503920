"""Creates a commit with the content of a revision; runs in a separate process."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from runtime.contract.document_references import FIELDS, references_in
from runtime.services.folders.configuration import Configuration, read_configuration
from runtime.services.folders.names import CONFIGURATION
from runtime.services.folders.paths import Paths, paths_of
from runtime.services.folders.walking import Files, FolderFiles, Problems
from runtime.services.folders.writing import CONTENTS, VARIABLES, write_folder
from runtime.services.git.commits import Change, Trees, contents
from runtime.services.git.objects import new_hash, write_commit
from runtime.services.git.packs import Pack, write_pack
from runtime.services.git.reading_commit import PACK, commit_in
from runtime.services.git.tree_files import TreeFiles
from runtime.store.content.entries import Entry, File, Page, ReusableContent
from runtime.store.content.snapshot import Snapshot

NOW, BEFORE, DOCUMENTS, BYTES, NEW_PACK, PATHS = (
    "now.json", "before.json", "documents.jsonl", "bytes", "new.pack", "paths.json"
)  # fmt: skip
_KINDS: tuple[type[Entry], ...] = (Page, File, ReusableContent)


def snapshot_to_json(snapshot: Snapshot) -> dict[str, Any]:
    """Serialize a snapshot for the separate process."""
    lists = {kind.kind: [entry.to_json() for entry in getattr(snapshot, kind.kind)] for kind in _KINDS}
    return {**lists, "variables": dict(snapshot.variables)}


def _snapshot(path: Path) -> Snapshot:
    if not path.exists():
        return Snapshot()
    said = json.loads(path.read_text(encoding="utf-8"))
    pages = [Page.from_json(entry) for entry in said[Page.kind]]
    files = [File.from_json(entry) for entry in said[File.kind]]
    contents = [ReusableContent.from_json(entry) for entry in said[ReusableContent.kind]]
    return Snapshot(pages, files, contents, said["variables"])


class _Documents(Mapping[str, dict[str, Any]]):
    """Documents in a file, one per line after its name; never all in memory."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._places: dict[str, int] = {}
        place = 0
        for line in self._file:
            self._places[line[:40].decode("ascii")] = place
            place += len(line)

    def __getitem__(self, name: str) -> dict[str, Any]:
        self._file.seek(self._places[name])
        document: dict[str, Any] = json.loads(self._file.readline()[41:])
        return document

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def make_commit(folder: Path, arguments: Any) -> dict[str, Any]:
    """Write `new.pack` with a commit of the content in `now.json`, on top of `fetched.pack`.

    `arguments`: `tip` is the commit before (null if there is none), `directory` where the content goes, `message`,
    `author` and `seconds` are the new commit's; with `force` files are written that did not change since `before.json`.
    Returns `missing`, the ids of files whose bytes are needed first; else `commit` (null where nothing changed), and
    `paths.json` says the path and the oid of each entry. Raises Refused.
    """
    now, before = _snapshot(folder / NOW), _snapshot(folder / BEFORE)
    documents = _Documents(folder / DOCUMENTS)
    tip, directory = arguments["tip"], arguments["directory"]
    pack = Pack(folder / PACK) if tip is not None else None
    tree = commit_in(pack, tip).tree if pack is not None else None
    there = TreeFiles(pack, tree, directory) if pack is not None and tree is not None else _Nothing(folder)
    given = {file.id: folder / BYTES / file.id for file in now.files if (folder / BYTES / file.id).exists()}
    oids = there.oids
    missing = [file.id for file in now.files if file.id not in given and oids.get(file.git_path or "") != file.git_oid]
    if missing:
        return {"missing": missing}
    configuration = _configuration(there)
    old = paths_of(before, configuration)
    unchanged = (
        set() if arguments["force"] else set(_unchanged(before, now, old, paths_of(now, configuration), documents))
    )
    out = folder / "out"
    out.mkdir(exist_ok=True)
    had = old.every() if before.pages or before.files or before.reusable_contents else set()
    written = write_folder(out, now, documents, given, before=had, unchanged=unchanged, there=there)
    prefix = f"{directory}/" if directory else ""
    blobs = {path: _blob(out / path) for path in written.changed}
    changes: dict[str, Change] = {prefix + path: oid for path, oid in blobs.items()}
    changes |= {prefix + path: None for path in written.removed}
    trees = Trees(pack)
    root = trees.changed(tree, changes)
    _write_paths(folder, now, written.paths, {**oids, **blobs})
    if root == tree or (tree is None and not changes):
        return {"commit": None}
    parents = [tip] if tip is not None else []
    commit = write_commit(str(root), parents, arguments["author"], arguments["seconds"], arguments["message"])
    files = {oid: out / path for path, oid in blobs.items()}
    write_pack(folder / NEW_PACK, contents(commit, trees.made, files), 1 + len(trees.made) + len(files))
    return {"commit": new_hash("commit", len(commit), commit).hexdigest()}


class _Nothing(FolderFiles):
    """The files of a repository that has no commit."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, {}, Problems())
        self.oids: dict[str, str] = {}


def _configuration(there: Files) -> Configuration:
    said = there.text(CONFIGURATION) if CONFIGURATION in there.sizes else None
    return read_configuration(said, Problems()) if said is not None else Configuration()


def _unchanged(
    before: Snapshot, now: Snapshot, old: Paths, new: Paths, documents: Mapping[str, dict[str, Any]]
) -> Iterator[str]:
    """Yield the ids of entries whose files would not change: same content, and same link targets."""
    if _table(before, old) == _table(now, new):
        yield CONTENTS
    if dict(before.variables) == dict(now.variables):
        yield VARIABLES
    was: dict[str, Entry] = {**before.page_by_id, **before.reusable_content_by_id}
    both: list[Page | ReusableContent] = [*now.pages, *now.reusable_contents]
    for entry in both:
        past = was.get(entry.id)
        if past is None or not _says_the_same(past, entry):
            continue
        refs = list(references_in(documents[entry.document])) if entry.document is not None else []
        cover = (entry.cover or {}) if isinstance(entry, Page) else {}
        named = [one.ref for one in refs] + [cover[name] for name in ("ref", "refDark") if cover.get(name)]
        if all(_at(old, ref) == _at(new, ref) for ref in named) and _place(old, entry.id) == _place(new, entry.id):
            yield entry.id


def _table(snapshot: Snapshot, paths: Paths) -> list[Any]:
    """Return the table of contents in comparable form."""
    pages = snapshot.pages
    said = [(page.id, page.type, page.title, page.emoji, page.parent, page.slug, page.target) for page in pages]
    return [*said, [_at(paths, page.target or {}) for page in pages], [paths.page.get(page.id) for page in pages]]


def _place(paths: Paths, entry_id: str) -> str | None:
    return paths.page.get(entry_id) or paths.reusable_content.get(entry_id)


def _at(paths: Paths, ref: Mapping[str, Any]) -> str | None:
    kind = "page" if ref.get("kind") == "anchor" else str(ref.get("kind"))
    return paths.by_kind.get(kind, {}).get(str(ref.get(FIELDS.get(kind, ""))))


def _says_the_same(one: Entry, other: Entry) -> bool:
    apart = ("git", "parent", "created_at", "updated_at")
    names = [field.name for field in fields(other) if field.name not in apart]
    return type(one) is type(other) and all(getattr(one, name) == getattr(other, name) for name in names)


def _blob(path: Path) -> str:
    size = path.stat().st_size
    digest = new_hash("blob", size)
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _write_paths(folder: Path, now: Snapshot, paths: Paths, oids: Mapping[str, str]) -> None:
    """Write each entry's object id and path: `kind -> id -> {oid, path}`."""
    by_kind = {Page.kind: paths.page, File.kind: paths.file, ReusableContent.kind: paths.reusable_content}
    said = {
        kind: {name: {"oid": oids[path], "path": path} for name, path in named.items() if path in oids}
        for kind, named in by_kind.items()
    }
    (folder / PATHS).write_text(json.dumps(said), encoding="utf-8")
