"""Which pictures integrations may have, told by what is in them: files are called `.png` whatever they are."""

from __future__ import annotations

LONGEST_SIGNATURE = 12
NAMES = "PNG, JPEG, GIF or WebP"


def type_of_picture(content: bytes) -> str | None:
    """Return the media type of a picture by its first bytes; None for anything that is not shown as one."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if content.startswith(b"RIFF") and content[8:LONGEST_SIGNATURE] == b"WEBP":
        return "image/webp"
    return None
