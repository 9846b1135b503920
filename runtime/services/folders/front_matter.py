"""Front matter: a page's metadata, between `---` at the top of its file."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from runtime.services.folders.yaml_text import BadYaml, read_mapping, write_yaml

Fields = dict[str, Any]
Ref = Mapping[str, Any]

_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
MAX_FRONT_MATTER = 256 * 1024
MAX_DESCRIPTION = 2000
MAX_ICON = 50
MAX_VARIABLES = 200
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
MAX_VALUE = 256
PARTS = ("title", "description", "tableOfContents", "outline", "pagination", "metadata")
OURS = frozenset(
    [
        *("title", "slug", "description", "icon", "emoji", "cover", "coverY", "layout"),
        *("hidden", "noIndex", "noRobotsIndex", "vars"),
    ]
)
"""The fields that are read here; all others stay in the file."""


def parted(text: str) -> tuple[str | None, str]:
    """Split a file into its front matter (None if there is none) and the rest."""
    opening = _OPENING.match(text)
    if opening is None:
        return None, text.removeprefix("\ufeff")
    closing = _CLOSING.search(text, opening.end(), opening.end() + MAX_FRONT_MATTER)
    if closing is None:
        return None, text.removeprefix("\ufeff")
    return text[opening.end() : closing.start()], text[closing.end() :].lstrip("\r\n")


def read_front_matter(source: str, ref: Callable[[str], Ref], problems: list[str], path: str) -> Fields:
    """Read the fields of an ImportedPage; unknown fields go into `others`, invalid ones are reported as problems.

    `ref` parses a link target.
    """
    try:
        said = read_mapping(source)
    except BadYaml as error:
        problems.append(f"{path}: its front matter is left out. {error}")
        return {}
    fields: Fields = {"others": {name: value for name, value in said.items() if name not in OURS}}
    for name, most in (
        ("title", 1000),
        ("slug", 120),
        ("description", 10_000),
        ("icon", MAX_ICON),
        ("emoji", MAX_ICON),
    ):
        value = said.get(name)
        if isinstance(value, bool | int | float):
            value = str(value)
        if isinstance(value, str) and value and len(value) <= most:
            fields[name] = value
        elif value not in (None, ""):
            problems.append(f"{path}: `{name}` is left out; it must be a text of at most {most} characters.")
    if len(fields.get("description", "")) > MAX_DESCRIPTION:
        fields["description"] = fields["description"][:MAX_DESCRIPTION]
        problems.append(f"{path}: `description` was cut after {MAX_DESCRIPTION} characters.")
    for name, field in (("hidden", "hidden"), ("noIndex", "no_index"), ("noRobotsIndex", "no_robots_index")):
        if isinstance(said.get(name), bool):
            fields[field] = said[name]
    cover = _cover(said, ref)
    if cover:
        fields["cover"] = cover
    layout = _layout(said.get("layout"))
    if layout:
        fields["layout"] = layout
    if said.get("vars") is not None:
        variables = read_variables(said["vars"], problems, path)
        if variables:
            fields["variables"] = variables
    return fields


def _cover(said: Mapping[str, Any], ref: Callable[[str], Ref]) -> Fields | None:
    value = said.get("cover")
    shown = value if isinstance(value, dict) else {"light": value}
    cover: Fields = {}
    for name, field in (("light", "ref"), ("dark", "refDark")):
        target = shown.get(name)
        if isinstance(target, str) and 0 < len(target) <= 2000:
            found = ref(target)
            if found.get("kind") in ("file", "url"):
                cover[field] = dict(found)
    if not cover:
        return None
    place = said.get("coverY", 0)
    fine = isinstance(place, int | float) and not isinstance(place, bool) and abs(place) <= 1e6
    return {**cover, "yPos": place if fine else 0}


def _layout(said: Any) -> Fields:
    if not isinstance(said, dict):
        return {}
    layout: Fields = {}
    if said.get("width") in ("default", "wide"):
        layout["width"] = said["width"]
    cover = said.get("cover")
    if isinstance(cover, dict):
        if isinstance(cover.get("visible"), bool):
            layout["cover"] = cover["visible"]
        if cover.get("size") in ("hero", "full"):
            layout["coverSize"] = cover["size"]
    for part in PARTS:
        shown = said.get(part)
        if isinstance(shown, dict) and isinstance(shown.get("visible"), bool):
            layout[part] = shown["visible"]
    return layout


def read_variables(said: Any, problems: list[str], path: str) -> Fields:
    """Read variables; invalid ones are reported as problems and left out."""
    named = said if isinstance(said, dict) else {}
    good = {
        name: value
        for name, value in named.items()
        if isinstance(name, str) and VARIABLE.fullmatch(name) and _is_value(value)
    }
    if len(good) < len(named) or not isinstance(said, dict) or len(good) > MAX_VARIABLES:
        problems.append(
            f"{path}: names of variables consist of letters, and values are texts, numbers, true or "
            "false; others are left out."
        )
    return dict(list(good.items())[:MAX_VARIABLES])


def _is_value(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, bool | str | int) and len(str(value)) <= MAX_VALUE


def write_front_matter(fields: Fields, target: Callable[[Ref], str]) -> str:
    """Write fields so that `read_front_matter` reads the same values; returns "" if there are none."""
    said: Fields = {
        name: fields[name] for name in ("title", "slug", "description", "icon", "emoji") if fields.get(name)
    }
    cover = fields.get("cover") or {}
    light, dark = cover.get("ref"), cover.get("refDark")
    if light or dark:
        shown = {name: target(ref) for name, ref in (("light", light), ("dark", dark)) if ref}
        said["cover"] = shown if dark else shown["light"]
        said["coverY"] = cover.get("yPos", 0)
    layout = _written_layout(fields.get("layout") or {})
    if layout:
        said["layout"] = layout
    for name, field in (("hidden", "hidden"), ("noIndex", "no_index"), ("noRobotsIndex", "no_robots_index")):
        if fields.get(field):
            said[name] = True
    if fields.get("variables"):
        said["vars"] = dict(fields["variables"])
    said |= fields.get("others") or {}
    return f"---\n{write_yaml(said)}---\n\n" if said else ""


def _written_layout(layout: Fields) -> Fields:
    said: Fields = {"width": layout["width"]} if "width" in layout else {}
    cover = {said: layout[name] for name, said in (("cover", "visible"), ("coverSize", "size")) if name in layout}
    if cover:
        said["cover"] = cover
    return {**said, **{part: {"visible": layout[part]} for part in PARTS if part in layout}}
