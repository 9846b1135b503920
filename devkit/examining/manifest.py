"""The project the doctor was called in."""

from __future__ import annotations

from devkit import migration, project
from devkit.checking import manifest_text
from devkit.examining.examined import Examined, Place
from devkit.findings import Wrong
from devkit.output import Problem


def manifest(place: Place) -> Examined:
    try:
        found = project.load(str(place.folder))
    except Wrong as wrong:
        more = f" (and {len(wrong.findings) - 1} more)" if len(wrong.findings) > 1 else ""
        return Examined("problem", wrong.findings[0].sentence + more, "Run `devkit check` for all of them.")
    except Problem as problem:
        return Examined("warning", problem.sentence, "Call the doctor in the folder of an integration.")
    odd = project.warnings(found)
    if odd:
        return Examined("warning", odd[0].sentence, "Run `devkit check` for all of them.")
    return Examined("ok", f"{found.manifest.name}: the manifest is in order")


def form(place: Place) -> Examined:
    """Look for words of a manifest that are written differently today."""
    try:
        _, file = project.find_folder(str(place.folder))
        text = manifest_text.read(file)
    except Problem:
        return Examined("ok", "no manifest to look at")
    found = migration.changes(text)
    if not found:
        return Examined("ok", "the manifest is of today's form")
    new = migration.migrated(text, found)
    cure = f"Write it as today:\n{migration.difference(text, new)}"
    return Examined("warning", "the manifest is of an older form", cure, lambda: migration.write(file, new))
