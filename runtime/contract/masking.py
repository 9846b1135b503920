"""Takes secrets out of what is kept: by value in every usual spelling, by shape, and by the names they stand under.

A text without secrets comes out as it went in. The time is linear in the text. One text is looked at as a whole: a
secret that a script writes in two pieces, each on a line of its own, is found where the pieces are lines of the secret.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote_plus

from runtime.contract.credentials import ONE_TIME, is_credential, worth_hiding
from runtime.contract.event_privacy import SHOWN
from runtime.contract.unescaping import Unescaped, unescape
from runtime.contract.unstorable import UNPAIRED_SURROGATE

MASK = "[secret]"
MOST = 256
"""Secrets of one call that are looked for; of a call with more nothing is kept that may hold one."""
LINE = 16
"""Characters from which on a line of a secret of several lines, such as a key, is a secret by itself."""

SHORT = 24
"""Characters up to which a secret is looked for by a pattern, which takes as many steps as it is long for each of the
text. Of a longer one the middle is looked for in the text's one form (`unescaping`), which takes none."""
EDGE = 6
"""Characters at each end of a longer one that what stands beside it may change: `%` before `41` makes an `A`."""
MAX_SPELLED = 32
"""Secrets looked for by patterns; of a call with more nothing is kept that may hold one."""

_PERCENT = "%(?:25){0,3}"  # a URL inside a URL, up to four deep
_BACKSLASH = rf"(?:\\|{_PERCENT}5[Cc])"
# JSON inside JSON doubles them. Atomic, since what follows may be escaped itself: were both able to take the same
# backslashes, a text could be matched in 16 ways for each such character, and `re` would try all of their combinations.
_BEFORE = f"(?>{_BACKSLASH}{{0,16}})"
_ANY = f"(?>{_BACKSLASH}{{0,64}})"  # bounded, since a text may begin again at each of them
_AFTER_ONE = r"(?<=[\\Cc])"  # `\` itself, or the end of `%5C`
_CONTROLS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_ENTITIES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")

_BEARER = re.compile(r"(?i)\b(bearer|basic)((?:\s|\+|%20)+)[A-Za-z0-9._~+/=%-]{8,}")
_PERSONAL = re.compile(r"dk_[A-Za-z0-9_-]{20,}")
_RUN = re.compile(r"[A-Za-z0-9_.-]{30,}")
_NAMED = re.compile(
    r"(?i)((?:access|refresh|id|jwt|csrf|session)[_-]?token|client[_-]?secret|signing[_-]?secret|(?:api|share)[_-]?key|"
    r"private[_-]?key|passw(?:or)?d)(\\{0,7}[\"']?\s{0,8}(?:[:=]|%3[Dd])\s{0,8}\\{0,7}[\"']?)"
    r"((?!\[secret\])[^\s\"'\\&,;<>{}\[\]()]{4,})"
)
_ONE_TIME = re.compile(r"(?:(?<![\w.-])|(?<=u0026))code=([^\s\"'\\&<>#,;()\[\]{}]{16,})")
"""The code that an identity provider sends somebody back with, in an address or a form; also where JSON escapes `&`."""
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
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{number:02x}")


def _spellings(character: str, *, after: bool) -> str:
    """Return a pattern for a character as JSON, URLs, forms and HTML write it, also inside each other.

    `after` is for one before which all backslashes were taken.
    """
    units = character.encode("utf-16-be", "surrogatepass")
    escape = _AFTER_ONE if after else f"{_BACKSLASH}{{1,16}}"
    unicode = "".join(
        f"{escape if at == 0 else f'{_BACKSLASH}{{1,16}}'}u{_hex(units[at])}{_hex(units[at + 1])}"
        for at in range(0, len(units), 2)
    )
    percent = "".join(f"{_PERCENT}{_hex(byte)}" for byte in character.encode("utf-8", "surrogatepass"))
    ways = [percent, re.escape(character), unicode]  # `%25` is a `%` as a whole
    if character == " ":
        ways += [r"\+", f"{_PERCENT}2[Bb]"]
    if character in _CONTROLS:
        ways.append(f"{escape}{_CONTROLS[character]}")
    if character in _ENTITIES:
        # First: of `&amp;` the `&` alone would leave the rest behind.
        ways.insert(0, f"&(?:amp;)?(?:{_ENTITIES[character]}|#0?{ord(character)}|#[xX]{_hex(ord(character))});")
    return f"(?:{'|'.join(ways)})"


