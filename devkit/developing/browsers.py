"""Opens a page in a browser of this machine, if it has a display."""

from __future__ import annotations

import os
import sys
import webbrowser

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def open_page(url: str) -> bool:
    """Open a page; returns whether a browser was started.

    Without a screen Python would open one that draws in the terminal, over what is shown there.
    """
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in SCREENS):
        return False
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
