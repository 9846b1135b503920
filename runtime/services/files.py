"""Files of the content: their metadata, and uploads to change requests."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from io import BytesIO

import imagesize

from runtime.contract import errors
from runtime.contract.identifiers import new_id
from runtime.store.blobs.store import Blob, BlobStore
from runtime.store.content.entries import File
from runtime.store.content.snapshot import Snapshot

MAX_FILE = 100 * 1024 * 1024
ANY_TYPE = "application/octet-stream"
MAX_SIDE = 1_000_000
"""Maximum pixels of an image, beyond which its header is not trusted."""
_LOOKED_AT = 1 << 20
_MEASURED = (b"\x89PNG", b"\xff\xd8", b"GIF8", b"RIFF", b"BM")
"""How pictures begin that browsers show, besides those of the family of AVIF."""

mimetypes.add_type("image/webp", ".webp")
mimetypes.add_type("image/avif", ".avif")
mimetypes.add_type("text/markdown", ".md")


def file_of(blobs: BlobStore, blob: Blob, name: str, content_type: str = "", file_id: str | None = None) -> File:
    """Describe a blob as a file: its type by its name, else as it was sent, and the size of a picture."""
    known = mimetypes.guess_type(name, strict=False)[0] or _plain(content_type)
    size = _dimensions(blobs, blob) if known.startswith("image/") else None
    return File(file_id or new_id(), None, name, known, blob.size, blob.name, size)


def file_in(snapshot: Snapshot, file_id: str) -> File:
    """Find a file by its id; raises NotFound."""
    file = snapshot.file_by_id.get(file_id)
    if file is None:
        raise errors.NotFound(f"There is no file `{file_id[:60]}` in this revision; it may be in an earlier one.")
    return file


def _plain(content_type: str) -> str:
    kind, _, rest = content_type.partition("/")
    plain = all(sign.isascii() and (sign.isalnum() or sign in "!#$&-^_.+") for sign in kind + rest)
    usable = bool(kind and rest and plain) and len(content_type) <= 100
    return content_type if usable and content_type != "application/x-www-form-urlencoded" else ANY_TYPE


def _dimensions(blobs: BlobStore, blob: Blob) -> Mapping[str, int] | None:
    """Read how large a picture is from its first bytes; None where they do not say."""
    with blobs.open(blob.name) as stream:
        head = stream.read(_LOOKED_AT)
    like_avif = head[4:8] == b"ftyp"
    if not head.startswith(_MEASURED) and not like_avif:
        # An SVG, whose XML is left to browsers, or a format that they do not show: for some of these the library takes
        # the square of the file's length.
        return None
    # How an AVIF is turned is said in lists of parts, which may be empty: a few hundred bytes name gigabytes of them.
    width, height = imagesize.get(BytesIO(head), exif_rotation=not like_avif)
    good = all(isinstance(side, int) and 0 < side <= MAX_SIDE for side in (width, height))
    return {"width": width, "height": height} if good else None
