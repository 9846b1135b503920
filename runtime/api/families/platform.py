"""The platform itself, and who is asking."""

from __future__ import annotations

from datetime import UTC, datetime

from runtime import version
from runtime.api.call import Call
from runtime.api.families.people import USER_RESOURCE
from runtime.api.operation import Family
from runtime.api.permission import ANYBODY_WITH_A_TOKEN, USER
from runtime.contract.base import WireModel
from runtime.store.tables.organizations import UserRow

platform = Family("Platform")


class ApiInformation(WireModel):
    """The release of this host, and when it was built."""

    version: str
    build: str


@platform.operation("GET /v1", ApiInformation, needs=ANYBODY_WITH_A_TOKEN)
def get_api_information(call: Call) -> ApiInformation:
    """Get the release of the host."""
    return ApiInformation(
        version=version.VERSION, build=datetime.combine(version.RELEASED, datetime.min.time(), UTC).isoformat()
    )


@platform.operation("GET /v1/user", USER_RESOURCE, needs=USER)
def get_authenticated_user(call: Call) -> UserRow:
    """Get the user that the token belongs to."""
    return call.find(UserRow, id=call.actor.reach.user_id)
