"""The host's render loop of a component, without a screen (docs/contract/contentkit.md, "Rendering")."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

from devkit.rendering.elements import WRITTEN, Element, resolve, walk

__tracebackhide__ = True  # pytest shows a test's own lines, and the script's

Output = dict[str, Any]
Draw = Callable[[dict[str, Any]], Output]
"""Takes a render request (`componentId`, `props`, `context`, `state`, `action`) and gives the script's output."""


class View:
    """One component on a screen: what it shows, what was typed, and what came of what was pressed.

    `stored` are the properties the document stores, None while nothing was stored; `opened` the addresses
    that were opened; `modal` the overlay on top; `finished` whether it is complete, with `returned`. Whatever `draw`
    raises goes through, and leaves the view as it was.
    """

    def __init__(
        self,
        draw: Draw,
        component: str,
        props: Mapping[str, Any],
        context: Mapping[str, Any],
        parent: View | None = None,
    ) -> None:
        self.component = component
        self.props: dict[str, Any] = copy.deepcopy(dict(props))
        self.context = dict(context)
        self.state: dict[str, Any] = {}
        self.output: Output = {}
        self.stored: dict[str, Any] | None = None
        self.opened: list[str] = []
        self.modal: View | None = None
        self.finished = False
        self.returned: Any = None
        self._draw, self._parent = draw, parent

    @property
    def root(self) -> Element:
        """The root element; {} before the first drawing."""
        element_: Element = self.output.get("element") or {}
        return element_

    @property
    def editable(self) -> bool:
        """Whether properties are kept in the document."""
        return self.context.get("editable") is not False

    def start(self, state: Mapping[str, Any] | None = None, action: Mapping[str, Any] | None = None) -> None:
        """Draw for the first time; without a state the script provides the initial one."""
        self._ask(None if state is None else dict(state), action)

    def write(self, key: str, value: Any) -> None:
        """Set a key of the local state, as a control does, without calling the script."""
        self.state[key] = value

    def act(self, action: Mapping[str, Any]) -> None:
        """Perform an action: the host's own actions here, all others in the script."""
        resolved: dict[str, Any] = resolve(dict(action), self.state)
        kind = resolved.get("action")
        if kind == "@ui.modal.open":
            self._open(resolved)
        elif kind == "@ui.modal.close" and self._parent is not None:
            self._leave(resolved)
        elif kind == "@ui.url.open":
            self.opened.append(str(resolved.get("url", "")))
        elif kind == "@editor.node.updateProps":
            self.props = resolved.get("props") or {}
            if self.editable:
                self.stored = self.props
            self._ask(self.state, None)
        elif kind not in ("@webframe.ready", "@webframe.resize"):
            self._ask(self.state, resolved)

    def dismiss(self) -> None:
        """Close the overlay without its submit button; the parent gets its return value, if any."""
        returned = resolve(self.root.get("returnValue"), self.state)
        if returned is None and self._parent is not None:
            self._parent.modal = None
        else:
            self._leave({"action": "@ui.modal.close", "returnValue": returned})

    def _open(self, action: dict[str, Any]) -> None:
        modal = View(self._draw, str(action.get("componentId")), action.get("props") or {}, self.context, self)
        self.modal = modal
        try:
            modal.start()
        except BaseException:
            self.modal = None
            raise

    def _leave(self, action: dict[str, Any]) -> None:
        assert self._parent is not None
        self._parent.modal = None
        self._parent._ask(self._parent.state, action)

    def _ask(self, state: dict[str, Any] | None, action: Mapping[str, Any] | None) -> None:
        request: dict[str, Any] = {"componentId": self.component, "props": self.props, "context": self.context}
        if state is not None:
            request["state"] = state
        if action is not None:
            request["action"] = dict(action)
        # What the script gets is a copy: it must not change what is on the screen but by its answer.
        self._take(self._draw(json.loads(json.dumps(request))))

    def _take(self, output: Output) -> None:
        if output.get("type") == "complete":
            self.finished, self.returned = True, output.get("returnValue")
            if self._parent is not None:
                self._leave({"action": "@ui.modal.close", "returnValue": self.returned or {}})
            return
        before = self.props
        self.output = output
        self.state, self.props = dict(output.get("state") or {}), dict(output.get("props") or {})
        if self.editable and self.props != before:
            self.stored = self.props
        self._fill()

    def _fill(self) -> None:
        """Set the initial value of each control that has none."""
        for element in walk(self.root):
            key = element.get("state")
            if element.get("type") in WRITTEN and isinstance(key, str) and element.get("initialValue") is not None:
                self.state.setdefault(key, element["initialValue"])
