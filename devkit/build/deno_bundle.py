"""Bundles scripts of a project that has no packages of its own, with the Deno that comes with the toolkit."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import deno

from devkit.build import programs, source_maps
from devkit.build.esbuild import outside
from devkit.build.source_positions import relative, source_line
from devkit.files import project_files
from devkit.manifests.findings import Finding
from devkit.terminal.output import Problem
from runtime.engines.sandbox import SandboxMode

OPTIONS = (
    "--quiet",
    "--platform",
    "browser",
    "--format",
    "esm",
    "--sourcemap=inline",
    "--external=node:*",
    "--external=cloudflare:*",
)
PATIENCE = 120
_DENO_FOLDER = "/deno-dir"
_KEPT = ("dl", "npm", "remote")
PLACE = re.compile(r"at file://(?P<file>/[^\s]+?):(?P<line>\d+):(?P<column>\d+)")


def bundle(folder: Path, script: Path, mode: str, confined: SandboxMode) -> str | list[Finding]:
    """Bundle a script into the text of one module, or report what is wrong with it; raises Problem.

    Deno fetches its bundler when it is used for the first time, for a script of ours: in the sandbox there is no
    network. It knows no constants, so `MODE` becomes a first line.
    """
    program = os.path.realpath(deno.find_deno_bin())
    command = [program, "bundle", *OPTIONS]
    try:
        small = ["--minify"] if mode == "production" else []
        shown = {program: program} | _fetched(program) if confined == "required" else {}
        done = programs.run(
            [*command, *small, str(script)],
            folder,
            PATIENCE,
            confined,
            environment={"DENO_DIR": _DENO_FOLDER} if confined == "required" else {},
            mounts=shown,
            links={"/proc/self/exe": program},
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise Problem(f"the bundler could not be run ({error})", hint="run `npm install --save-dev esbuild`") from error
    if done.returncode == 0:
        strangers = _from_elsewhere(folder, done.stdout) if confined == "off" else []
        if strangers:
            return [Finding(relative(script, folder), 1, 1, outside(folder, name)) for name in strangers]
        return _with_mode(done.stdout, mode)
    return [_finding(folder, script, done.stderr)]


def _fetched(program: str) -> dict[str, str]:
    """Show what Deno has fetched before: its bundler, and modules from elsewhere. Raises OSError, SubprocessError."""
    kept = _kept(program)
    if not (kept / "dl").is_dir():
        with tempfile.TemporaryDirectory() as empty:
            Path(empty, "script.js").write_text("export default 1;\n", encoding="utf-8")
            programs.run([program, "bundle", *OPTIONS, "script.js"], Path(empty), PATIENCE, "off")
    return {f"{_DENO_FOLDER}/{name}": str(kept / name) for name in _KEPT if (kept / name).is_dir()}


@functools.cache
def _kept(program: str) -> Path:
    """Ask Deno where it keeps what it fetches."""
    info = subprocess.run(
        [program, "info", "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=True,
        cwd="/",
    )
    return Path(json.loads(info.stdout)["denoDir"])


def _from_elsewhere(folder: Path, code: str) -> list[str]:
    """Return the files of a bundle that do not belong to the project, according to its source map."""
    names: list[str] = []

    def look(content: dict[str, Any]) -> None:
        names.extend(content["sources"])

    source_maps.changed(code, look)
    return [name for name in names if "://" not in name and not project_files.within(folder / name, folder)]


def _with_mode(text: str, mode: str) -> str:
    """Put the constant `MODE` before a bundle, and move its source map down by the line that this takes."""

    def move(content: dict[str, Any]) -> None:
        content["mappings"] = ";" + content["mappings"]

    return f"const MODE = {json.dumps(mode)};\n{source_maps.changed(text, move)}"


def _finding(folder: Path, script: Path, text: str) -> Finding:
    """Read what Deno wrote: the message on its first line, the place after it; raises Problem if there is none."""
    message = text.partition("error: ")[2].partition("\n")[0].strip() or text.strip()
    place = PLACE.search(text)
    if place is None:
        raise Problem(
            f"{script.name} could not be bundled by deno: {message}", hint="try `npm install --save-dev esbuild`"
        )
    file, line = Path(place["file"]), int(place["line"])
    message = message.replace(folder.as_uri() + "/", "")
    return Finding(relative(file, folder), line, int(place["column"]), message, source_line(folder, file, line))
