"""The name that was probably meant by an error, which Python itself works out only as it prints one."""

from __future__ import annotations

import builtins
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_MOST, _LONGEST = 750, 60
"""Names that are compared, and characters of a name: the error of a script must not take long."""
_OTHER_WORDS = {
    "event": "on",
    "listen": "on",
    "subscribe": "on",
    "endpoint": "fetch",
    "route": "fetch",
    "webhook": "fetch",
}
"""Words of other frameworks -> the name here."""
_ANCESTORS, _NAMES = type.__dict__["__mro__"], type.__dict__["__dict__"]
_KEYWORD = re.compile(r"(?P<function>[\w.]+)\(\) got an unexpected keyword argument '(?P<name>\w+)'$")
_IMPORTED = re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'")
"""The message says both: `name_from` of the error came with Python 3.12."""


def suggested(error: BaseException) -> str:
    """Return ` (did you mean 'name'?)` where a name of a script is misspelled; "" where none is close.

    Only names are read, and no method of the script runs, neither `__dir__` nor `__getattribute__`.
    """
    try:
        name = _nearest(*_names(error))
    except Exception:  # the error itself is what the author needs
        return ""
    return f" (did you mean '{name}'?)" if name else ""


def _names(error: BaseException) -> tuple[str, Iterable[str]]:
    """Return what was written, and what could have been."""
    frame = _last_frame(error)
    if type(error) is AttributeError and type(error.name) is str:
        return error.name, _attributes(error.obj)
    if type(error) is NameError and type(error.name) is str and frame is not None:
        return error.name, [*frame.f_locals, *frame.f_globals, *vars(builtins)]
    told = error.args[0] if error.args and type(error.args[0]) is str else ""
    if type(error) is ImportError and (imported := _IMPORTED.match(told)) is not None:
        return imported["name"], _exported(imported["module"])
    match = _KEYWORD.match(told) if type(error) is TypeError else None
    if match is not None and frame is not None:
        return match["name"], _parameters(match["function"], frame.f_globals)
    return "", ()


def _nearest(name: str, known: Iterable[str]) -> str | None:
    if not name or len(name) > _LONGEST:
        return None
    from difflib import get_close_matches

    public = not name.startswith("_")
    names = [one for one in known if type(one) is str and len(one) <= _LONGEST and not (public and one[:1] == "_")]
    # Of two names that differ only in case, prefer the one whose first letter has the case of the script's.
    capital = name[:1].isupper()
    alike = sorted((one for one in names[:_MOST] if one != name), key=lambda one: one[:1].isupper() == capital)
    by_case = {one.lower(): one for one in alike}
    close = get_close_matches(name.lower(), by_case, 1, 0.7)
    return by_case[close[0]] if close else by_case.get(_OTHER_WORDS.get(name.lower(), ""))


def _last_frame(error: BaseException) -> types.FrameType | None:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame if trace is not None else None


def _exported(module: str) -> Iterable[str]:
    """Return what a module offers: what it says itself, else all its names."""
    names = _attributes(sys.modules[module])
    offered = names.get("__all__") if isinstance(names, dict) else None
    return offered if isinstance(offered, list | tuple) else names


def _attributes(holder: Any) -> Iterable[str]:
    kind = type(holder)
    if issubclass(kind, types.ModuleType):
        names: dict[str, object] = types.ModuleType.__getattribute__(holder, "__dict__")
        return names
    if issubclass(kind, type):
        return _inherited(holder)
    slot = next((names["__dict__"] for names in _namespaces(kind) if "__dict__" in names), None)
    own = slot.__get__(holder) if type(slot) is types.GetSetDescriptorType else {}
    return [*own, *_inherited(kind)]


def _inherited(kind: type) -> list[str]:
    return [name for names in _namespaces(kind) for name in names]


def _namespaces(kind: type) -> list[Mapping[str, Any]]:
    """Return the names of a class and its ancestors, past whatever its metaclass answers."""
    return [_NAMES.__get__(one) for one in _ANCESTORS.__get__(kind)]


def _parameters(function: str, known: dict[str, object]) -> list[str]:
    """Return the parameters of a function that the script defines or takes from a module."""
    head, *rest = function.split(".")
    for found in _values(head, known):
        for part in rest:
            found = vars(found).get(part) if isinstance(found, type) else None
        if type(found) is types.FunctionType and found.__qualname__ == function:
            code = found.__code__
            return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    return []


def _values(name: str, known: dict[str, object]) -> Iterator[object]:
    modules = [value for value in known.values() if type(value) is types.ModuleType]
    for names in (known, *map(vars, modules), vars(sys.modules.get("runtime.sdk", builtins))):
        if name in names:
            yield names[name]
