"""Where a project is: its folder, and the manifest in it."""

from __future__ import annotations

from pathlib import Path

from devkit.terminal.output import Mistake, Problem
from runtime.contract.manifest_files import FILES

MANIFESTS = (".yaml", ".yml", ".json")
SCRIPTS = (".py", ".ts", ".tsx", ".js", ".jsx", ".mjs")


def find_folder(start: str | None) -> tuple[Path, Path]:
    """Find a project's folder and manifest at a path, or above it; a script stands for its project. Raises Problem."""
    place = Path(start or ".")
    begin = place.resolve()
    if begin.is_file():
        # Not where a link leads: that would be another project, of a file that may be no manifest.
        begin = place.parent.resolve() / place.name
        if begin.suffix not in SCRIPTS:
            if begin.suffix not in MANIFESTS:
                raise Mistake(f"{start} is neither a manifest nor a script", hint="give the folder of a project")
            return begin.parent, begin
        begin, start = begin.parent, None
    if not begin.is_dir():
        raise Mistake(f"there is no folder {start}")
    for folder in (begin, *begin.parents) if start is None else (begin,):
        for name in FILES:
            if (folder / name).is_file():
                return folder, folder / name
    names = " or ".join(FILES[:2])  # the third is another spelling of the first
    raise Problem(
        f"no {names} in {begin}", hint="go to a project's folder, give its path, or create one with `devkit new NAME`"
    )
