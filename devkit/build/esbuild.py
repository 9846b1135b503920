"""Bundles JavaScript and TypeScript with the esbuild of the author's own project."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from devkit.build import node_packages, programs, reach
from devkit.build.places import relative, source_line
from devkit.projects.findings import Finding
from devkit.terminal.output import Problem
from runtime.engines.sandbox import SandboxMode

OPTIONS = (
    "--bundle",
    "--platform=neutral",
    "--format=esm",
    "--target=es2020",
    "--main-fields=worker,browser,module,jsnext,main",
    "--conditions=worker,browser,import,production",
    "--external:node:*",
    "--external:cloudflare:*",
    "--jsx=automatic",
    "--jsx-import-source=@gitbook/runtime",
    "--loader:.raw.js=text",
    "--loader:.raw.css=text",
    # Inside the script, so that the host can name the author's file and line in every error.
    "--sourcemap=inline",
    # Names and places are enough: the lines themselves are read from the author's files, and stay there.
    "--sources-content=false",
    "--log-level=error",
    "--log-limit=20",
    "--color=false",
)
"""What scripts are built with everywhere else (docs/contract/scripts.md, "The script")."""
PATIENCE = 60
ERROR = re.compile(
    r"^[✘X] \[ERROR\] (?P<message>[^\n]*)\n(?:\n {4}(?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+):\n)?", re.MULTILINE
)
UNREADABLE = re.compile(r'^Cannot read file "(?P<name>[^"]+)"')
UNRESOLVED = re.compile(r'^Could not resolve "(?P<name>[^"]+)"$')


def find(folder: Path) -> list[str] | None:
    """Find the command that runs esbuild for a project, from its folder upward; None without one.

    The native program is called directly: starting it through Node takes longer than the bundling.
    """
    native = Path("@esbuild", node_packages.this_machine(), "bin", "esbuild")
    for package in node_packages.installed(folder, "esbuild", "@gitbook/cli/node_modules/esbuild"):
        program = node_packages.program(package, native)
        if program is not None:
            return [str(program)]
    for above in (folder, *folder.parents):
        linked = above / "node_modules" / ".bin" / "esbuild"
        if linked.is_file():
            return [str(linked)]
    return None


def bundle(command: list[str], folder: Path, script: Path, mode: str, confined: SandboxMode) -> str | list[Finding]:
    """Bundle a script into the text of one module, or report what is wrong with it; raises Problem.

    `mode` is "production" (made small, as it is published) or "development". Without a sandbox, which shows nothing
    but the project, a bundle with a file from elsewhere is refused.
    """
    options = [*OPTIONS, f"--define:MODE={json.dumps(mode)}", f"--define:process.env.NODE_ENV={json.dumps(mode)}"]
    if mode == "production":
        options.append("--minify")
    try:
        words = [*command, str(script), *options]
        done = programs.run(words, folder, PATIENCE, confined)
        strangers = _from_elsewhere(words, folder) if confined == "off" and done.returncode == 0 else []
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise Problem(f"esbuild cannot be run: {error}; run `npm install` again") from error
    if strangers:
        return [Finding(relative(script, folder), 1, 1, outside(folder, name)) for name in strangers]
    if done.returncode == 0:
        return done.stdout
    findings = list(_findings(folder, script, done.stderr))
    if not findings:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Problem(f"esbuild could not bundle {script.name}: {lines[-1]}")
    return findings


def _findings(folder: Path, script: Path, text: str) -> Iterator[Finding]:
    """Read what esbuild wrote: it counts lines from 1, but columns from 0 and in bytes."""
    for match in ERROR.finditer(text):
        notes = text[match.end() :].partition(" [ERROR] ")[0]
        message = explained(folder, match["message"], notes, match["file"])
        if match["file"] is None:
            yield Finding(relative(script, folder), 1, 1, message)
            continue
        line, column = int(match["line"]), int(match["column"])
        source = source_line(folder / match["file"], line)
        before = (source or "").encode()[:column].decode(errors="ignore")
        yield Finding(match["file"], line, len(before) + 1 if source else column + 1, message, source)


def _from_elsewhere(words: list[str], folder: Path) -> list[str]:
    """Name the files of a bundle that do not belong to the project; raises OSError, ValueError, TimeoutExpired.

    The bundle is made once more for that: esbuild lists its files only where it does not write to standard output.
    """
    with tempfile.TemporaryDirectory() as scratch:
        listed = Path(scratch, "inputs.json")
        told = [f"--outfile={Path(scratch, 'bundle.js')}", f"--metafile={listed}"]
        done = programs.run([*words, *told], folder, PATIENCE, "off")
        if done.returncode:
            raise OSError(done.stderr.strip()[:300])
        names = json.loads(listed.read_text(encoding="utf-8"))["inputs"]
    return [name for name in names if not name.startswith("<") and not reach.within(folder / name, folder)]


def outside(folder: Path, name: str) -> str:
    """Say why a file that is there cannot be imported."""
    return f"{name!r} is outside the project; only what is below {reach.root_of(folder)} and in its packages is bundled"


def explained(folder: Path, message: str, notes: str = "", file: str | None = None) -> str:
    """Say of an import that leads nowhere what would fix it; `file` is the one that it stands in."""
    unresolved = UNRESOLVED.match(message) or UNREADABLE.match(message)
    if unresolved is None:
        return message[:1].lower() + message[1:] if message.startswith(("Expected", "Unexpected")) else message
    name = unresolved["name"]
    if name.startswith((".", "/")):
        meant = (folder / (file or "")).parent / name
        if meant.exists() and not reach.within(meant, folder):
            return outside(folder, name)
        return f"there is no file {name!r} to import"
    package = "/".join(name.split("/")[: 2 if name.startswith("@") else 1])
    for installed in (above / reach.PACKAGES / package for above in (folder, *folder.parents)):
        if installed.is_dir() and not reach.within(installed, folder):
            return outside(folder, package)
    if package in _dependencies(folder):
        return f"the package {package!r} is not installed; run `npm install`"
    if "built into node" in notes:
        return f"there is no package {name!r}; the module of Node is written 'node:{name}'"
    if name.startswith("#"):
        return f"nothing in package.json says what {name!r} is"
    return f"there is no package {package!r}; run `npm install {package}`, or fix its name"


def _dependencies(folder: Path) -> set[str]:
    """Name the packages that the nearest package.json asks for."""
    for above in (folder, *folder.parents):
        file = above / "package.json"
        if file.is_file():
            try:
                package = json.loads(file.read_text(encoding="utf-8"))
                return {name for kind in ("dependencies", "devDependencies") for name in package.get(kind, {})}
            except (OSError, ValueError, AttributeError, TypeError) as error:
                raise Problem(f"{file} cannot be read: {error}") from error
    return set()