def _pattern(secret: str) -> str:
    """Return a pattern for a secret in every spelling.

    Backslashes of the secret match any number of them, and are taken all at once, so that a pattern has one way only to
    match and stays linear.
    """
    parts: list[str] = []
    for character in secret.strip("\\"):
        if character == "\\":
            if parts[-1] != _ANY:
                parts.append(_ANY)
        elif _PLAIN.fullmatch(character):
            parts.append(character if character != "." else r"\.")
        else:
            if character in "\"'/" and not (parts and parts[-1] == _ANY):
                parts.append(_BEFORE)
            parts.append(_spellings(character, after=bool(parts) and parts[-1] in (_ANY, _BEFORE)))
    return "".join(parts)


def _cores(secret: str) -> list[str]:
    """Return what Base64 makes of a secret wherever it is in a longer text, less the characters at its edges."""
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
        hidden = {secret.strip() for secret in secrets if worth_hiding(secret)}
        for secret in [secret for secret in hidden if "\n" in secret]:
            hidden |= {line.strip() for line in secret.splitlines() if len(line.strip()) >= LINE}
        self._more = len(hidden) > MOST
        ordered = () if self._more else tuple(sorted(hidden, key=len, reverse=True))
        self._exact = tuple(secret for secret in ordered if _PLAIN.fullmatch(secret))
        self._spelled = tuple(secret for secret in ordered if not _PLAIN.fullmatch(secret))
        if sum(len(secret) <= SHORT for secret in self._spelled) > MAX_SPELLED:
            self._more = True

    @cached_property
    def _encoded(self) -> tuple[str, ...]:
        return tuple(core for secret in (*self._exact, *self._spelled) for core in _cores(secret))

    @cached_property
    def _needles(self) -> tuple[tuple[str, re.Pattern[str] | str | None], ...]:
        """Texts to look for; with more, a text is only what must be there for a pattern, or a middle, to match."""
        needles: list[tuple[str, re.Pattern[str] | str | None]] = [(secret, None) for secret in self._exact]
        for secret in (*self._spelled, *(core for core in self._encoded if not _PLAIN.fullmatch(core))):
            anchor = max(_PLAIN.findall(secret), key=len, default="")
            form = unescape(secret).text
            if len(form) > SHORT or len(secret) > SHORT * SHORT:  # as one of many `%25`, which are one character
                needles.append((anchor, form[EDGE:-EDGE] or form or secret))
            else:
                needles.append((anchor, re.compile(_pattern(secret))))
        needles += [(core, None) for core in self._encoded if _PLAIN.fullmatch(core)]
        return tuple(needles)

    @cached_property
    def _first(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(needle for needle, _ in self._needles))

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        if not text:
            return text
        if self._more:
            return MASK
        places: list[tuple[int, int]] = []
        form: Unescaped | None = None
        for needle, more in self._needles:
            if needle not in text:
                continue
            if isinstance(more, str):
                form = form or unescape(text)
                places += _around(form, more)
            elif more is not None:
                places += [match.span() for match in more.finditer(text)]
            else:
                places += [(at, at + len(needle)) for at in _found(text, needle)]
        # In the text as it is: what stands in place of a secret would hide the rest of a token that contains it.
        places += _shapes(text)
        return _without(text, places) if places else text

    def quiet(self, text: str) -> bool:
        """Return whether a text, or JSON, certainly contains nothing to mask; False means that it must be searched."""
        if self._more or "\\" in text:
            return False
        for needle in self._first:
            if needle in text:
                return False
        lower = text.lower()
        return all(word not in lower for word in _LOUD)

    def payload(self, text: str) -> str:
        """Return the JSON text of an event without secrets; its ids stay, so that it is still found and sent again."""
        if self.quiet(text):
            return text
        event: dict[str, Any] = json.loads(text)
        kept = {
            name: value if name in SHOWN and isinstance(value, str) else self.value(value, name)
            for name, value in event.items()
        }
        if event.get("type") == "fetch_visitor_authentication" and event.get("cookies"):
            kept["cookies"] = dict.fromkeys(event["cookies"], MASK)
        return json.dumps(kept, separators=(",", ":"))

    def url(self, url: str) -> str:
        """Return an address without secrets, and without the values of parameters that hold credentials."""
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
        parameters = [
            f"{pair[0]}={MASK}"
            if pair[2] and (is_credential(name) or name == "key" or (back and name in ONE_TIME))
            else "".join(pair)
            for name, pair in zip(names, pairs, strict=True)
        ]
        return self.text("&".join(parameters))

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Return headers without credentials; those that are addresses lose what an address loses."""
        return {
            name: MASK if is_credential(name) else self.url(value) if "://" in value else self.text(value)
            for name, value in headers.items()
        }

    def body(self, body: str) -> str:
        """Return a body of a request, JSON, a form or text, without secrets."""
        if body[:1] in "{[":
            try:
                value = json.loads(body)
                masked = self.value(value)
            except (ValueError, RecursionError):
                return self.text(body)
            return body if masked == value else _written(masked)
        if re.match(r"[\w.%+\[\]-]+=", body) and "\n" not in body and " " not in body:
            return self._parameters(body)
        return self.text(body)

    def value(self, value: Any, name: str = "") -> Any:
        """Return a JSON value without secrets: in its texts, numbers and names, and under names of credentials."""
        if isinstance(value, str):
            if value and name and is_credential(name):
                return MASK
            return self.url(value) if "://" in value and "\n" not in value else self.text(value)
        if isinstance(value, Mapping):
            return {self.text(key): self.value(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [self.value(item, name) for item in value]
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            written = str(value)
            return value if self.text(written) == written else MASK
        return value


def _written(value: Any) -> str:
    """Write JSON as people read it; halves of surrogate pairs stay escaped, since no text is stored with them."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text if not UNPAIRED_SURROGATE.search(text) else json.dumps(value, separators=(",", ":"))


