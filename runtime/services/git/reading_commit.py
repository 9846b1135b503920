"""Reads the content of a commit from a pack; runs in a separate process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from runtime.engines.separate_process.answers import Refused
from runtime.services.folders.reading import read_files
from runtime.services.git.objects import BadObject, Commit, read_commit
from runtime.services.git.packs import Pack
from runtime.services.git.tree_files import TreeFiles
from runtime.services.importing.transfer import write_imported

PACK = "fetched.pack"
FILES = "files"
MAX_TOGETHER = 1 << 30
"""Bytes of all files that are imported at once."""


def read_content(folder: Path, arguments: Any) -> dict[str, Any]:
    """Write the content of `fetched.pack` with `write_imported`, files into `files`; returns the commit's message.

    `arguments` has the id of the `commit` and the `directory` of the content. Raises Refused.
    """
    with Pack(folder / PACK) as pack:
        commit = commit_in(pack, arguments["commit"])
        files = TreeFiles(pack, commit.tree, arguments["directory"])
        if not files.sizes and arguments["directory"]:
            raise Refused("no_directory", "The project directory does not exist in the repository, or is empty.")
        imported = read_files(files, files.oids)
        (folder / FILES).mkdir(exist_ok=True)
        left = MAX_TOGETHER
        kept = []
        for number, file in enumerate(imported.files):
            left -= files.sizes[file.path]
            if left < 0:
                raise Refused("too_large", f"The files of the content have more than {MAX_TOGETHER >> 30} GB together.")
            place = f"{FILES}/{number}"
            files.copy(file.path, folder / place)
            kept.append(replace(file, path=place))
        write_imported(folder, replace(imported, files=kept))
    return {"message": commit.message[:MAX_MESSAGE]}


MAX_MESSAGE = 2000


def commit_in(pack: Pack, oid: str) -> Commit:
    """Read a commit; raises Refused."""
    try:
        return read_commit(pack.read(oid, "commit"))
    except BadObject as error:
        raise Refused("broken_pack", f"The server did not send the commit: {error}.") from None
