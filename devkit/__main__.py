"""The program: `devkit`, and `python -m devkit`."""

from __future__ import annotations

from devkit import ending


def main() -> None:
    """Run the command line; Ctrl-C while it is imported ends it without a traceback."""
    ending.at_once()
    from devkit.cli import main as run

    ending.with_ctrl_c()
    run()


if __name__ == "__main__":
    main()
