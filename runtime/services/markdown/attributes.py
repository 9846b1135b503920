"""Reads and writes attributes of tags, in HTML and in the platform's own block syntax."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from runtime.contract.finite_json import decode_finite
from runtime.contract.unstorable import UNPAIRED_SURROGATE

ENTITY = re.compile(r"&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});")
ATTRIBUTE = re.compile(r"""([A-Za-z_@][\w.:@-]*)(?:[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?""")
ESCAPED = {'"': "&quot;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\t": "&#x9;", "\n": "&#xa;", "\r": "&#xd;"}
IN_TAG = str.maketrans(ESCAPED)
KEPT = {0x09, 0x0A}
CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if code not in KEPT}


def clean(text: str) -> str:
    """Remove control characters and lone surrogates, and normalize line ends to line feeds."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(CONTROLS)
    return UNPAIRED_SURROGATE.sub("\ufffd", text)


def unescape(text: str) -> str:
    """Decode character references that end with a semicolon; others stay, such as `&copy=1` in an address."""
    return clean(ENTITY.sub(lambda found: html.unescape(found[0]), text)) if "&" in text else text


def read_attributes(text: str) -> dict[str, str]:
    """Parse `name="value"` pairs; a name alone has the value "", and of equal names the first one counts."""
    found: dict[str, str] = {}
    for match in ATTRIBUTE.finditer(text):
        found.setdefault(match[1], unescape(match[2] or match[3] or match[4] or ""))
    return found


def attribute(text: str) -> str:
    """Escape a value for use in quotation marks."""
    return clean(text).translate(IN_TAG).replace("%}", "%&#x7d;")


def write_attributes(values: dict[str, Any]) -> str:
    """Write ` name="value"` pairs, skipping None and False; True writes the name alone, other values become JSON."""
    written = []
    for name, value in values.items():
        if value is None or value is False:
            continue
        if value is True:
            written.append(f" {name}")
            continue
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        written.append(f' {name}="{attribute(text)}"')
    return "".join(written)


def elements(source: str, *names: str) -> Iterator[tuple[str, str]]:
    """Find the outermost elements with these names, in one pass, as (attributes, content)."""
    name, attributes, start = "", "", 0
    for match in re.finditer(rf"<(/?)({'|'.join(names)})(\s[^<>]*)?>", source, re.IGNORECASE):
        if not name and not match[1]:
            name, attributes, start = match[2].lower(), match[3] or "", match.end()
        elif match[1] and match[2].lower() == name:
            yield attributes, source[start : match.start()]
            name = ""


def read_json(text: str) -> Any:
    """Parse JSON; None if it is invalid or nested too deeply, or has a number that is not finite.

    Its strings become text that answers can be written with: JSON can escape halves of surrogate pairs.
    """
    try:
        return _cleaned(decode_finite(text))
    except (ValueError, RecursionError):
        return None


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return UNPAIRED_SURROGATE.sub("\ufffd", value.replace("\x00", ""))
    if isinstance(value, dict):
        return {_cleaned(name): _cleaned(inner) for name, inner in value.items()}
    return [_cleaned(inner) for inner in value] if isinstance(value, list) else value


def read_length(text: str | None) -> int | float | dict[str, Any] | None:
    """Read a Length: `300` is a number, `50%` has a unit."""
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([a-z%]{0,8})", text or "")
    if match is None:
        return None
    number = float(match[1]) if "." in match[1] else int(match[1])
    return {"unit": match[2], "value": number} if match[2] else number


def write_length(length: Any) -> str | None:
    """Write a Length as `read_length` reads it; None if it is invalid."""
    text = f"{length.get('value')}{length.get('unit')}" if isinstance(length, dict) else str(length)
    return text if read_length(text) == length else None
