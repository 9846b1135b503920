"""Rules on the pictures that travel with an integration."""

from __future__ import annotations

from collections.abc import Iterator

from devkit.checking.rule import Rule
from devkit.checking.subject import Subject
from devkit.manifests.findings import Finding
from devkit.manifests.named_files import missing_images
from devkit.manifests.reading import ValuePath
from runtime.contract.pictures import LONGEST_SIGNATURE, NAMES, type_of_picture
from runtime.engines.call_state import size_text

MAX_ICON, MAX_PREVIEW = 250 * 1024, 1024 * 1024
"""Bytes before they are encoded (docs/contract/api.md, "Pictures")."""


def _pictures(subject: Subject) -> Iterator[tuple[ValuePath, str, int]]:
    manifest = subject.project.manifest
    if isinstance(manifest.icon, str):
        yield ("icon",), manifest.icon, MAX_ICON
    for number, path in enumerate(manifest.preview_images):
        yield ("previewImages", number), path, MAX_PREVIEW


def asset_missing(subject: Subject) -> Iterator[Finding]:
    """A picture that the manifest names is there."""
    yield from missing_images(subject.project.text, subject.project.folder)


def asset_too_large(subject: Subject) -> Iterator[Finding]:
    """A picture keeps to its size."""
    for where, path, most in _pictures(subject):
        file = subject.project.folder / path
        if file.is_file() and file.stat().st_size > most:
            message = f"{path} has {file.stat().st_size} bytes; at most {size_text(most)} are allowed: make it smaller"
            yield subject.project.finding(where, message, "asset-too-large")


def asset_not_picture(subject: Subject) -> Iterator[Finding]:
    """A picture has one of the types that are shown, whatever it is called."""
    for where, path, _ in _pictures(subject):
        file = subject.project.folder / path
        if not file.is_file():
            continue
        with file.open("rb") as content:
            if type_of_picture(content.read(LONGEST_SIGNATURE)) is None:
                message = f"{path} is not an image in {NAMES}: convert it"
                yield subject.project.finding(where, message, "asset-not-picture")


RULES = (
    Rule(
        "asset-missing",
        "error",
        "An image is missing, or outside the project.",
        "Put it there.",
        asset_missing,
    ),
    Rule("asset-too-large", "error", "An image is larger than allowed.", "Make it smaller.", asset_too_large),
    Rule("asset-not-picture", "error", f"An image is not {NAMES}.", "Convert it.", asset_not_picture),
)
