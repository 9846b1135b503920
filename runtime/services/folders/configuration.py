"""`.gitbook.yaml`: where the content of a repository folder is, and its redirects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from runtime.services.folders.names import resolved
from runtime.services.folders.yaml_text import BadYaml, read_mapping

MAX_REDIRECTS = 1000
LONGEST_REDIRECT = 2000
"""Characters of the two paths of a redirect."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The parsed file. `root` is relative to the folder, all other paths are relative to `root`."""

    root: str = ""
    readme: str = "README.md"
    summary: str = "SUMMARY.md"
    redirects: Mapping[str, str] = field(default_factory=dict)


def read_configuration(text: str, problems: list[str]) -> Configuration:
    """Parse the file; invalid settings are reported as problems and ignored."""
    try:
        said = read_mapping(text)
    except BadYaml as error:
        problems.append(f".gitbook.yaml is left out. {error}")
        return Configuration()
    structure = said.get("structure")
    named = structure if isinstance(structure, dict) else {}
    return Configuration(
        _path(said, "root", "", problems),
        _path(named, "readme", "README.md", problems),
        _path(named, "summary", "SUMMARY.md", problems),
        _redirects(said.get("redirects"), problems),
    )


def _path(said: Mapping[Any, Any], name: str, usual: str, problems: list[str]) -> str:
    value = said.get(name)
    if value is None:
        return usual
    path = resolved(value) if isinstance(value, str) and len(value) <= 1000 else None
    if path is None:
        problems.append(f".gitbook.yaml: `{name}` is left out, since it is not a path inside the folder.")
        return usual
    return path


def _redirects(said: Any, problems: list[str]) -> dict[str, str]:
    if said is None:
        return {}
    if not isinstance(said, dict):
        problems.append(".gitbook.yaml: `redirects` is left out, since it is not a mapping.")
        return {}
    good = {
        path: target
        for source, target in said.items()
        if isinstance(source, str) and isinstance(target, str) and len(source) + len(target) <= LONGEST_REDIRECT
        if (path := resolved(unquote(source))) is not None
    }
    if left_out := len(said) - min(len(good), MAX_REDIRECTS):
        problems.append(
            f".gitbook.yaml: {left_out} redirects are left out: each must lead from one path to another, "
            f"and at most {MAX_REDIRECTS} are read."
        )
    return dict(list(good.items())[:MAX_REDIRECTS])
