"""The name of a project's integration, which most commands need alone: without the models that judge a manifest."""

from __future__ import annotations

import re
from dataclasses import replace

from devkit.files.own_files import text_of
from devkit.manifests import reading
from devkit.manifests.findings import InvalidProject
from devkit.projects import environments
from devkit.projects.folder import find_folder
from devkit.terminal.output import Problem

NAME_LINE = re.compile(r"""^name:\s*["']?([\w.-]{1,100})["']?\s*(?:#.*)?$""", re.MULTILINE)


def name_here(env: str | None) -> str:
    """Read the name of this folder's integration, whatever else its manifest holds or leaves open; raises Problem."""
    folder, file = find_folder(None)
    text = environments.chosen(reading.read(file), env)
    known = environments.variables(folder, env)
    name = environments.filled(replace(text, value={"name": text.value.get("name")}), known).value["name"]
    if not isinstance(name, str) or not name:
        raise InvalidProject(
            [text.at_value(("name",), "name: write the integration's name, such as `name: my-integration`")]
        )
    return name


def guess_name(start: str | None) -> str | None:
    """Read the name from a manifest that has faults elsewhere; None if there is none to be seen."""
    _, file = find_folder(start)
    try:
        match = NAME_LINE.search(text_of(file, reading.MAX_BYTES, "a manifest"))
    except (OSError, UnicodeDecodeError, Problem):
        return None
    return match[1] if match else None
