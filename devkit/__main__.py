"""`python -m devkit`."""

from __future__ import annotations

from devkit.cli import main

main()
