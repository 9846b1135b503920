"""A project folder -> the body that publishes it."""

from __future__ import annotations

import base64
import io
import zipfile
from pathlib import Path
from typing import Any

from devkit.build import javascript
from devkit.build.esbuild_service import EsbuildService
from devkit.files import project_files
from devkit.files.own_files import content_of, text_of
from devkit.manifests import named_files
from devkit.manifests.findings import InvalidProject
from devkit.projects.project import Project, secrets
from devkit.terminal.output import Problem
from runtime.contract.integrations import Manifest
from runtime.contract.invocation import Limits
from runtime.engines.javascript.bundle import without_map
from runtime.engines.sandbox import SandboxMode, authors_mode

SKIPPED = ("test_", "conftest", "setup.py")
FIXED = (1980, 1, 1, 0, 0, 0)
MOST_UNPACKED, MOST_PICTURE = 64 * 1024 * 1024, 1024 * 1024
"""Bytes of all modules of a bundle before they are packed, and of a picture; an icon has fewer."""
_ZIP = "data:application/zip;base64,"


def publish_body(
    project: Project,
    organization: str,
    mode: str = "production",
    sandbox: SandboxMode | None = None,
    service: EsbuildService | None = None,
) -> dict[str, Any]:
    """Build the body of publish: manifest, code, pictures, secrets; raises Problem or InvalidProject.

    `mode` is "production" or "development"; only bundled languages know the difference. Their bundlers are confined
    where the system can, unless `sandbox` is "off"; what stays of them between two saves is in `service`.
    """
    if lost := named_files.missing(project.text, project.folder):
        raise InvalidProject(lost)
    manifest = project.manifest
    code, entry = script(project, mode, sandbox, service)
    body: dict[str, Any] = manifest.model_dump(mode="json", by_alias=True, include=set(Manifest.model_fields))
    body |= {
        "runtime": runtime_of(project),
        "script": code,
        "entry": entry,
        "organization": organization,
        "secrets": secrets(project),
        "previewImages": [_picture(project, path) for path in manifest.preview_images],
    }
    if isinstance(manifest.icon, str):
        body["icon"] = _picture(project, manifest.icon)
    return body


def runtime_of(project: Project) -> str:
    """Return the runtime: the manifest's, else by the script's ending."""
    if isinstance(project.manifest.runtime, str):
        return project.manifest.runtime
    return "python" if project.script.suffix == ".py" else "v2"


def script(
    project: Project,
    mode: str = "production",
    sandbox: SandboxMode | None = None,
    service: EsbuildService | None = None,
) -> tuple[str, str]:
    """Return the code as one string, and the name of its entry file; raises Problem or InvalidProject.

    JavaScript and TypeScript are bundled into one module. A Python script that stands alone travels as text; one with
    modules beside it travels with its folder, as a zip.
    """
    file = project.script
    if not file.is_relative_to(project_files.root_of(project.folder)):
        raise InvalidProject([project.finding(("script",), f"{project.manifest.script} is outside the project")])
    if not file.is_file():
        raise InvalidProject([project.finding(("script",), f"there is no file {project.manifest.script}")])
    if file.suffix in javascript.ENDINGS:
        return javascript.bundle(project, mode, authors_mode(sandbox), service)
    if file.suffix != ".py":
        known = ", ".join((".py", *javascript.ENDINGS))
        raise InvalidProject(
            [project.finding(("script",), f"a script must be written in Python or JavaScript: {known}")]
        )
    files = modules(file)
    if files == [file]:
        try:
            return text_of(file, Limits().script, "a script"), file.name
        except UnicodeDecodeError as error:
            raise Problem(f"{file.name} is not UTF-8: {error}") from error
    return _zipped(file.parent, files), file.name


def code_bytes(code: str) -> int:
    """Return the size of a script's code in bytes, without a bundle's source map or the overhead of a zip."""
    if code.startswith(_ZIP):
        return len(base64.b64decode(code.removeprefix(_ZIP)))
    return len(without_map(code)[0].encode())


def modules(file: Path) -> list[Path]:
    """List the Python files that belong to a script: those beside it, and packages below its folder.

    A link to somewhere else is no part of a project.
    """
    root = project_files.root_of(file.parent)
    files = [
        path
        for path in sorted(file.parent.rglob("*.py"))
        if path.is_file()
        and path.resolve().is_relative_to(root)
        and not path.name.startswith(SKIPPED)
        and not any(
            part.startswith((".", "__pycache__", "tests", "node_modules"))
            for part in path.relative_to(file.parent).parts
        )
        and (path.parent == file.parent or (path.parent / "__init__.py").exists())
    ]
    return files if file in files else [file, *files]


def _zipped(folder: Path, files: list[Path]) -> str:
    buffer, left = io.BytesIO(), MOST_UNPACKED
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            # A fixed date: the same sources give the same bundle.
            source = content_of(path, Limits().script, "a module")
            left -= len(source)
            if left < 0:
                raise Problem(f"the modules below {folder} have more than {MOST_UNPACKED:,} bytes", hint="remove some")
            archive.writestr(zipfile.ZipInfo(path.relative_to(folder).as_posix(), FIXED), source)
    content = buffer.getvalue()
    if len(content) > Limits().script:
        raise Problem(f"the bundle has {len(content)} bytes; at most {Limits().script} are allowed")
    return _ZIP + base64.b64encode(content).decode()


def _picture(project: Project, path: str) -> str:
    file = (project.folder / path).resolve()
    if not file.is_relative_to(project_files.root_of(project.folder)):
        raise Problem(
            f"{project.file.name}: the image {path} is outside the project; copy it into the project's folder"
        )
    if not file.is_file():
        raise Problem(f"{project.file.name}: there is no image {path}")
    return base64.b64encode(content_of(file, MOST_PICTURE, "a picture")).decode()
