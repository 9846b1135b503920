"""The entry point: `devkit`, and `python -m devkit`."""

from __future__ import annotations

import gc

from devkit.terminal import ending

GARBAGE_AFTER = 100_000
"""New objects until some are looked through for garbage: with Python's own 700, a command would spend a fifth of its
time on that while it is imported."""


def main() -> None:
    """Run the command line; Ctrl-C while it is imported ends it without a traceback."""
    ending.at_once()
    gc.set_threshold(GARBAGE_AFTER)
    from devkit.cli import main as run

    ending.with_ctrl_c()
    run()


if __name__ == "__main__":
    main()
