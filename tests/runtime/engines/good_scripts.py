"""A script that answers, in each language."""

from __future__ import annotations

from tests.runtime.engines.conftest import handler

GOOD = {
    "python": handler("return Response.json('fine')"),
    "v2": "export default { fetch() { return Response.json('fine'); } };",
}
