"""Bundles scripts of a project that has no packages of its own, with the Deno that comes with the toolkit."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import deno

from devkit.build import programs, source_maps
from devkit.build.places import relative, source_line
from devkit.projects.findings import Finding
from devkit.terminal.output import Problem

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
PLACE = re.compile(r"at file://(?P<file>/[^\s]+?):(?P<line>\d+):(?P<column>\d+)")


def bundle(folder: Path, script: Path, mode: str) -> str | list[Finding]:
    """Bundle a script into the text of one module, or report what is wrong with it; raises Problem.

    Deno fetches its bundler when it is used for the first time. It knows no constants, so `MODE` becomes a first line.
    """
    command = [deno.find_deno_bin(), "bundle", *OPTIONS]
    try:
        small = ["--minify"] if mode == "production" else []
        done = programs.run([*command, *small, str(script)], folder, PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Problem(f"no bundler works here ({error}); run `npm install --save-dev esbuild`") from error
    if done.returncode == 0:
        return _with_mode(done.stdout, mode)
    return [_finding(folder, script, done.stderr)]


def _with_mode(text: str, mode: str) -> str:
    """Put the constant `MODE` before a bundle, and move its source map down by the line that this takes."""

    def move(content: dict[str, Any]) -> None:
        content["mappings"] = ";" + content["mappings"]

    return f"const MODE = {json.dumps(mode)};\n{source_maps.changed(text, move)}"


def _finding(folder: Path, script: Path, text: str) -> Finding:
    """Read what Deno wrote: the message on its first line, the place after it; raises Problem where there is none."""
    message = text.partition("error: ")[2].partition("\n")[0].strip() or text.strip()
    place = PLACE.search(text)
    if place is None:
        raise Problem(f"{script.name} could not be bundled by deno: {message}; try `npm install --save-dev esbuild`")
    file, line = Path(place["file"]), int(place["line"])
    message = message.replace(folder.as_uri() + "/", "")
    return Finding(relative(file, folder), line, int(place["column"]), message, source_line(file, line))