def _found(text: str, needle: str) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + len(needle))


def _around(form: Unescaped, middle: str) -> list[tuple[int, int]]:
    """Return where in the original a secret is whose middle is in the form, with the backslashes at its ends."""
    places = []
    for at in _found(form.text, middle):
        first, after = at - EDGE, at + len(middle) + EDGE
        start = form.ends[first - 1] if first > 0 else 0
        end = form.starts[after] if after < len(form.text) else form.ends[-1]
        places.append((start, end))
    return places


def _without(text: str, places: list[tuple[int, int]]) -> str:
    """Put one mask instead of every stretch; those that touch or overlap become one."""
    parts: list[str] = []
    ended = 0
    for start, end in sorted(places):
        if start > ended or not parts:
            parts += (text[ended:start], MASK)
        ended = max(ended, end)
    return "".join([*parts, text[ended:]])


def _shapes(text: str) -> Iterator[tuple[int, int]]:
    """Find what looks like a credential, whoever made it."""
    if "dk_" in text:
        yield from (match.span() for match in _PERSONAL.finditer(text))
    if "eyJ" in text:
        yield from (span for run in _RUN.finditer(text) if (span := _signed(run)) is not None)
    if any(hint in text for hint in _HINTS):
        yield from (match.span(3) for match in _NAMED.finditer(text))
    if any(hint in text for hint in _SCHEMES):
        yield from ((match.end(2), match.end()) for match in _BEARER.finditer(text))
    if "code=" in text:
        yield from (match.span(1) for match in _ONE_TIME.finditer(text))


def _signed(run: re.Match[str]) -> tuple[int, int] | None:
    """Find a signed token (JWT) in a run of its characters."""
    at = run[0].find("eyJ")
    return (run.start() + at, run.end()) if at >= 0 and run[0].count(".", at) >= 2 else None


BY_SHAPE = Masker()
"""For texts of nobody in particular: what looks like a credential goes, whatever its value."""
