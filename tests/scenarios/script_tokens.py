"""Tokens that scripts are given, as clients of the API."""

from __future__ import annotations

import requests

from tests.conftest import Api, Installed

TOKENS = """
from runtime.sdk import Integration, Response

integration = Integration()


@integration.fetch("GET", "/tokens")
def tokens(context):
    return Response.json(context.environment["apiTokens"])
"""
KINDS = ("integration", "installation")


def script_tokens(one: Installed) -> dict[str, Api]:
    """Give an API client for each token the script of an installation holds."""
    shown = one.owner.api.get(f"{one.path}/installations/{one.installation}").json
    held = requests.get(shown["urls"]["publicEndpoint"] + "/tokens", timeout=30).json()
    return {kind: Api(one.owner.api.url, held[kind]) for kind in KINDS}
