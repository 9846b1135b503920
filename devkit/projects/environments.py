"""What a manifest leaves open: variables, and values that differ from environment to environment."""

from __future__ import annotations

import copy
import io
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from dotenv.parser import parse_stream

from devkit.files import project_files
from devkit.files.own_files import text_of
from devkit.manifests import reading
from devkit.manifests.findings import Finding, InvalidProject, UnknownEnvironment
from devkit.manifests.reading import ManifestText, ValuePath
from devkit.projects import allowed as allowing
from devkit.projects import completion, one_password
from devkit.terminal.output import Problem
from devkit.terminal.wording import nearest

EXPRESSION = re.compile(r"\$\{\{\s*(?:env\.(\w+)|\"(op://[^\"]+)\"|'(op://[^']+)'|(op://[^\s\"'}]+))\s*\}\}")
"""`${{ env.NAME }}` or `${{ "op://VAULT/ITEM/FIELD" }}`, anywhere in a text of the manifest."""
ANY_EXPRESSION = re.compile(r"\$\{\{.*?\}\}", re.DOTALL)
PROCESS = "the process's environment"
FILE = ".env"
MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Variable:
    """A value and where it comes from; the value is left out wherever the variable is written down."""

    value: str
    source: str

    def __repr__(self) -> str:
        return f"Variable(source={self.source!r})"


Variables = Mapping[str, Variable]
"""Variables by their names; references into 1Password are read when they are needed."""


class _Known(dict[str, Variable]):
    def __init__(self, variables: Variables, allowed: Sequence[str]) -> None:
        super().__init__(variables)
        self._allowed = allowed

    def __contains__(self, name: object) -> bool:
        if isinstance(name, str) and name.startswith(one_password.SCHEME):
            return allowing.matches(name, self._allowed) and one_password.is_there()
        return super().__contains__(name)

    def __missing__(self, name: str) -> Variable:
        if not name.startswith(one_password.SCHEME) or name not in self:
            raise KeyError(name)
        self[name] = Variable(one_password.read(name), "1Password")
        return self[name]


def names_in(value: object) -> list[str]:
    """List what a text of the manifest leaves open: names of variables, and references into 1Password."""
    return [_name(match) for match in EXPRESSION.finditer(value)] if isinstance(value, str) else []


def _name(match: re.Match[str]) -> str:
    return next(name for name in match.groups() if name)


def source_of(name: str, known: Variables) -> str | None:
    """Return where a value comes from, without reading it; None where it is not set."""
    if name not in known:
        return None
    return "1Password" if name.startswith(one_password.SCHEME) else known[name].source


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

    Of the process's own those alone that the author lets this project read (`devkit.projects.allowed`): whoever cloned
    it did not write its manifest. Raises Problem with the line of a file that cannot be read.
    """
    variables_: dict[str, Variable] = {}
    for name in [FILE] + ([f"{FILE}.{env}"] if env else []):
        file = own_file(folder, name)
        if file.is_file():
            variables_ |= {key: Variable(value, name) for key, value in _read(file)}
    allowed = allowing.patterns(folder)
    own = {key: Variable(value, PROCESS) for key, value in os.environ.items() if allowing.matches(key, allowed)}
    return _Known(variables_ | own, allowed)


def own_file(folder: Path, name: str) -> Path:
    """Return the path of a project's variables file; raises Problem if it is a link out of the project.

    Repositories hold links, and one to `~/.aws/credentials` or `/proc/self/environ` reads as variables, too.
    """
    file = folder / name
    if not file.resolve().is_relative_to(project_files.root_of(folder)):
        raise Problem(
            f"{name} is a link to {file.resolve()}, outside the project", hint="replace it with a regular file"
        )
    return file


def withheld(name: str) -> bool:
    """Return whether the author has what a project may not read by itself."""
    return one_password.is_there() if name.startswith(one_password.SCHEME) else name in os.environ


def _read(file: Path) -> Iterator[tuple[str, str]]:
    try:
        text = text_of(file, MAX_BYTES, "a file of variables").removeprefix("\ufeff")
        bindings = list(parse_stream(io.StringIO(text)))
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{file} cannot be read: {error}") from error
    for binding in bindings:
        if binding.error:
            raise Problem(
                f"{file.name}:{binding.original.line}: not `NAME=value`; put values that contain quotes into quotes"
            )
        if binding.key is not None and binding.value is not None:
            yield binding.key, binding.value


def chosen(text: ManifestText, env: str | None) -> ManifestText:
    """Lay what the manifest says of an environment over the rest; mappings are merged, all else is replaced.

    Raises UnknownEnvironment for one there is not.
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
        raise UnknownEnvironment([text.at_key(("envs",), f"there is no environment `{env}`; {there}{hint}")])
    merged = replace(text, value=copy.deepcopy(plain))
    merged.keys, merged.values, merged.written = dict(text.keys), dict(text.values), dict(text.written)
    _lay_over(merged, merged.value, known[env], ("envs", env), ())
    return merged


