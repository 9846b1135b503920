"""The rules of ContentKit output: which elements there are, what they hold, where they may stand.

Source: docs/contract/contentkit.md. An output that breaks a rule is still drawn as far as it goes; the rules
are for authors. Children may hold what JSX leaves behind for "nothing here": null, false, true and "".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from runtime.contract.base import nul_free
from runtime.contract.json_shapes import (
    Optional,
    Shape,
    Violation,
    anything,
    at_most,
    boolean,
    kind_of,
    kinds,
    listed,
    mapping,
    number,
    one_of,
    plain_object,
    positive,
    record,
    text,
)

MOST = 200
"""Maximum number of reported violations of one output."""
ROOTS = frozenset(("block", "modal", "configuration"))
CONTROLS = frozenset(("textinput", "select", "switch", "radio", "checkbox", "button", "codeblock"))
INLINE = frozenset(("text", "image", "link"))
NOWHERE_ELSE = {"stepper": "as the one child of a `configuration`", "step": "in a `stepper`"}
ICONS = (
    *("close", "edit", "github", "gitlab", "maximize", "email", "settings", "search", "delete", "star", "warning"),
    *("link", "link-external", "eye", "eye-off", "lock", "check", "check-circle"),
)


def violations(output: Any) -> list[Violation]:
    """Return the violations of a render output, at most `MOST`."""
    try:
        nul_free(output)
    except ValueError as error:
        return [Violation("output", str(error))]
    return list(islice(_output(output, "output"), MOST))


def is_nothing(child: Any) -> bool:
    """Return whether a child is to be skipped."""
    return child is None or child == "" or isinstance(child, bool)


def _output(output: Any, path: str) -> Iterator[Violation]:
    if not isinstance(output, dict):
        yield from plain_object(output, path)
    elif output.get("type") == "complete":
        yield from record(returnValue=Optional(plain_object))(output, path)
    elif output.get("type", "element") != "element":
        yield Violation("type", "must be one of element, complete")
    else:
        for name in ("state", "props"):
            if name in output:
                yield from plain_object(output[name], name)
            else:
                yield Violation(name, "is missing")
        yield from _root(output.get("element"), "element")


def _root(value: Any, path: str) -> Iterator[Violation]:
    yield from _element(value, path, ROOTS)


def _element(value: Any, path: str, allowed: frozenset[str]) -> Iterator[Violation]:
    if not isinstance(value, dict):
        hint = '; write {"type": "text", "children": […]} for words' if isinstance(value, (str, int, float)) else ""
        yield Violation(path, f"must be an element{hint}")
        return
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in ELEMENTS:
        yield Violation(f"{path}.type", f"must name an element; `{str(kind)[:60]}` is not one, and is ignored")
        return
    if kind not in allowed:
        where = NOWHERE_ELSE.get(kind, "as the root" if kind in ROOTS else ", ".join(sorted(allowed)))
        yield Violation(path, f"`{kind}` is not allowed here, only {where}")
    yield from ELEMENTS[kind](value, path)


def _child(value: Any, path: str) -> Iterator[Violation]:
    if not is_nothing(value):
        yield from _element(value, path, CHILDREN)


def _only(allowed: frozenset[str]) -> Shape:
    def check(value: Any, path: str) -> Iterator[Violation]:
        if not is_nothing(value):
            yield from _element(value, path, allowed)

    return check


def _text_part(value: Any, path: str) -> Iterator[Violation]:
    if isinstance(value, dict):
        yield from _element(value, path, frozenset(("text", "link")))
    elif not is_nothing(value) and kind_of(value) not in ("text", "number"):
        yield from text(value, path)


def _address(value: str, path: str) -> Iterator[Violation]:
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", value):
        yield Violation(path, "must be an absolute address, such as https://example.com/picture.png")


def _content(value: list[Any], path: str) -> Iterator[Violation]:
    """Check the children of a configuration: exactly one stepper, or one or more other elements."""
    there = [child for child in value if not is_nothing(child)]
    steppers = [child for child in there if isinstance(child, dict) and child.get("type") == "stepper"]
    if not there:
        yield Violation(path, "must have at least 1; it has 0")
    if steppers and len(there) > 1:
        yield Violation(path, "holds a `stepper`, next to which nothing else is allowed")
    for place, child in enumerate(value):
        allowed = CHILDREN | {"stepper"}
        if not is_nothing(child):
            yield from _element(child, f"{path}[{place}]", allowed)


def _action(value: dict[str, Any], path: str) -> Iterator[Violation]:
    yield from record(action=text)(value, path)
    properties = HOST_ACTIONS.get(str(value.get("action")))
    if properties is not None:
        yield from properties(value, path)


def _control(value: Any, path: str) -> Iterator[Violation]:
    yield from kinds(object=_entry, list=listed(_entry))(value, path)


children = listed(_child)
inline = listed(_only(INLINE))
action = kinds(object=_action)
icon = one_of(*ICONS)
icon_or_image = kinds(text=icon, object=_only(frozenset(("image",))))
binding = record(**{"$state": text})
text_or_binding = kinds(text=anything, object=binding)
url_parts = record(host=text, pathname=text, query=Optional(mapping(text_or_binding)))
url = kinds(text=anything, object=url_parts)
buttons = listed(_only(frozenset(("button",))))
confirm = record(
    title=at_most(100), text=at_most(300), confirm=at_most(30), style=Optional(one_of("primary", "danger"))
)
picked = kinds(text=anything, number=anything)
option = record(id=text, label=text, icon=Optional(icon_or_image))
_entry = record(icon=Optional(icon), label=text, onPress=action, confirm=Optional(confirm))


def _options(value: dict[str, Any], path: str) -> Iterator[Violation]:
    shape = record(source=one_of("openapi")) if "source" in value else record(url=url)
    yield from shape(value, path)


HOST_ACTIONS: dict[str, Shape] = {
    "@ui.modal.open": record(componentId=text, props=plain_object),
    "@ui.modal.close": record(returnValue=Optional(plain_object)),
    "@ui.url.open": record(url=text_or_binding),
    "@editor.node.updateProps": record(props=plain_object),
}
ELEMENTS: dict[str, Shape] = {
    "block": record(children=children, controls=Optional(listed(_control))),
    "modal": record(
        title=Optional(text),
        subtitle=Optional(inline),
        size=Optional(one_of("medium", "xlarge", "fullscreen")),
        returnValue=Optional(plain_object),
        children=children,
        submit=Optional(_only(frozenset(("button",)))),
    ),
    "configuration": record(children=kinds(list=_content)),
    "vstack": record(align=Optional(one_of("start", "center", "end")), children=children),
    "hstack": record(align=Optional(one_of("start", "center", "end")), children=children),
    "box": record(grow=Optional(number), children=children),
    "divider": record(size=Optional(one_of("small", "medium", "large"))),
    "card": record(
        title=Optional(text),
        hint=Optional(kinds(text=anything, list=inline)),
        icon=Optional(icon_or_image),
        onPress=Optional(action),
        children=Optional(children),
        buttons=Optional(buttons),
    ),
    "stepper": record(
        activeStep=text,
        onStepChange=action,
        onComplete=action,
        children=listed(_only(frozenset(("step",))), least=1),
    ),
    "step": record(id=text, title=Optional(at_most(50)), next=Optional(boolean), children=listed(_child, least=1)),
    "text": record(
        style=Optional(one_of("bold", "italic", "code", "strikethrough")),
        children=kinds(text=anything, list=listed(_text_part)),
    ),
    "link": record(target=record(url=url), children=kinds(text=anything, list=listed(picked))),
    "hint": record(children=inline),
    "markdown": record(content=text_or_binding),
    "image": record(source=record(url=kinds(text=_address)), aspectRatio=positive, alt=Optional(text)),
    "codeblock": record(
        content=text_or_binding,
        syntax=Optional(text),
        lineNumbers=Optional(kinds(boolean=anything, number=anything)),
        buttons=Optional(buttons),
        state=Optional(text),
        onContentChange=Optional(action),
        header=Optional(children),
        footer=Optional(children),
    ),
    "webframe": record(
        aspectRatio=Optional(positive),
        source=record(url=url),
        buttons=Optional(buttons),
        data=Optional(mapping(text_or_binding)),
    ),
    "button": record(
        style=Optional(one_of("primary", "secondary", "danger")),
        onPress=action,
        icon=Optional(icon),
        trailingIcon=Optional(icon),
        label=Optional(text),
        tooltip=Optional(text),
        confirm=Optional(confirm),
        disabled=Optional(boolean),
    ),
    "input": record(
        label=text,
        hint=Optional(kinds(text=anything, object=_only(INLINE), list=inline)),
        element=_only(CONTROLS),
    ),
    "textinput": record(
        disabled=Optional(boolean),
        state=text,
        initialValue=Optional(text),
        placeholder=Optional(text),
        multiline=Optional(boolean),
        inputType=Optional(one_of("text", "password", "email")),
    ),
    "select": record(
        disabled=Optional(boolean),
        state=text,
        initialValue=Optional(kinds(text=anything, list=listed(text))),
        onValueChange=Optional(action),
        placeholder=Optional(text),
        multiple=Optional(boolean),
        acceptInput=Optional(boolean),
        options=kinds(list=listed(option), object=_options),
    ),
    "switch": record(
        disabled=Optional(boolean),
        state=text,
        initialValue=Optional(boolean),
        onValueChange=Optional(action),
        confirm=Optional(confirm),
    ),
    "checkbox": record(state=text, value=picked, confirm=Optional(confirm)),
    "radio": record(disabled=Optional(boolean), state=text, value=picked, confirm=Optional(confirm)),
}
CHILDREN = frozenset(ELEMENTS) - ROOTS - frozenset(NOWHERE_ELSE)
