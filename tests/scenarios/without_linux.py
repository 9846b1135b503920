"""A Python on Linux that has only what a Python on macOS has, for processes that tests start.

Which names that takes away from the standard library is read from the type stubs, which say for which system each is.
By hand is added what the systems' kernels and libraries do differently. It is no Mac: what macOS has beyond Linux
(kqueue, its own file systems, its limits) is not there, and what is compiled into packages is still that of Linux.
"""

from __future__ import annotations

import ast
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import mypy

from runtime.engines.sandbox import interpreter

STUBS = Path(mypy.__file__).parent / "typeshed" / "stdlib"
MODULES = ("fcntl", "os", "resource", "select", "selectors", "signal", "socket", "time")
ALSO_UNDER = {"os": "posix", "signal": "_signal", "socket": "_socket"}
"""The modules in which names of others stand, too."""
NAMED_ONLY = {"socket": {"SOCK_SEQPACKET"}}
"""What macOS has a name for, and refuses for the sockets it is used for here."""
SYMBOLS = (
    "accept4", "capget", "capset", "epoll_create1", "eventfd", "inotify_init1", "memfd_create", "pidfd_open", "pipe2",
    "prctl", "prlimit", "renameat2", "setns", "setresgid", "setresuid", "splice", "unshare",
)  # fmt: skip
"""What the C library of Linux exports, and that of macOS does not."""
PRELUDE = Path(__file__).with_name("prelude_without_linux.py")


def lacking(module: str) -> set[str]:
    """Name what a module of the standard library has on Linux and not on macOS."""
    file = STUBS / f"{module}.pyi"
    tree = ast.parse((file if file.exists() else STUBS / module / "__init__.pyi").read_text(encoding="utf-8"))
    there = set(dir(importlib.import_module(module)))
    return NAMED_ONLY.get(module, set()) | there & (set(_names(tree.body, "linux")) - set(_names(tree.body, "darwin")))


def environment(folder: Path) -> dict[str, str]:
    """Write the prelude into a folder; gives the variables with which each Python begins with it."""
    program, site = folder / "python", folder / "sitecustomize.py"
    names = {module: sorted(lacking(module)) for module in MODULES}
    settings = {"names": names, "also": ALSO_UNDER, "symbols": SYMBOLS, "interpreter": str(program)}
    text = f"SETTINGS = {json.dumps(settings)}\n{PRELUDE.read_text(encoding='utf-8')}"
    site.write_text(text, encoding="utf-8")
    # What the host starts without `site` begins with it as well: the interpreter it finds is this program.
    begin = f"exec(open({str(site)!r}).read(), {{}}); "
    program.write_text(
        f"#!{interpreter()} -IS\n"
        "import os, sys\n"
        "words = sys.argv[1:]\n"
        "at = words.index('-c') + 1\n"
        f"words[at] = {begin!r} + words[at]\n"
        f"os.execv({interpreter()!r}, [{interpreter()!r}, *words])\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    return {"PYTHONPATH": str(folder)}


def _names(body: list[ast.stmt], platform: str) -> Iterator[str]:
    """Give the names that the statements of a stub define on a system."""
    system = SimpleNamespace(platform=platform, version_info=sys.version_info)
    for statement in body:
        if isinstance(statement, ast.If):
            test = compile(ast.Expression(statement.test), "stub", "eval")
            yield from _names(statement.body if eval(test, {"sys": system}) else statement.orelse, platform)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id
        elif isinstance(statement, ast.Assign):
            yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
        elif isinstance(statement, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in statement.names)
        elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement.name
