"""Numbers as people write them: `3.4 ms`, `1.2 s`, `12 KB`."""

from __future__ import annotations

KILO, MEGA, GIGA = 1024, 1024 * 1024, 1024 * 1024 * 1024


def duration_text(milliseconds: float) -> str:
    """Write a duration, given in milliseconds."""
    if milliseconds >= 9_950:
        return f"{milliseconds / 1000:.0f} s"
    if milliseconds >= 999.5:
        return f"{milliseconds / 1000:.1f} s"
    if milliseconds >= 9.95:
        return f"{milliseconds:.0f} ms"
    return f"{milliseconds:.1f} ms" if milliseconds >= 0.95 or milliseconds == 0 else f"{milliseconds:.2f} ms"


def bytes_text(size: float) -> str:
    """Write a size, given in bytes, where 1 KB is 1024 of them."""
    for unit, name in ((GIGA, "GB"), (MEGA, "MB"), (KILO, "KB")):
        if size >= unit:
            number = size / unit
            return f"{number:.0f} {name}" if number >= 9.95 or number == int(number) else f"{number:.1f} {name}"
    return f"{size:.0f} {'byte' if size == 1 else 'bytes'}"
