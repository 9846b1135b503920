"""The project the doctor was called in."""

from __future__ import annotations

from devkit.diagnostics.result import Examination, Place
from devkit.manifests import reading
from devkit.manifests.findings import InvalidProject
from devkit.projects import migration
from devkit.projects import project as projects
from devkit.terminal.output import Problem


def manifest(place: Place) -> Examination:
    try:
        loaded = projects.load(str(place.folder))
    except InvalidProject as wrong:
        more = f" (and {len(wrong.findings) - 1} more)" if len(wrong.findings) > 1 else ""
        return Examination("problem", wrong.findings[0].sentence + more, "Run `devkit check` for all of them.")
    except Problem as problem:
        return Examination("warning", problem.sentence, "Run `devkit doctor` in the folder of an integration.")
    odd = projects.warnings(loaded)
    if odd:
        return Examination("warning", odd[0].sentence, "Run `devkit check` for all of them.")
    return Examination("ok", f"{loaded.manifest.name}: the manifest is valid")


def form(place: Place) -> Examination:
    """Look for words of a manifest that are written differently today."""
    try:
        _, file = projects.find_folder(str(place.folder))
    except Problem:
        return Examination("skipped", "no manifest to check")
    try:
        text = reading.read(file)
    except Problem as problem:
        return Examination("skipped", problem.message)
    changes = migration.changes(text)
    if not changes:
        return Examination("ok", "the manifest has the current format")
    new = migration.migrated(text, changes)
    cure = f"Update it to the current format:\n{migration.difference(text, new)}"
    return Examination("warning", "the manifest has an outdated format", cure, lambda: migration.write(file, new))
