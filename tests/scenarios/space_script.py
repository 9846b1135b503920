"""A script that hears of visibility, and the token that its installation has."""

from __future__ import annotations

import requests

from tests.conftest import Api, Installed

SCRIPT = """
from runtime.sdk import Integration, Response

integration = Integration()


@integration.on("space_visibility_updated")
def changed(event, context):
    context.log.info("%s to %s", event["previousVisibility"], event["visibility"])


@integration.fetch("GET", "/tokens")
def tokens(context):
    return Response.json(context.environment["apiTokens"])
"""


def as_installation(one: Installed) -> Api:
    at = one.owner.api.get(f"{one.path}/installations/{one.installation}").json["urls"]["publicEndpoint"]
    return Api(one.owner.api.url, requests.get(f"{at}/tokens", timeout=30).json()["installation"])
