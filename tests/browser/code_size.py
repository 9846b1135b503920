"""How much code a page may load."""

from __future__ import annotations

MOST = 60 * 1024
