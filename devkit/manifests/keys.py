"""Unknown keys of a manifest, and the ones that were probably meant."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any, Union

from pydantic import BaseModel

from devkit.manifests.findings import Finding
from devkit.manifests.reading import ManifestText, ValuePath
from devkit.terminal.wording import dotted, nearest
from runtime.contract.manifest import ProjectManifest

UNIONS = (Union, types.UnionType)


def unknown(text: ManifestText, missing: set[ValuePath]) -> tuple[list[Finding], set[ValuePath]]:
    """Find keys that no model knows; a key that stands for a missing one is an error and takes its place.

    Others are warnings: hosts leave out what they do not know. Gives the findings, and the missing keys they name.
    """
    findings, replaced = [], set[ValuePath]()
    for where, known in _unknown(text.value, ProjectManifest, ()):
        key, parent = str(where[-1]), where[:-1]
        lost = [str(path[-1]) for path in missing - replaced if path[:-1] == parent]
        suggestion = nearest(key, lost)
        if suggestion is not None:
            replaced.add((*parent, suggestion))
            message = f"`{dotted(where)}` is not a known key, and `{suggestion}` is missing: write `{suggestion}`"
            findings.append(text.at_key(where, message, "manifest-unknown-key"))
            continue
        close = nearest(key, known)
        cure = f"write `{close}`" if close else f"remove it; known keys here are {', '.join(sorted(known))}"
        findings.append(
            text.at_key(where, f"`{dotted(where)}` is not a known key: {cure}", "manifest-unknown-key", "warning")
        )
    return findings, replaced


def _unknown(value: Any, shape: Any, where: ValuePath) -> Iterator[tuple[ValuePath, set[str]]]:
    """Walk a value along its type; gives the keys that the models do not know, with those they know."""
    shape = _plain(shape)
    origin = typing.get_origin(shape)
    if origin in UNIONS:
        member = _member(value, [_plain(arg) for arg in typing.get_args(shape)])
        if member is not None:
            yield from _unknown(value, member, where)
    elif origin is list and isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _unknown(inner, typing.get_args(shape)[0], (*where, number))
    elif origin is dict and isinstance(value, dict):
        for key, inner in value.items():
            yield from _unknown(inner, typing.get_args(shape)[1], (*where, key))
    elif isinstance(shape, type) and issubclass(shape, BaseModel) and isinstance(value, dict):
        yield from _of_model(value, shape, where)


def _of_model(value: dict[str, Any], model: type[BaseModel], where: ValuePath) -> Iterator[tuple[ValuePath, set[str]]]:
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    by_name = {name: field for name, field in model.model_fields.items() if name not in fields}
    for key, one in value.items():
        field = fields.get(key) or by_name.get(key)
        if field is None:
            yield (*where, key), set(fields)
        else:
            yield from _unknown(one, field.annotation, (*where, key))


def _plain(shape: Any) -> Any:
    return _plain(typing.get_args(shape)[0]) if typing.get_origin(shape) is Annotated else shape


def _member(value: Any, members: list[Any]) -> Any:
    """Choose the member of a union that a value is meant as; of models the one that knows most of its keys."""
    models = [member for member in members if isinstance(member, type) and issubclass(member, BaseModel)]
    if models and isinstance(value, dict):
        return max(models, key=lambda model: len({field.alias for field in model.model_fields.values()} & value.keys()))
    return next((member for member in members if typing.get_origin(member) is type(value)), None)
