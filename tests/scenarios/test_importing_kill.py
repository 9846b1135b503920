"""A host that is killed in the middle of an import goes on with it: there is one revision and one event of it."""

from __future__ import annotations

import http.server
import threading
from pathlib import Path

from tests.conftest import HostProcess, init, installed, tenant, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.elsewhere import elsewhere

PAGES = 60


def test_an_import_survives_the_host(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    with elsewhere() as web:
        host = HostProcess(tmp_path, "--allow-egress", web.authority).start()
        owner = tenant(host, "Alpha", "alpha@example.com")
        one = installed(owner)
        path = f"/v1/spaces/{one.space}"
        ok(owner.api.call("PATCH", path, {"editMode": "live"}))
        before = ok(owner.api.get(path))["revision"]
        half, go_on = threading.Event(), threading.Event()

        def wait(request: http.server.BaseHTTPRequestHandler) -> None:
            half.set()
            go_on.wait(60)
            content = b"<main><h1>Half</h1></main>"
            request.send_response(200)
            request.send_header("Content-Type", "text/html")
            request.send_header("Content-Length", str(len(content)))
            request.end_headers()
            try:
                request.wfile.write(content)
            except OSError:  # whoever asked was killed
                pass

        links = "".join(f"<a href='{number}'>{number}</a>" for number in range(PAGES))
        start = web.put("/", f"<main><h1>Start</h1>{links}</main>")
        for number in range(PAGES):
            web.put(f"/{number}", f"<main><h1>Page {number}</h1></main>")
        web.pages[f"/{PAGES // 2}"] = wait
        begun = ok(owner.api.post(f"{path}/imports", {"url": start, "source": "website"}), 201)
        assert half.wait(60)
        host.kill()
        go_on.set()
        asked = [*web.asked]
        web.asked.clear()
        host.start()

        def over() -> bool:
            return bool(ok(owner.api.get(f"{path}/imports/{begun['id']}"))["status"] == "completed")

        wait_for(over, 90)
        assert len({*asked} & {*web.asked}) <= 20, "what a batch had before is fetched again, and nothing else"
        done = ok(owner.api.get(f"{path}/imports/{begun['id']}"))
        assert done["importedResources"] == PAGES + 1
        assert ok(owner.api.get(path))["revision"] == done["revision"]
        assert ok(owner.api.get(f"{path}/revisions/{done['revision']}"))["parents"] == [before]

        def events() -> list[str]:
            shown = ok(owner.api.get(f"{one.path}/events", type="space_content_updated"))["items"]
            return [event["id"] for event in shown]

        wait_for(events)
        assert len(events()) == 1
        assert host.stop() == 0
