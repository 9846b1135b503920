import json

import pytest

SECRET = "a secret"


def post(integration, body, **signed):
    integration.secrets["WEBHOOK_SECRET"] = SECRET
    return integration.fetch("/hook", body=body, at="integration", **signed)


def test_a_signed_message_is_worked_off_in_a_task(integration):
    message = {"id": "m1", "text": "hello"}
    response = post(integration, json.dumps(message), sign="github", secret=SECRET)
    assert (response.status, response.json) == (200, {"accepted": "m1"})
    assert [queued.task for queued in response.tasks] == [{"message": message}]
    (worked,) = integration.run_tasks()
    assert (worked.status, worked.logs) == (200, ["message m1: hello"])


@pytest.mark.parametrize("signature", ["", "sha256=00", "é"])
def test_a_wrong_signature_is_refused(integration, signature):
    assert post(integration, '{"id": "m1"}', headers={"x-hub-signature-256": signature}).status == 401
    assert integration.tasks == []


@pytest.mark.parametrize("body", ["", "{", "[]", '{"id": 1}'])
def test_a_message_that_cannot_be_read_is_refused(integration, body):
    assert post(integration, body, sign="github", secret=SECRET).status == 400
    assert integration.tasks == []
