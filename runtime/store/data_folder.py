"""What a host has in its data folder."""

from __future__ import annotations

DATABASE, KEY, BLOBS = "host.sqlite", "secret.key", "blobs"
"""The SQLite file, where the database is not elsewhere; the secret key; the folder of what is too large for a row."""
