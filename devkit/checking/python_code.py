"""Looks at a script in Python: a walk over its syntax tree, which never runs it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable

from devkit.checking.code import ApiCall, Code, Source, Spot, Text, Use
from runtime.sdk.routes import METHODS

VERBS = ("get", "post", "put", "patch", "delete")
# What registers a handler by its own name, and the event that the handler then takes.
DECORATORS = {"published_script": "fetch_published_script", "visitor_authentication": "fetch_visitor_authentication"}
CONTENT = {"revision": "content_compute_revision", "document": "content_compute_document"}

AT_RUN_TIME = ("getattr", "exec", "eval", "__import__")
"""Functions by which a script may register what its text does not show."""


def scan(sources: Iterable[Source]) -> Code:
    """Return what is seen in all files of a script; a file with a syntax error shows nothing, the engine reports it."""
    code = Code()
    for source in sources:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what Python would remark on is reported when the script is loaded
                tree = ast.parse(source.text)
            _Scan(source, code).visit(tree)
        except (SyntaxError, ValueError, RecursionError):
            code.partial = True
    return code


class _Scan(ast.NodeVisitor):
    """One walk over one file."""

    def __init__(self, source: Source, code: Code) -> None:
        self._source, self._code = source, code
        self._lines = source.text.split("\n")
        self._secrets = set[str]()
        self._integrations = {"integration"}
        self._content_sources = set[str]()
        self._taken = set[int]()
        self._called = set[int]()

    def visit_Assign(self, node: ast.Assign) -> None:
        """Follow names: of the integration, and of its secrets."""
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if isinstance(node.value, ast.Call) and _last_name(node.value.func) == "Integration":
            self._integrations.update(names)
        elif self._is_content_source(node.value):
            self._content_sources.update(names)
        elif names and _is_secrets(node.value):
            self._secrets.update(names)
            self._taken.add(id(node.value))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """See calls of the API, registrations and secrets that may be missing."""
        function = node.func
        if isinstance(function, ast.Name) and function.id in AT_RUN_TIME:
            self._code.other_components = True
        if isinstance(function, ast.Attribute):
            self._called.add(id(function))
            if function.attr in (*VERBS, "request") and self._is_api(function.value):
                self._api_call(function.attr, node)
            if function.attr == "get" and self._is_kept(function.value) and node.args:
                self._secret(node.args[0], function.value, needed=False)
            self._registration(function, node)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """See secrets by their names."""
        if self._is_kept(node.value):
            self._secret(node.slice, node.value, needed=True)
        if _is_secrets(node) and id(node) not in self._taken:
            self._code.other_secrets = True
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """See secrets that are handed on as a whole, and handlers registered without parentheses."""
        if _is_secrets(node) and id(node) not in self._taken:
            self._code.other_secrets = True
        if node.attr in DECORATORS and self._is_integration(node.value):
            self._code.events.append(Use(DECORATORS[node.attr], self._spot(node)))
        elif node.attr in CONTENT and self._is_content_source(node.value):
            self._code.events.append(Use(CONTENT[node.attr], self._spot(node)))
        elif node.attr in ("component", "components") and id(node) not in self._called:
            self._code.other_components = True
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        """See a name of the secrets that is handed on."""
        if node.id in self._secrets and isinstance(node.ctx, ast.Load) and id(node) not in self._taken:
            self._code.other_secrets = True

    def visit_Constant(self, node: ast.Constant) -> None:
        """Keep text: some of it is code for browsers."""
        if isinstance(node.value, str):
            self._code.texts.append(Text(node.value, self._spot(node)))

    def _registration(self, function: ast.Attribute, node: ast.Call) -> None:
        if function.attr == "component":
            self._component(function, node)
            return
        first = _constant(node.args[0]) if node.args else None
        # An integration that another file makes may have any name; method and path distinguish a route from a request.
        if not self._is_integration(function.value) and first not in (*METHODS, "*"):
            return
        if function.attr == "on" and first is not None:
            self._code.events.append(Use(first, self._spot(node.args[0])))
        elif function.attr == "fetch":
            self._route(node)

    def _component(self, function: ast.Attribute, node: ast.Call) -> None:
        named = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "component_id")]
        first = _constant(named[0]) if named else None
        if first is None or not self._is_integration(function.value):
            self._code.other_components = True
        else:
            self._code.components.append(Use(first, self._spot(named[0])))

    def _route(self, node: ast.Call) -> None:
        arguments = dict(zip(("method", "path"), node.args, strict=False))
        arguments |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        method = _constant(arguments["method"]) if "method" in arguments else "*"
        path = _constant(arguments["path"]) if "path" in arguments else "/*"
        if method is None or path is None:
            self._code.other_routes = True
        elif method.upper() in (*METHODS, "*"):
            self._code.routes.append((method, path))

    def _api_call(self, verb: str, node: ast.Call) -> None:
        arguments = [*node.args]
        method = verb.upper()
        if verb == "request":
            method = (_constant(arguments.pop(0)) if arguments else None) or "*"
        path = _template(arguments[0]) if arguments else None
        if path is None or not path.startswith("/") or method == "*":
            self._code.other_calls = True
            return
        self._code.calls.append(ApiCall(method.upper(), path, self._spot(node)))

    def _secret(self, name: ast.expr, secrets: ast.expr, *, needed: bool) -> None:
        self._taken.add(id(secrets))
        text = _constant(name)
        if text is None:
            self._code.other_secrets = True
            return
        self._code.secrets.append(Use(text, self._spot(name), needed))

    def _is_kept(self, node: ast.expr) -> bool:
        return _is_secrets(node) or (isinstance(node, ast.Name) and node.id in self._secrets)

    def _is_integration(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self._integrations

    def _is_content_source(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            return _last_name(node.func) == "content_source"
        return isinstance(node, ast.Name) and node.id in self._content_sources

    def _is_api(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            return _last_name(node.func) in ("installation_api", "with_token")
        return _last_name(node) in ("api", "integration_api")

    def _spot(self, node: ast.expr) -> Spot:
        # The tree counts columns from 0 and in bytes.
        line = self._lines[node.lineno - 1] if node.lineno <= len(self._lines) else ""
        return self._source.at(node.lineno, len(line.encode()[: node.col_offset].decode(errors="ignore")) + 1)


def _last_name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _constant(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _is_secrets(node: ast.expr) -> bool:
    """Tell `context.secrets` and `environment["secrets"]`; the module of that name is neither."""
    if isinstance(node, ast.Attribute):
        return node.attr == "secrets"
    return isinstance(node, ast.Subscript) and _constant(node.slice) == "secrets"


def _template(node: ast.expr) -> str | None:
    """Return a path with a `*` for each part that is known at run time only; None where nothing of it is known."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_constant(part) or "*" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _template(node.left), _template(node.right)
        return None if left is None else left + (right or "*")
    return _constant(node)
