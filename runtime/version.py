"""The release of this host."""

from __future__ import annotations

from datetime import date

VERSION = "0.1.0"
RELEASED = date(2026, 11, 21)
