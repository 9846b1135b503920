"""The errors of a system that has no room for one more connection, after which a listener tries again."""

from __future__ import annotations

import errno

EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
PAUSE_SECONDS = 0.1
"""Before the next try: whoever connects is still in the listener's queue, so that a try without a pause would spin."""
