"""`python -m debugpy`, whose sockets answer nobody but the user who started it."""

from __future__ import annotations

import importlib
import os
import types
from pathlib import Path

from devkit.developing import peer_user

DEBUGGED = "DEVKIT_DEBUGGED"
"""The variable in which the adapter finds the number of the process that is debugged."""
ADAPTER = Path(__file__).with_name("debug_adapter") / "__main__.py"


def main() -> None:
    """Debug what the arguments name, as debugpy's command does."""
    peer_user.guard()
    os.environ[DEBUGGED] = str(os.getpid())  # the adapter ends with it
    # Once that is done: its modules remember what they find when they are imported.
    api, cli = (importlib.import_module(f"debugpy.server.{name}") for name in ("api", "cli"))
    vars(api)["adapter"] = types.SimpleNamespace(__file__=str(ADAPTER))  # it starts the folder that this file is in
    cli.main()


if __name__ == "__main__":
    main()
