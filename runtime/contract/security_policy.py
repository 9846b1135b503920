"""Content security policies of integrations: parsed tolerantly, normalised, warned about.

Manifests write a policy as one string, or as an object whose values run over several lines, end with semicolons and
say `self` without quotes (docs/contract/scripts.md, "Headers and caching").
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DIRECTIVES = frozenset(
    (
        "base-uri",
        "block-all-mixed-content",
        "child-src",
        "connect-src",
        "default-src",
        "font-src",
        "form-action",
        "frame-ancestors",
        "frame-src",
        "img-src",
        "manifest-src",
        "media-src",
        "navigate-to",
        "object-src",
        "plugin-types",
        "prefetch-src",
        "referrer",
        "report-to",
        "report-uri",
        "require-sri-for",
        "require-trusted-types-for",
        "sandbox",
        "script-src",
        "script-src-attr",
        "script-src-elem",
        "style-src",
        "style-src-attr",
        "style-src-elem",
        "trusted-types",
        "upgrade-insecure-requests",
        "worker-src",
    )
)
KEYWORDS = frozenset(
    (
        "self",
        "none",
        "unsafe-inline",
        "unsafe-eval",
        "unsafe-hashes",
        "strict-dynamic",
        "report-sample",
        "wasm-unsafe-eval",
        "inline-speculation-rules",
    )
)
SOURCE = re.compile(
    r"""^(?:\*|'[a-z-]+'|'nonce-[A-Za-z0-9+/_=-]+'|'sha(?:256|384|512)-[A-Za-z0-9+/_=-]+'
        |[a-z][a-z0-9+.-]*:
        |(?:[a-z][a-z0-9+.-]*://)?(?:\*|(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(?::(?:\d{1,5}|\*))?(?:/[^\s;,]*)?)$""",
    re.IGNORECASE | re.VERBOSE,
)
WITH_VALUE = re.compile(r"'(?:nonce|sha(?:256|384|512))-", re.IGNORECASE)
FREE_VALUES = frozenset(["plugin-types", "referrer", "report-to", "report-uri", "require-sri-for", "trusted-types"])
FREE_VALUES |= {"require-trusted-types-for", "sandbox", "upgrade-insecure-requests", "block-all-mixed-content"}
MAX_LENGTH = 16_384
LOADING = (
    "script-src", "style-src", "img-src", "font-src", "connect-src", "frame-src", "media-src", "worker-src",
    "child-src", "manifest-src", "object-src",
)  # fmt: skip
"""Directives of a page of a site: what a script asks for as `default-src` is repeated in those it does not name."""
ROOM_ON_SITES = 12_288
"""Characters that a page of a site has for the policies of all scripts together: clients take 16 KB of headers."""
OWN_ADDRESS = 300
"""Characters of it that the address of a script may take."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy as the header value it becomes, and what was odd about it."""

    header: str
    warnings: tuple[str, ...]


def normalise(policy: str | dict[str, str]) -> Policy:
    """Turn both forms of a policy into one header value; raises ValueError with what to write instead."""
    warnings: list[str] = []
    pairs = _split(policy) if isinstance(policy, str) else list(policy.items())
    directives: dict[str, list[str]] = {}
    for raw_name, raw_value in pairs:
        name = raw_name.strip().lower()
        if name not in DIRECTIVES:
            raise ValueError(
                f"`{name[:60]}` is not a directive of a content security policy; known directives: {_some(DIRECTIVES)}"
            )
        if name in directives:
            warnings.append(f"`{name}` appears twice; browsers would use only the first, so the values were joined")
        directives.setdefault(name, []).extend(_values(name, raw_value, warnings))
    header = "; ".join(" ".join([name, *dict.fromkeys(values)]) for name, values in directives.items())
    if len(header) > MAX_LENGTH:
        raise ValueError(f"the policy is {len(header)} characters long; at most {MAX_LENGTH} fit in a header")
    everywhere = sum(len(value) + 1 for value in dict.fromkeys(directives.get("default-src", ())))
    on_sites = len(header) + everywhere * sum(name not in directives for name in LOADING)
    if on_sites > ROOM_ON_SITES - OWN_ADDRESS:
        repeated = ", with `default-src` repeated for each kind of source," if on_sites > len(header) else ""
        warnings.append(
            f"the policy takes {on_sites} characters{repeated} on pages of sites, which leave out a script whose "
            f"policy does not fit into {ROOM_ON_SITES - OWN_ADDRESS}, with those of other integrations"
        )
    return Policy(header, tuple(warnings))


def _split(text: str) -> list[tuple[str, str]]:
    parts = (part.split(None, 1) for part in text.split(";") if part.strip())
    return [(words[0], words[1] if len(words) > 1 else "") for words in parts]


def _values(name: str, raw: str, warnings: list[str]) -> list[str]:
    if not raw.isascii() or any(ord(char) < 32 and char not in "\t\r\n" for char in raw):
        raise ValueError(f"`{name}` contains a character that is not allowed in a header")
    if ";" in raw.strip().rstrip(";"):
        warnings.append(f"`{name}` contains a semicolon between its values; it was read as a space")
    values = []
    for value in raw.replace(";", " ").split():
        bare = value.lower()
        if bare in KEYWORDS:
            warnings.append(f"`{name}`: `{value}` must be in single quotes; it was read as `'{bare}'`")
            value = f"'{bare}'"
        if name not in FREE_VALUES and not SOURCE.fullmatch(value):
            raise ValueError(
                f"`{name}`: `{value[:80]}` is not a source; write a host, a scheme such as `https:`, or `'self'`"
            )
        values.append(_in_one_case(value))
    return values


def _in_one_case(value: str) -> str:
    """Write a quoted source as it is compared: browsers see no capitals in it but in what a nonce or hash holds."""
    if not value.startswith("'"):
        return value
    found = WITH_VALUE.match(value)
    return found[0].lower() + value[found.end() :] if found is not None else value.lower()


def _some(names: frozenset[str]) -> str:
    return ", ".join(sorted(name for name in names if name.endswith("-src")))
