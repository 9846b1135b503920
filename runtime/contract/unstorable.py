"""Characters that cannot be stored: unpaired surrogates and NUL."""

from __future__ import annotations

import re

UNPAIRED_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: JSON can escape it (`"\\ud800"`), UTF-8 cannot encode it."""
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""What PostgreSQL refuses in a text: unpaired surrogates and NUL. SQLite takes NUL, and is held to the same."""