def must_exist(file: Path, env: str | None) -> None:
    """Raise UnknownEnvironment for one that a manifest does not have; one that cannot be read yet may have it."""
    try:
        chosen(reading.read(file), env)
    except UnknownEnvironment:
        raise
    except Problem:
        return


def _lay_over(
    merged: ManifestText, below: dict[str, Any], above: dict[str, Any], source: ValuePath, goal: ValuePath
) -> None:
    for key, value in above.items():
        here, there = (*goal, key), (*source, key)
        if isinstance(value, dict) and isinstance(below.get(key), dict):
            _lay_over(merged, below[key], value, there, here)
            continue
        _move(merged.keys, there, here)
        _move(merged.values, there, here)
        _move(merged.written, there, here)
        below[key] = copy.deepcopy(value)


def _move(known: dict[ValuePath, Any], source: ValuePath, goal: ValuePath) -> None:
    """Let what is known of one place of the manifest, and of all below it, hold for another."""
    for path in [path for path in known if path[: len(goal)] == goal]:
        del known[path]
    known.update({goal + path[len(source) :]: at for path, at in known.items() if path[: len(source)] == source})


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


def _filled(text: ManifestText, where: ValuePath, value: Any, known: Variables, missing: list[Finding]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(text, (*where, key), inner, known, missing) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(text, (*where, number), inner, known, missing) for number, inner in enumerate(value)]
    if not isinstance(value, str):
        return value
    lost = unset(text, where, value, known)
    missing += lost
    return value if lost else fill(value, known)


def unset(text: ManifestText, where: ValuePath, value: object, known: Variables) -> list[Finding]:
    """Find the variables in one text that are not set."""
    findings = [text.at_value(where, sentence_of_unset(name)) for name in names_in(value) if name not in known]
    for match in ANY_EXPRESSION.finditer(value) if where[:1] == ("secrets",) and isinstance(value, str) else ():
        if not EXPRESSION.fullmatch(match[0]):
            cure = 'write `${{ env.NAME }}`, or `${{ "op://VAULT/ITEM/FIELD" }}`'
            findings.append(text.at_value(where, f"`{match[0][:60]}` is not understood; {cure}"))
    return findings


def passed_over(text: ManifestText, known: Variables) -> list[Finding]:
    """Find variables that a file gives while the author's environment, which may not be read, gives another value."""
    secrets = text.value.get("secrets")
    found = []
    for key, value in secrets.items() if isinstance(secrets, dict) else ():
        for name in names_in(value):
            source = source_of(name, known)
            own = os.environ.get(name)
            if source not in (None, PROCESS, "1Password") and own is not None and own != known[name].value:
                message = f"`{name}` is taken from {source}, not from your environment; `devkit secrets --allow {name}`"
                found.append(text.at_value(("secrets", key), f"{message} uses yours", level="warning"))
    return found


def sentence_of_unset(name: str) -> str:
    """Say what to do about something that is not set."""
    if withheld(name):
        what = (
            f"`{name}` is in 1Password"
            if name.startswith(one_password.SCHEME)
            else f"the variable `{name}` is in your environment"
        )
        cure = f"`devkit secrets --allow {shlex.quote(name)}` lets it"
        return f"{what}, and this project is not allowed to read it; {cure}, or write another value into .env"
    if name.startswith(one_password.SCHEME):
        return (
            f"`{name}` is in 1Password, but its command line `op` is not installed; install it, or use "
            "`env.NAME` instead"
        )
    return f"the variable `{name}` is not set; write it into .env"


def fill(value: str, known: Variables) -> str:
    """Put variables into one text that has none that is not set; raises Problem for what 1Password does not give."""
    return EXPRESSION.sub(lambda match: known[_name(match)].value, value)


def fill_with_examples(value: str, known: Variables, example: str) -> str:
    """Put variables into one text, and an example instead of what is not set, or would have to be asked for."""

    def put(match: re.Match[str]) -> str:
        name = _name(match)
        return example if name.startswith(one_password.SCHEME) or name not in known else known[name].value

    return EXPRESSION.sub(put, value)


def replace_names(value: str, written: Callable[[str], str]) -> str:
    """Write something instead of all that a text leaves open, by its name."""
    return EXPRESSION.sub(lambda match: written(_name(match)), value)
