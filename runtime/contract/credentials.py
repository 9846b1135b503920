"""Detection of secrets: by name, by shape, and by minimum length."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

LONGEST_NAME = 200
SHORTEST = 4
"""Shorter texts are not looked for: whoever knows that there is one tries them all, and every line would lose words."""
LONG = 16
"""What a sign-in left behind a button is a secret from this length on, when it is one word."""
_EVERYDAY = """
true false null none undefined default auto automatic on off yes enabled disabled active inactive test tests
testing debug info warn warning error trace verbose silent dev devel develop development stage staging prod
production preview sandbox live local localhost demo example sample placeholder changeme change-me todo admin
administrator user username guest root owner member team public private internal external main master head
latest stable beta alpha release version name title text string number boolean value secret secrets token
tokens password passwords key keys code state type kind mode host port http https json yaml html text/html
application/json utf-8 utf8 bearer basic oauth oauth2 read write read-only readonly full small large medium
light dark english german french spanish en-us en-gb de-de fr-fr es-es europe us-east us-west eu-west
us-east-1 us-west-2 eu-west-1 eu-central-1 space site page pages block organization integration installation
"""
EVERYDAY = frozenset(_EVERYDAY.split())
"""Words that settings hold and logs are full of: hiding them hides nothing, and makes lines unreadable."""

_WORDS = (
    r"(?:access|refresh|id|auth|api|bot|user|app|bearer|session|csrf|xsrf|jwt|oauth|personal|verification|webhook|"
    r"gitlab|github|slack|private|bridge|shared)"
)
_JOIN = r"[_.-]?"
NAME = re.compile(
    rf"(?i)(?:.*{_JOIN}(?:pass(?:word|wd|phrase|code)|secret|credentials?|private{_JOIN}key|api{_JOIN}key|"
    rf"access{_JOIN}key|share{_JOIN}key|signing{_JOIN}key|encryption{_JOIN}key|master{_JOIN}key|secret{_JOIN}key|token|jwt)"
    rf"|(?:.*[_.-])?(?:authorization|pin)|cookies?|set-cookie|x-auth|{_WORDS}{_JOIN}(?:key|auth))"
)
"""Names of fields, headers and parameters that hold credentials, whole."""
NOT_SECRET = re.compile(r"(?i).*(?:token_?type|_?url|_?uri|expires(?:_in|_at)?|_?id|count|name|title)")
ONE_TIME = frozenset(("code", "state"))
"""Parameters with which a sign-in comes back; alone, they may be anything."""


def worth_hiding(text: str) -> bool:
    """Return whether a secret of this text is looked for in what is kept.

    It has at least 4 characters besides spaces and backslashes, and is none of the everyday words that settings hold.
    """
    stripped = text.replace("\\", "").strip()
    return len(stripped) >= SHORTEST and stripped.casefold() not in EVERYDAY and len(set(stripped)) > 1


def is_credential(name: str) -> bool:
    """Return whether a field of this name holds a credential."""
    return len(name) <= LONGEST_NAME and _is_credential(name)


@lru_cache(maxsize=2048)
def _is_credential(name: str) -> bool:
    return NAME.fullmatch(name) is not None


def of_configuration(configuration: Any, marked: Iterable[str] = (), buttons: Iterable[str] = ()) -> Iterator[str]:
    """Yield the texts of a configuration that are secrets, at any depth.

    Those under the properties that the manifest marks, those under names of credentials (`access_token`), and behind a
    button, where a sign-in leaves what it was given, every long text of one word.
    """
    marked, buttons = frozenset(marked), frozenset(buttons)
    waiting = [(configuration, "", False, False, 0)]
    while waiting:
        value, name, secret, button, depth = waiting.pop()
        if isinstance(value, Mapping):
            for key, value_ in value.items():
                top = depth == 0
                hidden = secret and not NOT_SECRET.fullmatch(key)
                hidden = hidden or is_credential(key) or (top and key in marked)
                waiting.append((value_, key, hidden, button or (top and key in buttons), depth + 1))
        elif isinstance(value, list):
            waiting.extend((value_, name, secret, button, depth + 1) for value_ in value)
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            text = str(value)
            by_itself = button and isinstance(value, str) and len(text) >= LONG and not re.search(r"\s|://", text)
            if secret or by_itself:
                yield text


def marked_properties(configurations: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """Return the names of properties that a manifest's configurations mark as secret, and of those that are buttons."""
    marked: set[str] = set()
    buttons: set[str] = set()
    for screen in configurations.values():
        for name, property_ in (screen.get("properties") or {}).items():
            if property_.get("secret"):
                marked.add(name)
            if property_.get("type") == "button":
                buttons.add(name)
    return marked, buttons
