"""One integration that is slow, or floods, does not keep the others waiting."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

from tests.conftest import COUNTER, HostProcess, Installed, init, installed, tenant, wait_for
from tests.scenarios.test_delivery import delivered, send

SLOW = COUNTER.replace('context.log.info("revision %s", event["revisionId"])', "import time; time.sleep(3)") + (
    "\n@integration.fetch('GET', '/slow')\ndef slow(request):\n"
    "    import time\n    time.sleep(4)\n    return Response('slow')\n"
)


def test_slow_integrations_leave_room(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, environ={"DEVKIT_WALL_SECONDS": "6", "DEVKIT_DISPATCH_THREADS": "4"}).start()
    owner = tenant(host, "First", "first@example.com")
    slow, quick = installed(owner, SLOW), installed(owner)
    endpoint = owner.api.get(slow.path).json["urls"]["publicEndpoint"]
    send(slow, count=200)
    for _ in range(20):
        task(slow)
    with ThreadPoolExecutor(160) as pool:
        flood = [pool.submit(requests.get, f"{endpoint}/slow", timeout=60) for _ in range(150)]
        wait_for(lambda: sum(call.done() for call in flood) > 50)
        assert sum(call.done() for call in flood) < 150
        assert quick.render().status == 200
        sent = send(quick)["events"][0]
        wait_for(lambda: sent in [item["id"] for item in delivered(quick, "space_content_updated")])
        statuses = Counter(call.result().status_code for call in flood)
    assert statuses[200] >= 4 and statuses[503] > 100
    refused = next(call.result() for call in flood if call.result().status_code == 503)
    assert "busy" in refused.json()["error"]["message"] and refused.headers["Retry-After"] == "1"
    assert host.stop() == 0


def task(one: Installed) -> None:
    send(one, type="task", task={"type": "x"})
