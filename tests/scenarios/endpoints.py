"""Addresses at which an integration receives requests."""

from __future__ import annotations

from tests.conftest import Installed


def endpoints(one: Installed) -> dict[str, str]:
    api, path = one.owner.api, f"{one.path}/installations/{one.installation}"
    return {
        "integration": api.get(one.path).json["urls"]["publicEndpoint"],
        "installation": api.get(path).json["urls"]["publicEndpoint"],
        "space": api.get(f"{path}/spaces/{one.space}").json["urls"]["publicEndpoint"],
        "site": api.get(f"{path}/sites/{one.site}").json["urls"]["publicEndpoint"],
    }
