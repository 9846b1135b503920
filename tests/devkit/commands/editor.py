"""An editor that a command opens."""

from __future__ import annotations

from pathlib import Path


def editor(folder: Path, old: str, new: str) -> str:
    """Make an editor that replaces a text."""
    script = folder / "edit.py"
    script.write_text(
        "import pathlib, sys\n"
        f"file = pathlib.Path(sys.argv[1])\ntext = file.read_text()\nassert {old!r} in text, text\n"
        f"file.write_text(text.replace({old!r}, {new!r}))\n"
    )
    return f"python3 {script}"
