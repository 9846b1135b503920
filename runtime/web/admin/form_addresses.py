"""Addresses that forms are sent to: opened by themselves, they lead to the page of the form.

A refused form is shown at such an address, and whoever reloads or bookmarks it opens it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import NotFound
from werkzeug.routing import Map, Rule

from runtime.api.host import Host
from runtime.web.admin.browser import PATH
from runtime.web.origins import on_public_origin


def mount_form_addresses(app: Flask, host: Host) -> None:
    """Lead from each address below `/app` that only takes forms to the closest page above; raises LookupError if none.

    To be called when all pages are there.
    """
    rules = [rule for rule in app.url_map.iter_rules() if f"{rule.rule}/".startswith(f"{PATH}/")]
    pages = {rule.rule: rule for rule in rules if "GET" in (rule.methods or ())}
    wider = Map(
        [rule.empty() for rule in pages.values() if "<path:" in rule.rule],
        strict_slashes=app.url_map.strict_slashes,
        merge_slashes=app.url_map.merge_slashes,
    )
    for sent_to in sorted({rule.rule for rule in rules} - pages.keys()):
        above = sent_to
        while above not in pages:
            above = above.rpartition("/")[0]
            if not above:
                raise LookupError(f"no page is above {sent_to}, which takes forms")
        lead = on_public_origin(host, partial(_lead, wider, pages[above]))
        app.add_url_rule(sent_to, f"page of the form {sent_to}", lead, methods=("GET",))


def _lead(wider: Map, page: Rule, **path: Any) -> Response:
    """Lead to the page, for whom it shows itself; others get the answer that it gives them.

    Pages of spaces are opened by their paths, too: one whose path is the same comes first.
    """
    try:
        endpoint, named = wider.bind_to_environ(request.environ).match()
    except NotFound:
        pass
    else:
        found = _answer(endpoint, named)
        if found.status_code < 400:
            return found
    within = {name: value for name, value in path.items() if name in page.arguments}
    shown = _answer(page.endpoint, within)
    if shown.status_code >= 400:
        return shown
    routes = current_app.create_url_adapter(request)
    assert routes is not None
    place = routes.build(page.endpoint, within, method="GET")
    query = request.query_string.decode("latin-1")  # filters and the page of a list
    return Response(b"", 303, {"Location": f"{place}?{query}" if query else place, "Cache-Control": "no-store"})


def _answer(endpoint: str, path: Any) -> Response:
    answer = current_app.view_functions[endpoint](**path)
    assert isinstance(answer, Response)
    return answer
