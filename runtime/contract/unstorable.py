"""Characters of JSON and YAML texts that cannot be written as UTF-8, or that no column of a database holds."""

from __future__ import annotations

import re

UNPAIRED_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character: JSON can escape it alone (`"\\ud800"`), and UTF-8 cannot encode it."""
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""What PostgreSQL refuses in a text: unpaired surrogates and NUL. SQLite takes NUL, and is held to the same."""
