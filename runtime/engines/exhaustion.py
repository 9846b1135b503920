"""What the system says when it has no room for one more connection, which is no reason to stop accepting them."""

from __future__ import annotations

import errno

EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
PAUSE_SECONDS = 0.1
"""Until the next try: whoever connects still waits at the listener, so that nothing would wait by itself."""
