"""The source map at the end of a bundle, by which debuggers find the author's files (ECMA-426)."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

_MAP = re.compile(r"//# sourceMappingURL=data:application/json[^,]*;base64,(?P<map>[A-Za-z0-9+/=]+)\s*$")


def changed(bundle: str, change: Callable[[dict[str, Any]], None]) -> str:
    """Return a bundle with `change` made to its inline map; one without a map stays what it is."""
    match = _MAP.search(bundle)
    if match is None:
        return bundle
    content = json.loads(base64.b64decode(match["map"]))
    change(content)
    encoded = base64.b64encode(json.dumps(content).encode()).decode()
    return f"{bundle[: match.start()]}//# sourceMappingURL=data:application/json;base64,{encoded}\n"


def rooted(bundle: str, folder: Path) -> str:
    """Return a bundle whose map says where on this machine the files are, for a debugger to find them."""

    def root(content: dict[str, Any]) -> None:
        content["sourceRoot"] = folder.resolve().as_uri() + "/"

    return changed(bundle, root)
