"""Takes secrets out of what is kept: by value in every usual spelling, by shape, and by the names they stand under.

A text without secrets comes out as it went in. The time is linear in the text. One text is looked at as a whole: a
secret that a script writes in two pieces, each on a line of its own, is found where the pieces are lines of the secret.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote_plus

from runtime.contract.credentials import ONE_TIME, is_credential, worth_hiding
from runtime.contract.event_privacy import SHOWN

MASK = "[secret]"
MOST = 256
"""Secrets of one call that are looked for; of a call with more nothing is kept that may hold one."""
LINE = 16
"""Characters from which on a line of a secret of several lines, such as a key, is a secret by itself."""

_PERCENT = "%(?:25){0,3}"  # a URL inside a URL, up to four deep
_BACKSLASH = rf"(?:\\|{_PERCENT}5[Cc])"
_BEFORE = f"{_BACKSLASH}{{0,16}}"  # JSON inside JSON doubles them
_CONTROLS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_ENTITIES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")

_BEARER = re.compile(r"(?i)\b(bearer|basic)((?:\s|\+|%20)+)[A-Za-z0-9._~+/=%-]{8,}")
_PERSONAL = re.compile(r"dk_[A-Za-z0-9_-]{20,}")
_RUN = re.compile(r"[A-Za-z0-9_.-]{30,}")
_NAMED = re.compile(
    r"(?i)((?:access|refresh|id|jwt|csrf|session)[_-]?token|client[_-]?secret|signing[_-]?secret|api[_-]?key|"
    r"private[_-]?key|passw(?:or)?d)(\\{0,7}[\"']?\s{0,8}(?:[:=]|%3[Dd])\s{0,8}\\{0,7}[\"']?)"
    r"((?!\[secret\])[^\s\"'\\&,;<>{}\[\]()]{4,})"
)
_HINTS = ("oken", "OKEN", "ecret", "ECRET", "ey", "EY", "assw", "ASSW")
_SCHEMES = ("earer", "EARER", "asic", "ASIC")
_LOUD: tuple[str, ...] = (
    "pass",
    "secret",
    "credential",
    "key",
    "token",
    "jwt",
    "pin",
    "auth",
    "cookie",
    "code=",
    "dk_",
    "eyj",
)
_LOUD += ("bearer", "basic")


def _hex(number: int) -> str:
    return "".join(f"[{one}{one.upper()}]" if one.isalpha() else one for one in f"{number:02x}")


def _spellings(one: str) -> str:
    """Give a pattern for a character as JSON, URLs, forms and HTML write it, also inside each other."""
    units = one.encode("utf-16-be", "surrogatepass")
    unicode = "".join(f"{_BACKSLASH}{{1,16}}u{_hex(units[at])}{_hex(units[at + 1])}" for at in range(0, len(units), 2))
    percent = "".join(f"{_PERCENT}{_hex(byte)}" for byte in one.encode("utf-8", "surrogatepass"))
    ways = [percent, re.escape(one), unicode]  # `%25` is a `%` as a whole
    if one == " ":
        ways += [r"\+", f"{_PERCENT}2[Bb]"]
    if one in _CONTROLS:
        ways.append(f"{_BACKSLASH}{{1,16}}{_CONTROLS[one]}")
    if one in _ENTITIES:
        ways.append(f"&(?:amp;)?(?:{_ENTITIES[one]}|#0?{ord(one)}|#[xX]{_hex(ord(one))});")
    pattern = f"(?:{'|'.join(ways)})"
    return _BEFORE + pattern if one in "\"'/" else pattern


def _pattern(secret: str) -> str:
    """Give a pattern for a secret in every spelling.

    Backslashes of the secret match any number of them, so that a pattern has one way only to match and stays linear.
    """
    parts: list[str] = []
    for one in secret.strip("\\"):
        if one == "\\":
            if parts[-1] != f"{_BACKSLASH}*":
                parts.append(f"{_BACKSLASH}*")
        elif _PLAIN.fullmatch(one):
            parts.append(one if one != "." else r"\.")
        elif parts and parts[-1] == f"{_BACKSLASH}*":
            parts.append(_spellings(one).removeprefix(_BEFORE))
        else:
            parts.append(_spellings(one))
    return "".join(parts)


def _cores(secret: str) -> list[str]:
    """Give what Base64 makes of a secret wherever it stands in a longer text, less the characters at its edges."""
    content = secret.encode("utf-8", "surrogatepass")
    cores = []
    for offset in range(3):
        whole = base64.b64encode(b"\x00" * offset + content).decode()
        first = (offset * 8 + 5) // 6
        core = whole[first : (offset + len(content)) * 8 // 6]
        if len(core) >= 6:
            cores.append(core)
            if "+" in core or "/" in core:
                cores.append(core.replace("+", "-").replace("/", "_"))
    return cores


class Masker:
    """Takes these secrets out of texts, addresses, headers and payloads; may be shared between threads."""

    __slots__ = ("__dict__", "_exact", "_more", "_spelled")

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Take the secrets; those that hide nothing (`worth_hiding`) are left alone."""
        wanted = {one.strip() for one in secrets if worth_hiding(one)}
        for one in [one for one in wanted if "\n" in one]:
            wanted |= {line.strip() for line in one.splitlines() if len(line.strip()) >= LINE}
        self._more = len(wanted) > MOST
        ordered = () if self._more else tuple(sorted(wanted, key=len, reverse=True))
        self._exact = tuple(one for one in ordered if _PLAIN.fullmatch(one))
        self._spelled = tuple(one for one in ordered if not _PLAIN.fullmatch(one))

    @cached_property
    def _encoded(self) -> tuple[str, ...]:
        return tuple(core for one in (*self._exact, *self._spelled) for core in _cores(one))

    @cached_property
    def _needles(self) -> tuple[tuple[str, re.Pattern[str] | None], ...]:
        """Texts to look for; with a pattern, a text is only what must be there for the pattern to match."""
        told: list[tuple[str, re.Pattern[str] | None]] = [(one, None) for one in self._exact]
        for one in (*self._spelled, *(core for core in self._encoded if not _PLAIN.fullmatch(core))):
            anchor = max(_PLAIN.findall(one), key=len, default="")
            told.append((anchor, re.compile(_pattern(one))))
        told += [(core, None) for core in self._encoded if _PLAIN.fullmatch(core)]
        return tuple(told)

    @cached_property
    def _first(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(needle for needle, _ in self._needles))

    def text(self, text: str) -> str:
        """Give a text without secrets."""
        if not text:
            return text
        if self._more:
            return MASK
        found: list[tuple[int, int]] = []
        for needle, pattern in self._needles:
            if needle in text:
                found += _places(text, needle, pattern)
        if found:
            text = _without(text, found)
        return _without_shapes(text)

    def quiet(self, text: str) -> bool:
        """Tell whether a text, or JSON, surely holds nothing to take out; where it says no, one has to look closer."""
        if self._more or "\\" in text:
            return False
        for needle in self._first:
            if needle in text:
                return False
        lower = text.lower()
        return all(word not in lower for word in _LOUD)

    def payload(self, event: dict[str, Any], text: str) -> str:
        """Give the JSON text of an event without secrets; its ids stay, so that it is still found and sent again."""
        if self.quiet(text):
            return text
        kept = {
            name: value if name in SHOWN and isinstance(value, str) else self.value(value, name)
            for name, value in event.items()
        }
        if event.get("type") == "fetch_visitor_authentication" and event.get("cookies"):
            kept["cookies"] = dict.fromkeys(event["cookies"], MASK)
        return json.dumps(kept, separators=(",", ":"))

    def url(self, url: str) -> str:
        """Give an address without secrets, and without the values of parameters that hold credentials."""
        head, mark, rest = url.partition("?")
        if not mark:
            head, hash_, fragment = url.partition("#")
            return self.text(head) + hash_ + self._parameters(fragment) if hash_ else self.text(url)
        query, hash_, fragment = rest.partition("#")
        return self.text(f"{head}?{self._parameters(query)}") + hash_ + self._parameters(fragment)

    def _parameters(self, query: str) -> str:
        """Mask in a query or form what stands under names of credentials."""
        pairs = [pair.partition("=") for pair in query.split("&")]
        names = [unquote_plus(name) for name, _, _ in pairs]
        back = "code" in names and ("state" in names or len(names) == 1)
        kept = [
            f"{pair[0]}={MASK}"
            if pair[2] and (is_credential(name) or name == "key" or (back and name in ONE_TIME))
            else "".join(pair)
            for name, pair in zip(names, pairs, strict=True)
        ]
        return self.text("&".join(kept))

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Give headers without credentials; those that are addresses lose what an address loses."""
        return {
            name: MASK if is_credential(name) else self.url(value) if "://" in value else self.text(value)
            for name, value in headers.items()
        }

    def body(self, body: str) -> str:
        """Give a body of a request, JSON, a form or text, without secrets."""
        if body[:1] in "{[":
            try:
                value = json.loads(body)
                masked = self.value(value)
            except (ValueError, RecursionError):
                return self.text(body)
            return body if masked == value else json.dumps(masked, separators=(",", ":"), ensure_ascii=False)
        if re.match(r"[\w.%+\[\]-]+=", body) and "\n" not in body and " " not in body:
            return self._parameters(body)
        return self.text(body)

    def value(self, value: Any, name: str = "") -> Any:
        """Give a JSON value without secrets: in its texts, numbers and names, and under names of credentials."""
        if isinstance(value, str):
            if value and name and is_credential(name):
                return MASK
            return self.url(value) if "://" in value and "\n" not in value else self.text(value)
        if isinstance(value, Mapping):
            return {self.text(key): self.value(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [self.value(one, name) for one in value]
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            written = str(value)
            return value if self.text(written) == written else MASK
        return value


def _places(text: str, needle: str, pattern: re.Pattern[str] | None) -> list[tuple[int, int]]:
    if pattern is not None:
        return [found.span() for found in pattern.finditer(text)]
    places, at = [], text.find(needle)
    while at >= 0:
        places.append((at, at + len(needle)))
        at = text.find(needle, at + len(needle))
    return places


def _without(text: str, places: list[tuple[int, int]]) -> str:
    """Put one mask in place of every stretch; those that touch or overlap become one."""
    parts: list[str] = []
    ended = 0
    for start, end in sorted(places):
        if start > ended or not parts:
            parts += (text[ended:start], MASK)
        ended = max(ended, end)
    return "".join([*parts, text[ended:]])


def _without_shapes(text: str) -> str:
    """Take out what looks like a credential, whoever made it."""
    if "dk_" in text:
        text = _PERSONAL.sub(MASK, text)
    if "eyJ" in text:
        text = _RUN.sub(_signed, text)
    if any(hint in text for hint in _HINTS):
        text = _NAMED.sub(rf"\1\2{MASK}", text)
    if any(hint in text for hint in _SCHEMES):
        text = _BEARER.sub(rf"\1\2{MASK}", text)
    return text


def _signed(run: re.Match[str]) -> str:
    """Take a signed token (JWT) out of a run of its characters."""
    head, mark, rest = run[0].partition("eyJ")
    return head + MASK if mark and rest.count(".") >= 2 else run[0]


BY_SHAPE = Masker()
"""For texts of nobody in particular: what looks like a credential goes, whatever its value."""
