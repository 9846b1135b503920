"""Texts as the words that are searched: without case, without accents, the same on every database."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

LONGEST = 40
"""Characters of a word that count."""
FEWEST_FORGIVEN = 4
"""Letters of the shortest word in which a wrong one is forgiven."""
MOST_BYTES = 4 * LONGEST
MOST_FOLDED = 4 * LONGEST
"""Characters that are looked at of a word with accents: putting many into a normal form takes the square of their
number, and what is remembered must be short."""
ALONE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Scripts that put no spaces between words: each character is one."""
WORD = re.compile(rf"[{ALONE}]|(?:(?![{ALONE}])[^\W_]|[\u0300-\u036f])+")
_PLAIN = re.compile(r"[a-z0-9]+")
"""The same in texts of ASCII alone, in small letters: several times as fast."""
_ACCENTS = re.compile(r"[\u0300-\u036f]+")
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
"""Letters that Unicode does not take apart, though people do."""


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Find the words of a text: where each begins and ends, and the word as it is searched."""
    if text.isascii():
        for match in _PLAIN.finditer(text.lower()):
            yield match.start(), match.end(), match[0][:LONGEST]
        return
    for match in WORD.finditer(text):
        word = fold(match[0])
        if word:
            yield match.start(), match.end(), word


def words_of(text: str) -> list[str]:
    """List the words of a text."""
    if text.isascii():
        return [word[:LONGEST] for word in _PLAIN.findall(text.lower())]
    return [word for word in map(fold, WORD.findall(text)) if word]


def fold(word: str) -> str:
    """Write a word without case and accents: `Überblick` as `uberblick`."""
    return word.lower()[:LONGEST] if word.isascii() else _folded(word[:MOST_FOLDED])


@lru_cache(maxsize=20_000)
def _folded(word: str) -> str:
    folded = _ACCENTS.sub("", unicodedata.normalize("NFKD", word.casefold()))
    folded = unicodedata.normalize("NFKC", folded).translate(_LETTERS)
    return "".join(sign for sign in folded if sign.isalnum())[:LONGEST]


def one_apart(word: str, other: str) -> bool:
    """Return whether one wrong, missing, additional or exchanged letter makes one word of the other."""
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    shorter, longer = sorted((word, other), key=len)
    at = next((place for place, letter in enumerate(shorter) if letter != longer[place]), len(shorter))
    if len(shorter) < len(longer):
        return shorter[at:] == longer[at + 1 :]
    if shorter[at + 1 :] == longer[at + 1 :]:
        return True
    exchanged = shorter[at + 1 : at + 2] + shorter[at : at + 1]
    return exchanged == longer[at : at + 2] and shorter[at + 2 :] == longer[at + 2 :]
