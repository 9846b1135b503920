"""A Python script as it is stored: text, or a zip in a data URL; checked before any of it runs."""

from __future__ import annotations

import base64
import binascii
import io
import posixpath
import zipfile
from dataclasses import dataclass

from runtime.contract.invocation import Limits, Script, ScriptFault
from runtime.engines.call_state import size_text
from runtime.engines.engine import ScriptRefused, ScriptTooLarge

_ZIP_PREFIX = "data:application/zip;base64,"
_MAX_FILES = 2000


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a worker is given: the entry's name, the text or the zip."""

    entry: str
    content: bytes
    zipped: bool


def read_bundle(script: Script, limits: Limits) -> Bundle:
    """Return the content of a script; raises `ScriptRefused` for one that is too large or no proper zip."""
    if len(script.source) > limits.script * (2 if script.source.startswith(_ZIP_PREFIX) else 1):
        raise _too_large(script, "the script is", limits)
    if not script.source.startswith(_ZIP_PREFIX):
        content = script.source.encode("utf-8", "replace")
        if len(content) > limits.script:
            raise _too_large(script, "the script is", limits)
        return Bundle(script.entry, content, False)
    try:
        content = base64.b64decode(script.source[len(_ZIP_PREFIX) :], validate=True)
        _check_zip(script, content, limits)
    except (binascii.Error, zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError) as error:
        raise _refused(script, f"the bundle is not a valid zip file: {error}") from error
    return Bundle(script.entry, content, True)


def _check_zip(script: Script, content: bytes, limits: Limits) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = archive.infolist()
    if len(files) > _MAX_FILES:
        raise _refused(script, f"the bundle has more than {_MAX_FILES} files")
    # The sizes are the archive's word; inside, a file that is longer than it says fails to unpack.
    if sum(file.file_size for file in files) > limits.script or len(content) > limits.script:
        raise _too_large(script, "the bundle's files are", limits)
    for file in files:
        parts = file.filename.split("/")
        if posixpath.isabs(file.filename) or ".." in parts or "\\" in file.filename or ":" in parts[0]:
            raise _refused(script, f"the bundle has a file outside its folder: {file.filename!r}")
    if script.entry not in {file.filename for file in files}:
        raise _refused(script, f"the bundle has no file {script.entry!r}, which the manifest names as its script")


def _refused(script: Script, message: str) -> ScriptRefused:
    return ScriptRefused(ScriptFault(message, file=script.entry))


def _too_large(script: Script, what: str, limits: Limits) -> ScriptTooLarge:
    return ScriptTooLarge(ScriptFault(f"{what} larger than the limit of {size_text(limits.script)}", file=script.entry))
