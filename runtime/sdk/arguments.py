"""Handlers get the arguments that they name: the mapping is computed once, at registration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from runtime.sdk.errors import RegistrationError

# Flags of a code object, from the reference of the `inspect` module, which itself is slow to import.
_VARIABLE_POSITIONAL = 0x04
_VARIABLE_KEYWORD = 0x08
_COROUTINE = 0x80
_ASYNC_GENERATOR = 0x200

Provider = Callable[[Any], Any]
Handler = Callable[..., Any]


def planned(function: Handler, providers: Mapping[str, Provider], what: str) -> Callable[[Any], Any]:
    """Return a function of one call that calls `function` with the arguments it names.

    `providers` maps each name that may be asked for to a function of the call; `what` names the handler in errors.
    Raises RegistrationError for an unknown name, for `*args` and `**kwargs`, and for coroutines.
    """
    if not callable(function):
        raise RegistrationError(f"{what} must be a function, got {type(function).__name__}")
    positional, keyword_only, optional = _parameters(function, what)
    unknown = [name for name in (*positional, *keyword_only) if name not in providers and name not in optional]
    if unknown:
        raise RegistrationError(
            f'{what} asks for the argument "{unknown[0]}", which does not exist here; '
            f"it may name {', '.join(sorted(providers))}"
        )
    if keyword_only or any(name not in providers for name in positional):
        named = [(name, providers[name]) for name in (*positional, *keyword_only) if name in providers]
        return lambda call: function(**{name: provide(call) for name, provide in named})
    return _positional(function, [providers[name] for name in positional])


def _positional(function: Handler, provide: list[Provider]) -> Callable[[Any], Any]:
    """Unroll common short argument lists, since this runs for every call."""
    if not provide:
        return lambda call: function()
    if len(provide) == 1:
        first = provide[0]
        return lambda call: function(first(call))
    if len(provide) == 2:
        first, second = provide
        return lambda call: function(first(call), second(call))
    return lambda call: function(*[provider(call) for provider in provide])


def _parameters(function: Handler, what: str) -> tuple[list[str], list[str], set[str]]:
    """Return the names of positional and keyword-only parameters, and of those that have a default."""
    bound = getattr(function, "__self__", None) is not None
    plain = function.__func__ if bound and hasattr(function, "__func__") else function
    code = getattr(plain, "__code__", None)
    if code is None or hasattr(plain, "__wrapped__"):
        return _inspected(function, what)
    if code.co_flags & (_COROUTINE | _ASYNC_GENERATOR):
        raise RegistrationError(f"{what} is a coroutine; handlers are plain functions, write `def` without `async`")
    if code.co_flags & (_VARIABLE_POSITIONAL | _VARIABLE_KEYWORD):
        raise RegistrationError(f"{what} takes *args or **kwargs; name the arguments it needs instead")
    names = list(code.co_varnames[: code.co_argcount])
    keyword_only = list(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
    defaults = plain.__defaults__ or ()
    optional = set(names[len(names) - len(defaults) :]) | set(plain.__kwdefaults__ or ())
    return (names[1:] if bound else names), keyword_only, optional


def _inspected(function: Handler, what: str) -> tuple[list[str], list[str], set[str]]:
    """Do the same for callables without code of their own: partials, instances, decorated functions."""
    import inspect

    if inspect.iscoroutinefunction(function):
        raise RegistrationError(f"{what} is a coroutine; handlers are plain functions, write `def` without `async`")
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) for parameter in parameters):
        raise RegistrationError(f"{what} takes *args or **kwargs; name the arguments it needs instead")
    positional = [parameter.name for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
    keyword_only = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    return (
        positional,
        keyword_only,
        {parameter.name for parameter in parameters if parameter.default is not parameter.empty},
    )
