"""Scripts compiled and bundled as their authors would."""

from __future__ import annotations

import subprocess
from pathlib import Path

from devkit.build import esbuild
from tests.clients.packages import FOLDER, MODULES

OPTIONS = (
    *("--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--lib", "es2022,webworker"),
    *("--module", "esnext", "--moduleResolution", "bundler", "--jsx", "react-jsx"),
    *("--jsxImportSource", "@gitbook/runtime"),
)


def check_types(*files: Path) -> str:
    """Compile files as their authors would, without output; gives what the compiler says of them."""
    compiler = MODULES / "typescript" / "bin" / "tsc"
    done = subprocess.run(["node", compiler, *OPTIONS, *files], cwd=FOLDER, capture_output=True, text=True, timeout=300)
    # The runtime's own sources need a newer client than the one that is tried here; they are not ours to check.
    return "\n".join(line for line in done.stdout.splitlines() if not line.startswith(("node_modules/", " ")))


def bundled(script: Path, *options: str) -> str:
    """Bundle a script as a project is bundled, but for what options change."""
    found = esbuild.find(FOLDER)
    assert found is not None
    built = esbuild.bundle(esbuild.Esbuild([*found.command, *options]), FOLDER, script, "development", "required")
    assert isinstance(built, str), built
    return built
