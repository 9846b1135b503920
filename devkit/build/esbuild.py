"""Bundles JavaScript and TypeScript with the esbuild of the author's own project."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from devkit.build import node_packages, programs
from devkit.build.esbuild_service import Bundled, Esbuild, EsbuildService
from devkit.build.source_positions import relative, source_line
from devkit.files import project_files
from devkit.files.own_files import MOST_TEXT, text_of
from devkit.manifests.findings import Finding
from devkit.terminal.output import Problem
from runtime.engines.sandbox import SandboxMode

OPTIONS: dict[str, Any] = {
    "bundle": True,
    "platform": "neutral",
    "format": "esm",
    "target": "es2020",
    "mainFields": ["worker", "browser", "module", "jsnext", "main"],
    "conditions": ["worker", "browser", "import", "production"],
    "external": ["node:*", "cloudflare:*"],
    "jsx": "automatic",
    "jsxImportSource": "@gitbook/runtime",
    "loader": {".raw.js": "text", ".raw.css": "text"},
    # Inside the script, so that the host can name the author's file and line in every error.
    "sourcemap": "inline",
    # Names and places are enough: the lines themselves are read from the author's files, and stay there.
    "sourcesContent": False,
}
"""The options of the official tool (docs/contract/scripts.md, "The script")."""
_SAID = ("--log-level=error", "--log-limit=20", "--color=false")
PATIENCE = 60
ERROR = re.compile(
    r"^[✘X] \[ERROR\] (?P<message>[^\n]*)\n(?:\n {4}(?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+):\n)?", re.MULTILINE
)
UNREADABLE = re.compile(r'^Cannot read file "(?P<name>[^"]+)"')
UNRESOLVED = re.compile(r'^Could not resolve "(?P<name>[^"]+)"$')


def find(folder: Path) -> Esbuild | None:
    """Find the esbuild of a project, from its folder upward; None without one.

    The native program is called directly: starting it through Node takes longer than the bundling.
    """
    native = Path("@esbuild", node_packages.this_machine(), "bin", "esbuild")
    for package in node_packages.installed(folder, "esbuild", "@gitbook/cli/node_modules/esbuild"):
        program = node_packages.program(package, native)
        if program is not None:
            module = package / "lib" / "main.js"
            return Esbuild([str(program)], module if module.is_file() else None)
    for above in (folder, *folder.parents):
        linked = above / "node_modules" / ".bin" / "esbuild"
        if linked.is_file():
            return Esbuild([str(linked)])
    return None


def bundle(
    found: Esbuild, folder: Path, script: Path, mode: str, confined: SandboxMode, service: EsbuildService | None = None
) -> str | list[Finding]:
    """Bundle a script into the text of one module, or report what is wrong with it; raises Problem.

    `mode` is "production" (made small, as it is published) or "development". Without a sandbox, which shows nothing
    but the project, a bundle with a file from elsewhere is refused. With `service`, what bundled before does it again.
    """
    constants = {"MODE": json.dumps(mode), "process.env.NODE_ENV": json.dumps(mode)}
    options = OPTIONS | {"define": constants, "minify": mode == "production"}
    try:
        entry = {"entryPoints": [str(script)], "absWorkingDir": str(folder)}
        bundled = service.bundle(found, folder, options | entry, PATIENCE, confined) if service is not None else None
        bundled = bundled or _once(found, folder, script, options, confined)
        strangers = [name for name in bundled.inputs if confined == "off" and _from_elsewhere(name, folder)]
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise Problem(f"esbuild cannot be run: {error}", hint="run `npm install` again") from error
    if strangers:
        return [Finding(relative(script, folder), 1, 1, outside(folder, name)) for name in strangers]
    if bundled.code is not None:
        return bundled.code
    findings = list(_findings(folder, script, bundled.errors))
    if not findings:
        lines = bundled.errors.strip().splitlines() or ["it gave no reason"]
        raise Problem(f"esbuild could not bundle {script.name}: {lines[-1]}")
    return findings


def words(options: Mapping[str, Any]) -> Iterator[str]:
    """Convert options of esbuild's module to its command line."""
    for name, value in options.items():
        flag = "--" + re.sub("[A-Z]", lambda match: f"-{match[0].lower()}", name)
        if isinstance(value, dict):
            yield from (f"{flag}:{key}={text}" for key, text in value.items())
        elif name == "external":
            yield from (f"{flag}:{text}" for text in value)
        elif isinstance(value, list):
            yield f"{flag}={','.join(value)}"
        elif value is True:
            yield flag
        elif value is not False or name == "sourcesContent":
            yield f"{flag}={str(value).lower() if value is False else value}"


