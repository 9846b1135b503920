"""Files that a manifest names and that are not there, or not in the project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from devkit.files import project_files
from devkit.manifests.findings import Finding
from devkit.manifests.reading import ManifestText, ValuePath


def missing(text: ManifestText, folder: Path) -> list[Finding]:
    """Find the script and the images that are not there, whatever else is wrong with the manifest."""
    script = text.value.get("script")
    found = missing_images(text, folder)
    if isinstance(script, str) and script and not _is_file(folder / script):
        found.append(text.at_value(("script",), f"there is no file {script}", "build-failed"))
    return sorted(found, key=lambda finding: (finding.line, finding.column))


def missing_images(text: ManifestText, folder: Path) -> list[Finding]:
    """Find the images that are not there, or lie outside the project, from where they are never published."""
    root, found = project_files.root_of(folder), []
    for where, path in _images(text):
        if not _is_file(folder / path):
            message = f"there is no image {path}: add the file, or remove the line"
        elif not (folder / path).resolve().is_relative_to(root):
            message = f"the image {path} is outside the project: copy it into the project's folder"
        else:
            continue
        found.append(text.at_value(where, message, "asset-missing"))
    return found


def _images(text: ManifestText) -> Iterator[tuple[ValuePath, str]]:
    icon, previews = text.value.get("icon"), text.value.get("previewImages")
    if isinstance(icon, str) and icon:
        yield ("icon",), icon
    for number, path in enumerate(previews if isinstance(previews, list) else []):
        if isinstance(path, str) and path:
            yield ("previewImages", number), path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long for a file
        return False
