"""Pages as people name them: by id, or by the path that their address ends with."""

from __future__ import annotations

import re
from urllib.parse import quote

from devkit.hosts import response_shapes
from devkit.hosts.client import Client, RequestRefused, part
from devkit.terminal.output import Problem
from runtime.contract.expected import NEW_ID


def page_named(client: Client, content: str, named: str) -> str:
    """Return the id of a page of some content, whose address is given; raises Problem if there is none."""
    path = named.strip("/")
    places = [f"path/{quote(path, safe='/', errors='replace')}"] if path else []
    if re.fullmatch(NEW_ID, named):
        places.insert(0, f"page/{part(named)}")
    for place in places:
        try:
            return str(client.call("GET", f"{content}/{place}", shape=response_shapes.PAGE)["id"])
        except RequestRefused as refused:
            if refused.status not in (400, 404):
                raise
    raise Problem(f"there is no page `{named[:200]}`", hint="give its id, or its path such as guides/setup")