def _once(found: Esbuild, folder: Path, script: Path, options: Mapping[str, Any], confined: SandboxMode) -> Bundled:
    """Bundle in a separate process; raises OSError, ValueError, TimeoutExpired, Problem."""
    command = [*found.command, str(script), *words(options), *_SAID]
    done = programs.run(command, folder, PATIENCE, confined)
    if done.returncode:
        return Bundled(None, (), done.stderr or f"exit code {done.returncode}")
    return Bundled(done.stdout, _inputs(command, folder) if confined == "off" else (), "")


def _inputs(command: list[str], folder: Path) -> tuple[str, ...]:
    """Name the files of a bundle; raises OSError, ValueError, TimeoutExpired.

    The bundle is made once more for that: esbuild lists its files only where it does not write to standard output.
    """
    with tempfile.TemporaryDirectory() as scratch:
        listed = Path(scratch, "inputs.json")
        told = [f"--outfile={Path(scratch, 'bundle.js')}", f"--metafile={listed}"]
        done = programs.run([*command, *told], folder, PATIENCE, "off")
        if done.returncode:
            raise OSError(done.stderr.strip()[:300])
        return tuple(json.loads(listed.read_text(encoding="utf-8"))["inputs"])


def _from_elsewhere(name: str, folder: Path) -> bool:
    """Return the finding for a file of a bundle that does not belong to the project."""
    return not name.startswith("<") and not project_files.within(folder / name, folder)


def _findings(folder: Path, script: Path, text: str) -> Iterator[Finding]:
    """Read what esbuild wrote: it counts lines from 1, but columns from 0 and in bytes."""
    for match in ERROR.finditer(text):
        notes = text[match.end() :].partition(" [ERROR] ")[0]
        message = explained(folder, match["message"], notes, match["file"])
        if match["file"] is None:
            yield Finding(relative(script, folder), 1, 1, message)
            continue
        line, column = int(match["line"]), int(match["column"])
        source = source_line(folder, folder / match["file"], line)
        before = (source or "").encode()[:column].decode(errors="ignore")
        yield Finding(match["file"], line, len(before) + 1 if source else column + 1, message, source)


def outside(folder: Path, name: str) -> str:
    """Return why an existing file cannot be imported."""
    root = project_files.root_of(folder)
    return f"{name!r} is outside the project; only files below {root} and its packages are bundled"


def explained(folder: Path, message: str, notes: str = "", file: str | None = None) -> str:
    """Return the fix of an unresolved import in `file`."""
    unresolved = UNRESOLVED.match(message) or UNREADABLE.match(message)
    if unresolved is None:
        return message[:1].lower() + message[1:] if message.startswith(("Expected", "Unexpected")) else message
    name = unresolved["name"]
    if name.startswith((".", "/")):
        meant = (folder / (file or "")).parent / name
        if meant.exists() and not project_files.within(meant, folder):
            return outside(folder, name)
        return f"there is no file {name!r} to import"
    package = "/".join(name.split("/")[: 2 if name.startswith("@") else 1])
    for installed in (above / project_files.PACKAGES / package for above in (folder, *folder.parents)):
        if installed.is_dir() and not project_files.within(installed, folder):
            return outside(folder, package)
    if package in _dependencies(folder):
        return f"the package {package!r} is not installed; run `npm install`"
    if "built into node" in notes:
        return f"there is no package {name!r}; the Node module is written 'node:{name}'"
    if name.startswith("#"):
        return f"package.json does not define {name!r}"
    return f"there is no package {package!r}; run `npm install {package}`, or fix its name"


def _dependencies(folder: Path) -> set[str]:
    """Return the dependencies of the nearest package.json."""
    for above in (folder, *folder.parents):
        file = above / "package.json"
        if file.is_file():
            try:
                package = json.loads(text_of(file, MOST_TEXT, "a package.json"))
                return {name for kind in ("dependencies", "devDependencies") for name in package.get(kind, {})}
            except (OSError, ValueError, AttributeError, TypeError) as error:
                raise Problem(f"{file} cannot be read: {error}") from error
    return set()
