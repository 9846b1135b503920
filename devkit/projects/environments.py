"""What a manifest leaves open: variables, and values that differ from environment to environment."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from dotenv.parser import parse_stream

from devkit.checking.manifest_text import ManifestText, Path_
from devkit.checking.wording import nearest
from devkit.projects.findings import Finding, InvalidProject
from devkit.terminal import completion
from devkit.terminal.output import Problem

EXPRESSION = re.compile(r"\$\{\{\s*env\.(\w+)\s*\}\}")
"""`${{ env.NAME }}`, anywhere in a text of the manifest."""
PROCESS = "the process's environment"
FILE = ".env"


@dataclass(frozen=True, slots=True)
class Variable:
    """A value and where it comes from; the value is left out wherever the variable is written down."""

    value: str
    source: str

    def __repr__(self) -> str:
        return f"Variable(source={self.source!r})"


Variables = Mapping[str, Variable]


def env_option(command: Any) -> Any:
    """Add `--env` to a command."""
    return click.option(
        "--env",
        envvar="DEVKIT_ENV",
        metavar="NAME",
        shell_complete=completion.environments,
        help="An environment of the manifest's `envs`; default: DEVKIT_ENV.",
    )(command)


def variables(folder: Path, env: str | None) -> Variables:
    """Read the variables a manifest may name: the process's own, over `.env.NAME` of an environment, over `.env`.

    Raises Problem with the line of a file that cannot be read.
    """
    variables_: dict[str, Variable] = {}
    for name in [FILE] + ([f"{FILE}.{env}"] if env else []):
        file = folder / name
        if file.is_file():
            variables_ |= {key: Variable(value, name) for key, value in _read(file)}
    return variables_ | {key: Variable(value, PROCESS) for key, value in os.environ.items()}


def _read(file: Path) -> Iterator[tuple[str, str]]:
    try:
        with file.open(encoding="utf-8-sig") as lines:
            bindings = list(parse_stream(lines))
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{file} cannot be read: {error}") from error
    for binding in bindings:
        if binding.error:
            raise Problem(
                f"{file.name}:{binding.original.line}: not `NAME=value`; put values with quotes inside into quotes"
            )
        if binding.key is not None and binding.value is not None:
            yield binding.key, binding.value


def chosen(text: ManifestText, env: str | None) -> ManifestText:
    """Lay what the manifest says of an environment over the rest; mappings are merged, all else is replaced.

    Raises InvalidProject for an environment there is not.
    """
    known = text.value.get("envs")
    plain = {key: value for key, value in text.value.items() if key != "envs"}
    if env is None:
        return text
    names = sorted(known) if isinstance(known, dict) else []
    if env not in names or not isinstance(known[env], dict):
        close = nearest(env, names)
        there = f"`envs` has {', '.join(names)}" if names else f"write `envs: {{{env}: {{...}}}}` for one"
        hint = f": write --env {close}" if close else ""
        raise InvalidProject([text.at_key(("envs",), f"there is no environment `{env}`; {there}{hint}")])
    merged = replace(text, value=copy.deepcopy(plain), keys=dict(text.keys), values=dict(text.values))
    _lay_over(merged, merged.value, known[env], ("envs", env), ())
    return merged


def _lay_over(merged: ManifestText, below: dict[str, Any], above: dict[str, Any], source: Path_, goal: Path_) -> None:
    for key, value in above.items():
        here, there = (*goal, key), (*source, key)
        if isinstance(value, dict) and isinstance(below.get(key), dict):
            _lay_over(merged, below[key], value, there, here)
            continue
        for places in (merged.keys, merged.values):
            for path in [path for path in places if path[: len(here)] == here]:
                del places[path]
            moved = {here + path[len(there) :]: at for path, at in places.items() if path[: len(there)] == there}
            places.update(moved)
        below[key] = copy.deepcopy(value)


def filled(text: ManifestText, known: Variables) -> ManifestText:
    """Put variables into all texts but the secrets, which are filled when they are needed.

    Raises InvalidProject that names every variable that is not set, those of the secrets too.
    """
    missing: list[Finding] = []
    value = {
        key: inner if key in ("secrets", "envs") else _filled(text, (key,), inner, known, missing)
        for key, inner in text.value.items()
    }
    if missing:
        secrets = text.value.get("secrets")
        texts = secrets.items() if isinstance(secrets, dict) else ()
        missing += [finding for key, inner in texts for finding in unset(text, ("secrets", key), inner, known)]
        raise InvalidProject(sorted(missing, key=lambda finding: (finding.line, finding.column)))
    return replace(text, value=value)


def _filled(text: ManifestText, where: Path_, value: Any, known: Variables, missing: list[Finding]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(text, (*where, key), inner, known, missing) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(text, (*where, number), inner, known, missing) for number, inner in enumerate(value)]
    if not isinstance(value, str):
        return value
    lost = unset(text, where, value, known)
    missing += lost
    return value if lost else fill(value, known)


def unset(text: ManifestText, where: Path_, value: object, known: Variables) -> list[Finding]:
    """Find the variables in one text that are not set."""
    names = EXPRESSION.findall(value) if isinstance(value, str) else []
    sentence = "the variable `{}` is not set; export it, or write it into .env"
    return [text.at_value(where, sentence.format(name)) for name in names if name not in known]


def fill(value: str, known: Variables, instead: str = "") -> str:
    """Put variables into one text; `instead` stands for those that are not set."""
    return EXPRESSION.sub(lambda match: known[match[1]].value if match[1] in known else instead, value)
