"""Creates plausible objects from the contract's models, with all required fields."""

from __future__ import annotations

import types
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel

from devkit.offline.simulated_host import MOMENT, NOWHERE
from runtime.contract.base import WireModel

Model = TypeVar("Model", bound=WireModel)


def plausible(model: type[Model], **known: Any) -> Model:
    """Create an object of a model; fields in `known` have these values, optional ones are left out."""
    return model.model_validate(_fields(model, known))


def _fields(model: type[BaseModel], known: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: known[name] if name in known else _value(field.annotation, name)
        for name, field in model.model_fields.items()
        if name in known or field.is_required()
    }


def _value(kind: Any, name: str) -> Any:
    origin = get_origin(kind)
    if origin is Annotated:
        return _value(get_args(kind)[0], name)
    if origin is Literal:
        return get_args(kind)[0]
    if origin in (Union, types.UnionType):
        return _value(next(arm for arm in get_args(kind) if arm is not type(None)), name)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _fields(kind, {})
    if kind is datetime:
        return MOMENT
    if kind is str:
        return _text(name)
    # A count is none, a switch is off, a list and an object are empty.
    return {bool: False, int: 0, float: 0.0, list: [], dict: {}}.get(origin or kind)


def _text(name: str) -> str:
    if name in ("location", "app", "url") or name.endswith("_url"):
        return f"{NOWHERE}/{name}"
    return "" if name == "emoji" else f"example-{name}".replace("_", "-")
