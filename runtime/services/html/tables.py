"""Converts table blocks to HTML tables; cards are tables without borders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import escape

from runtime.contract.document_size import MAX_DOCUMENT_PARTS
from runtime.contract.document_tables import LONGEST_LABEL, option_labels
from runtime.services.html.inlines import InlineWriter, Node, data_of, objects, text_in

SIDES = frozenset(("left", "center", "right"))
Blocks = Callable[[Any], str]


def table(node: Node, inlines: InlineWriter, blocks: Blocks) -> str:
    """Write a table: columns in the view's order, records in their own."""
    data = data_of(node)
    view, definition, records = (_object(data.get(name)) for name in ("view", "definition", "records"))
    shown = view.get("columns")
    listed = shown if isinstance(shown, list) else []
    # Each once: a table with one column a thousand times is small, and its cells are not.
    names = list(dict.fromkeys(name for name in listed if isinstance(name, str) and name in definition))
    if not names:
        return ""
    cards = view.get("type") == "cards"
    texts = {text_in(one, "fragment"): one.get("nodes") for one in objects(node.get("fragments"))}
    columns = [_object(definition[name]) for name in names]
    labels = {name: option_labels(column) for name, column in zip(names, columns, strict=True)}
    head = ""
    if not cards and not view.get("hideHeader"):
        cells = "".join(f"<th{_side(column)}>{escape(text_in(column, 'title'))}</th>" for column in columns)
        head = f"<thead><tr>{cells}</tr></thead>"
    rows = []
    in_order = sorted(map(_object, records.values()), key=lambda one: str(one.get("orderIndex")))
    for record in in_order[: MAX_DOCUMENT_PARTS // len(names)]:
        values = _object(record.get("values"))
        cells = "".join(
            f"<td{_side(column)}>{_cell(values.get(name), column, labels[name], texts, inlines, blocks)}</td>"
            for name, column in zip(names, columns, strict=True)
        )
        rows.append(f"<tr>{cells}</tr>")
    table = f"<table{' class=cards' if cards else ''}>{head}<tbody>{''.join(rows)}</tbody></table>"
    # What is wider than the page scrolls in here, also with the keyboard.
    return f'<div class="wide" role="group" aria-label="Table" tabindex="0">{table}</div>'


def _cell(
    value: Any,
    column: Mapping[str, Any],
    labels: Mapping[str, str],
    texts: dict[Any, Any],
    inlines: InlineWriter,
    blocks: Blocks,
) -> str:
    kind = column.get("type")
    if value is None:
        return ""
    if kind == "text":
        nodes = texts.get(value) if isinstance(value, str) else None
        if isinstance(value, str) and value in texts:
            texts[value] = []  # a text is one cell's, however many name it
        return blocks(nodes) if nodes is not None else str(escape(value if isinstance(value, str) else ""))
    if kind == "checkbox":
        return "☑" if value is True else "☐"
    if kind == "rating" and isinstance(value, int) and not isinstance(value, bool):
        return "★" * max(0, min(value, 10))
    if kind == "select":
        chosen = value if _is_list(value) else [value]
        return ", ".join(str(escape(labels.get(one, one)[:LONGEST_LABEL])) for one in _texts(chosen))
    if kind in ("files", "users"):
        refs = [{"kind": kind[:-1], kind[:-1]: one} for one in _texts(value)] if _is_list(value) else []
        return ", ".join(inlines.link(ref, str(escape(inlines.named(ref)))) for ref in refs)
    if kind == "image" and isinstance(value, dict):
        return inlines.picture({"ref": value.get("ref", value)})
    if kind == "content-ref" and isinstance(value, dict):
        return inlines.link(value, str(escape(inlines.named(value))))
    return str(escape(value)) if isinstance(value, int | float | str) else ""


def _texts(values: list[Any]) -> list[str]:
    """Return the texts of a list, each once."""
    return list(dict.fromkeys(one for one in values if isinstance(one, str)))


def _side(column: Mapping[str, Any]) -> str:
    side = text_in(column, "textAlignment")
    return f' class="{side}"' if side in SIDES and side != "left" else ""


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_list(value: Any) -> bool:
    return isinstance(value, list)
