"""A JavaScript or TypeScript project -> the one module that a host runs."""

from __future__ import annotations

from pathlib import Path

from devkit.build import deno_bundle, esbuild
from devkit.build.esbuild_service import EsbuildService
from devkit.build.source_positions import relative
from devkit.manifests.findings import InvalidProject
from devkit.projects.project import Project
from devkit.terminal.output import Problem
from runtime.contract.invocation import Limits
from runtime.engines.sandbox import SandboxMode

ENDINGS = (".js", ".jsx", ".mjs", ".ts", ".tsx", ".mts")


def bundle(project: Project, mode: str, sandbox: SandboxMode, service: EsbuildService | None = None) -> tuple[str, str]:
    """Return the bundled code, and the script's name; raises InvalidProject with what the bundler found, or Problem.

    Bundlers run in a sandbox that shows them the project and nothing else. With `service`, one stays for the next time.

    The project's own esbuild comes first. A project without packages needs none: Deno bundles it.
    """
    folder, script = project.folder, project.script
    found = esbuild.find(folder)
    if found is not None:
        built = esbuild.bundle(found, folder, script, mode, sandbox, service)
    elif package := _package(folder):
        raise Problem(_no_bundler(package))
    else:
        built = deno_bundle.bundle(folder, script, mode, sandbox)
    if isinstance(built, list):
        raise InvalidProject(built)
    size = len(built.encode())
    if size > Limits().script:
        raise Problem(f"the bundle has {size} bytes; at most {Limits().script} are allowed")
    return built, relative(script, folder)


def _package(folder: Path) -> Path | None:
    return next(
        (above / "package.json" for above in (folder, *folder.parents) if (above / "package.json").is_file()), None
    )


def _no_bundler(package: Path) -> str:
    if not (package.parent / "node_modules").is_dir():
        return f"the packages of {package.parent.name} are not installed; run `npm install` in its folder"
    return f"no bundler is installed in {package.parent.name}; run `npm install --save-dev esbuild` in its folder"
