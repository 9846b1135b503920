"""Rules over several values of a manifest: consistent forms, unique ids, valid policies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from devkit.manifests.findings import Finding
from devkit.manifests.reading import ManifestText, ValuePath
from devkit.terminal.wording import dotted, kind_of, nearest, shown
from runtime.contract.security_policy import DIRECTIVES, normalise

DEFAULTS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "string": (str, "text, such as `default: blue`"),
    "number": ((int, float), "a number, such as `default: 3`"),
    "boolean": (bool, "`true` or `false`"),
}
NAMED = re.compile(r"^`([^`]*)`")


def findings(text: ManifestText) -> Iterator[Finding]:
    """Find what no single value shows; each value may be of any type."""
    for key, what in (("blocks", "block"), ("contentSources", "content source")):
        yield from _twice(text, key, what)
    screens = text.value.get("configurations")
    for name, screen in screens.items() if isinstance(screens, dict) else ():
        yield from _form(text, ("configurations", name), screen)
    yield from _policy(text, text.value.get("contentSecurityPolicy"))


def _twice(text: ManifestText, key: str, what: str) -> Iterator[Finding]:
    """An id names one block: the page that holds it must know which."""
    seen: dict[str, int] = {}
    entries = text.value.get(key)
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        name = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(name, str):
            continue
        if name in seen:
            message = f"the {what} id `{name}` is used twice; {dotted((key, seen[name]))} has it, too: choose another"
            yield text.at_value((key, number, "id"), message, "manifest-duplicate-id")
        seen.setdefault(name, number)


def _form(text: ManifestText, where: ValuePath, screen: Any) -> Iterator[Finding]:
    properties = screen.get("properties") if isinstance(screen, dict) else None
    if not isinstance(properties, dict):
        return
    if "componentId" in screen:
        message = (
            f"`{dotted(where)}` has `componentId` and `properties`; remove one: a component renders the whole screen"
        )
        yield text.at_key((*where, "componentId"), message, "manifest-form")
    for name, property_ in properties.items():
        if isinstance(property_, dict):
            yield from _property(text, (*where, "properties", name), property_)
    required = screen.get("required")
    for number, name in enumerate(required if isinstance(required, list) else ()):
        if isinstance(name, str) and name not in properties:
            close = nearest(name, properties)
            cure = f"write `{close}`" if close else "remove it, or add the property"
            message = f"`required` names `{shown(name)}`, which is not a property of this form: {cure}"
            yield text.at_value((*where, "required", number), message, "manifest-form")


def _property(text: ManifestText, where: ValuePath, definition: dict[str, Any]) -> Iterator[Finding]:
    kind = definition.get("type")
    if kind == "button":
        for key, example in (("callback_url", "/connect"), ("button_text", "Connect")):
            if key not in definition:
                message = f"`{dotted(where)}` is a button and has no `{key}`; add `{key}: {example}`"
                yield text.at_key(where, message, "manifest-form")
    if "default" in definition and isinstance(kind, str) and kind in DEFAULTS:
        expected, example = DEFAULTS[kind]
        value = definition["default"]
        if not isinstance(value, expected) or isinstance(value, bool) != (kind == "boolean"):
            message = f"`{dotted((*where, 'default'))}` must be a {kind}; it is {kind_of(value)}: write {example}"
            yield text.at_value((*where, "default"), message, "manifest-form")


def _policy(text: ManifestText, policy: Any) -> Iterator[Finding]:
    """Judge each directive by itself, so that all errors are reported."""
    where: ValuePath = ("contentSecurityPolicy",)
    if isinstance(policy, str):
        for part in policy.split(";"):
            yield from _directive(text, where, part.strip())
    elif isinstance(policy, dict):
        for name, value in policy.items():
            if isinstance(value, str):
                yield from _directive(text, (*where, name), {name: value})


def _directive(text: ManifestText, where: ValuePath, part: str | dict[str, str]) -> Iterator[Finding]:
    try:
        normalise(part)
    except ValueError as error:
        message = str(error)
        named = NAMED.match(message)
        if "is not a directive" not in message:
            yield text.at_value(where, f"`contentSecurityPolicy`: {message}", "manifest-policy")
            return
        close = nearest(named[1], DIRECTIVES) if named else None
        if close:
            message = f"{message.partition(';')[0]}: write `{close}`"
        place = text.at_key if isinstance(part, dict) else text.at_value
        yield place(where, f"`contentSecurityPolicy`: {message}", "manifest-policy")
