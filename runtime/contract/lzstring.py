"""Reads LZ-string texts: render requests in a query parameter (docs/contract/api.md, "Rendering").

No port on PyPI limits what it unpacks, and 200 KB of input can grow to gigabytes, so the decoder is our own: it knows
the length of each phrase before it builds it and stops at a limit.
"""

from __future__ import annotations

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"
_NORMAL = str.maketrans({" ": "+", "/": "-"})
_BITS = {char: int(f"{value:06b}"[::-1], 2) for value, char in enumerate(ALPHABET)}
_EIGHT, _SIXTEEN, _END = 0, 1, 2


class NotLzString(ValueError):
    """The text is not LZ-string, or unpacks to more than is allowed."""


class _Bits:
    """Numbers out of six bits per character; a number's lowest bit comes first."""

    def __init__(self, text: str) -> None:
        self._chars = iter(text)
        self._buffer = self._count = 0

    def read(self, width: int) -> int:
        while self._count < width:
            try:
                self._buffer |= _BITS[next(self._chars)] << self._count
            except StopIteration:
                raise NotLzString("the text ends too early") from None
            except KeyError as error:
                raise NotLzString(f"{error.args[0]!r} is not a character of LZ-string") from None
            self._count += 6
        number = self._buffer & ((1 << width) - 1)
        self._buffer >>= width
        self._count -= width
        return number


def decompress(text: str, most: int) -> str:
    """Unpack what `compressToEncodedURIComponent` or `compressToBase64` made.

    `most` is the longest result in UTF-16 code units. Raises NotLzString for anything else, or anything longer.
    """
    bits = _Bits(text.translate(_NORMAL).rstrip("=$"))
    first = bits.read(2)
    if first == _END:
        return ""
    if first > _END:
        raise NotLzString("it begins with an invalid code")
    phrase = chr(bits.read(8 if first == _EIGHT else 16))
    phrases = ["", "", "", phrase]
    parts, length = [phrase], 1
    width, countdown = 3, 4
    while True:
        code = bits.read(width)
        if code == _END:
            return _joined(parts)
        if code in (_EIGHT, _SIXTEEN):
            phrases.append(chr(bits.read(8 if code == _EIGHT else 16)))
            code = len(phrases) - 1
            countdown -= 1
        if countdown == 0:
            countdown, width = 1 << width, width + 1
        if code > len(phrases):
            raise NotLzString("it contains an invalid code")
        next_phrase = phrases[code] if code < len(phrases) else phrase + phrase[0]
        length += len(next_phrase)
        if length > most:
            raise NotLzString(f"it unpacks to more than {most} characters")
        parts.append(next_phrase)
        phrases.append(phrase + next_phrase[0])
        phrase = next_phrase
        countdown -= 1
        if countdown == 0:
            countdown, width = 1 << width, width + 1


def _joined(parts: list[str]) -> str:
    """Join UTF-16 code units; surrogates become the characters they stand for."""
    text = "".join(parts)
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError as error:
        raise NotLzString("it contains an unpaired surrogate") from error
