"""A script that calls the API with the tokens it is given."""

from __future__ import annotations

from typing import Any

import requests

from tests.conftest import Installed

CALLS = """
from runtime.sdk import ApiError, Integration, Response, ui

integration = Integration()


@integration.component("counter")
def counter(element):
    return ui.block(ui.text("x"))


@integration.fetch("POST", "/call")
def call(request, context):
    wanted = request.json()
    client = context.api if wanted["as"] == "installation" else context.integration_api
    try:
        if wanted["method"] == "GET":
            answer = client.get(wanted["path"].removeprefix("/v1"))
        elif wanted["method"] == "PATCH":
            answer = client.patch(wanted["path"].removeprefix("/v1"), wanted["body"])
        else:
            answer = client.post(wanted["path"].removeprefix("/v1"), wanted["body"])
        return Response.json({"status": 200, "answer": answer})
    except ApiError as error:
        return Response.json({"status": error.status, "answer": str(error)})


@integration.fetch("GET", "/tokens")
def tokens(context):
    return Response.json(context.environment["apiTokens"])
"""


def endpoint(one: Installed) -> str:
    path = f"{one.path}/installations/{one.installation}"
    address: str = one.owner.api.get(path).json["urls"]["publicEndpoint"]
    return address


def call(one: Installed, kind: str, method: str, path: str, body: Any = None) -> Any:
    wanted = {"as": kind, "method": method, "path": path, "body": body}
    answer = requests.post(endpoint(one) + "/call", json=wanted, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()
