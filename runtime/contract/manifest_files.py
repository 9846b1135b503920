"""The names of the file that a manifest is in."""

from __future__ import annotations

FILES = ("integration.yaml", "gitbook-manifest.yaml", "integration.yml")
"""The names a manifest may have, in the order they are looked for."""
