"""The webhook, from event to signed request and its retries."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest

from devkit.testing.clock import Clock
from devkit.testing.fake_api import FakeApi, ScriptRequest
from devkit.testing.integration import Integration
from devkit.testing.results import Result

KEY = b"0123456789abcdef0123456789abcdef"
SECRET = "whsec_" + base64.b64encode(KEY).decode()
RECEIVER = "https://hooks.example.com/hook"
INSTALLATION = "inst-offline"


@pytest.fixture(autouse=True)
def receiver(integration: Integration, api: FakeApi) -> None:
    integration.configuration = {"url": RECEIVER, "secret": SECRET}
    answer_with(api, 204)


def answer_with(api: FakeApi, status: int) -> None:
    api.answers("POST", RECEIVER, status=status, headers={"location": "/elsewhere"})


def received(api: FakeApi) -> list[ScriptRequest]:
    return api.calls_to(RECEIVER)


def update(integration: Integration) -> Result:
    result = integration.event("space_content_updated", eventId="ev1", spaceId="sp1", revisionId="r1")
    assert result.status == 200
    return result


def retry(integration: Integration, attempt: int) -> Result:
    return integration.task({"installation": INSTALLATION, "id": "ev1", "body": "{}", "attempt": attempt})


def test_an_event_arrives_signed(integration: Integration, api: FakeApi) -> None:
    assert update(integration).tasks == []
    (sent,) = received(api)
    assert sent.json["type"] == "space_content_updated"
    data = sent.json["data"]
    assert [one["displayName"] for one in data.pop("updatedBy")] == ["Ada Lovelace"]
    assert data == {"installationId": INSTALLATION, "spaceId": "sp1", "revisionId": "r1"}
    assert sent.json["timestamp"].endswith("Z")
    assert (sent.headers["webhook-id"], sent.headers["content-type"]) == ("ev1", "application/json")
    signed = b".".join([b"ev1", sent.headers["webhook-timestamp"].encode(), sent.body])
    expected = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    assert sent.headers["webhook-signature"] == f"v1,{expected}"


def test_the_example_of_the_convention(integration: Integration) -> None:
    # From the Standard Webhooks specification: every library for it has this pair in its tests.
    signature = integration.script.signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        '{"test": 2432232314}',
    )
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_cookies_of_visitors_stay_here(integration: Integration, api: FakeApi) -> None:
    visitor = {"anonymousId": "a", "cookies": {"session": "x"}, "ip": "192.0.2.1", "userAgent": "u"}
    integration.configuration["page_views"] = True
    integration.event("site_view", visitor=visitor)
    assert received(api)[0].json["data"]["visitor"] == {k: v for k, v in visitor.items() if k != "cookies"}


@pytest.mark.parametrize(
    ("event", "switch", "default"),
    [
        ("space_content_updated", "content_updates", True),
        ("site_view", "page_views", False),
        ("page_feedback", "page_feedback", True),
    ],
)
def test_each_event_has_its_switch(
    integration: Integration, api: FakeApi, event: str, switch: str, default: bool
) -> None:
    arrived = 0
    for setting, arrives in ((None, default), (True, True), (False, False)):
        if setting is not None:
            integration.configuration[switch] = setting
        assert integration.event(event).status == 200
        arrived += arrives
        assert len(received(api)) == arrived


def test_without_an_address_nothing_is_sent(integration: Integration, api: FakeApi) -> None:
    del integration.configuration["url"]
    assert (update(integration).tasks, api.calls) == ([], [])


@pytest.mark.parametrize("status", [301, 400, 404, 429, 500])
def test_a_failure_is_tried_again(integration: Integration, api: FakeApi, clock: Clock, status: int) -> None:
    answer_with(api, status)
    (queued,) = update(integration).tasks
    assert 4 <= queued.schedule <= 6
    body = received(api)[0].body.decode()
    assert queued.task == {"installation": INSTALLATION, "id": "ev1", "body": body, "attempt": 1}

    answer_with(api, 200)
    (worked,) = clock.advance(seconds=6)
    first, second = received(api)
    assert (worked.status, first.body, second.headers["webhook-id"]) == (200, second.body, "ev1")
    assert integration.tasks == []


def test_a_receiver_that_is_not_there_is_tried_again(integration: Integration, api: FakeApi) -> None:
    api.breaks("POST", RECEIVER)
    assert update(integration).tasks[0].task["attempt"] == 1


def test_a_retry_uses_the_address_and_secret_of_today(integration: Integration, api: FakeApi) -> None:
    del integration.configuration["secret"]
    result = retry(integration, 3)
    assert (result.status, received(api), result.tasks) == (200, [], [])
    assert result.logged[-1].level == "warn"


def test_every_delay_fits_into_a_task(integration: Integration, api: FakeApi) -> None:
    answer_with(api, 500)
    for attempt in range(len(integration.script.DELAYS)):
        assert 0 < retry(integration, attempt).tasks[0].schedule <= 86_400


def test_it_gives_up_in_the_end(integration: Integration, api: FakeApi) -> None:
    answer_with(api, 500)
    result = retry(integration, len(integration.script.DELAYS))
    assert (result.status, result.tasks, result.logged[-1].level) == (200, [], "error")


def test_410_ends_it(integration: Integration, api: FakeApi) -> None:
    answer_with(api, 410)
    assert update(integration).tasks == []


def test_a_broken_secret_is_reported_in_the_log(integration: Integration, api: FakeApi) -> None:
    integration.configuration["secret"] = "whsec_not base64"
    result = update(integration)
    assert (received(api), result.tasks) == ([], [])
    assert result.logs == ["the signing secret is not base64 after whsec_: message ev1 is dropped"]


def test_an_installation_gets_a_secret_once(integration: Integration) -> None:
    integration.configuration = {"url": "https://x.example"}
    assert integration.event("installation_setup").status == 200
    configuration: dict[str, Any] = json.loads(json.dumps(integration.configuration))
    assert configuration["url"] == "https://x.example"
    assert len(base64.b64decode(configuration["secret"].removeprefix("whsec_"))) == 32
    assert integration.event("installation_setup").status == 200
    assert integration.configuration == configuration
