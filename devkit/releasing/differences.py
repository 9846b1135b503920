"""Compares what a host runs with what would take its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from devkit.terminal.output import one_line, styled
from runtime.contract.security_policy import normalise

Sign = Literal["+", "-", "~"]
COLORS = {"+": "green", "-": "red", "~": "yellow"}
TEXTS = ("title", "description", "summary", "runtime", "target")
LISTS = {"blocks": "block", "contentSources": "content source"}
LEVELS = ("account", "space", "site")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that changes.

    `widens`: the integration may do more than before, or is seen by more. `removes`: documents may use what goes.
    """

    sign: Sign
    what: str
    widens: bool = False
    removes: bool = False

    @property
    def line(self) -> str:
        """The difference as people read it."""
        mark = styled(self.sign, fg=COLORS[self.sign], bold=self.widens or self.removes)
        return f"  {mark} {one_line(self.what)}"

    def as_json(self) -> dict[str, Any]:
        """Return the difference as programs read it."""
        return {"sign": self.sign, "what": self.what, "widens": self.widens, "removes": self.removes}


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Compare two manifests as hosts show them, what widens or removes first."""
    changes = [*_scopes(before, after), *_policy(before, after), *_visibility(before, after)]
    for key, what in LISTS.items():
        changes += _entries(what, _named(before.get(key)), _named(after.get(key)), used=True)
    changes += _entries("configuration of the", _screens(before), _screens(after))
    changes += [
        Difference("~", f"{key}: {_short(before.get(key))} -> {_short(after.get(key))}")
        for key in TEXTS
        if (before.get(key) or "") != (after.get(key) or "")
    ]
    return sorted(changes, key=lambda difference: not (difference.widens or difference.removes))


def brought(manifest: Mapping[str, Any]) -> list[Difference]:
    """List what an integration brings where it is new."""
    return [difference for difference in differences({}, manifest) if difference.sign == "+"]


def _scopes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    old, new = set(before.get("scopes") or ()), set(after.get("scopes") or ())
    yield from (Difference("+", f"scope {scope}", widens=True) for scope in sorted(new - old))
    yield from (Difference("-", f"scope {scope}") for scope in sorted(old - new))


def _policy(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    """Compare what pages may load, source by source."""
    old, new = _sources(before), _sources(after)
    yield from (Difference("+", f"content security policy: {source}", widens=True) for source in sorted(new - old))
    yield from (Difference("-", f"content security policy: {source}") for source in sorted(old - new))


def _sources(manifest: Mapping[str, Any]) -> set[str]:
    policy = manifest.get("contentSecurityPolicy")
    try:
        header = normalise(policy).header if isinstance(policy, (str, dict)) else ""
    except ValueError:  # a newer host may know more directives
        return {str(policy)}
    directives = (directive.split() for directive in header.split(";") if directive.strip())
    return {f"{name} {source}" for name, *sources in directives for source in sources or ("",)}


def _visibility(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    old, new = before.get("visibility") or "private", after.get("visibility") or "private"
    if old != new:
        yield Difference("~", f"visibility: {old} -> {new}", widens=_rank(new) > _rank(old))


def _rank(visibility: str) -> int:
    """Say how many see it; a visibility that only a newer host knows may be any, so it counts as all."""
    order = ("private", "unlisted", "public")
    return order.index(visibility) if visibility in order else len(order)


def _entries(what: str, old: Mapping[str, Any], new: Mapping[str, Any], *, used: bool = False) -> Iterator[Difference]:
    """Compare entries by name; `used`: documents may have been made with them."""
    yield from (Difference("+", f"{what} {name}") for name in new if name not in old)
    yield from (Difference("-", f"{what} {name}", removes=used) for name in old if name not in new)
    yield from (Difference("~", f"{what} {name}") for name in new if name in old and new[name] != old[name])


def _named(entries: Any) -> dict[str, Any]:
    return {entry["id"]: entry for entry in entries} if isinstance(entries, list) else {}


def _screens(manifest: Mapping[str, Any]) -> dict[str, Any]:
    screens = manifest.get("configurations") or {}
    return {level: screens[level] for level in LEVELS if level in screens}


def _short(value: Any) -> str:
    text = str(value) if value else "nothing"
    return text if len(text) <= 60 else f"{text[:57]}..."
