"""The smallest manifest, and a folder that has it."""

from __future__ import annotations

from pathlib import Path

GOOD = "name: sample\ntitle: Sample\ndescription: A sample.\nscript: integration.py\nscopes: []\n"


def write(folder: Path, text: str, name: str = "integration.yaml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder
