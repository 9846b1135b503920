"""People."""

from __future__ import annotations

from runtime.api import crud
from runtime.api.operation import Family
from runtime.api.permission import USER, for_visitors
from runtime.api.resource import Resource
from runtime.contract.organizations import User
from runtime.serializers import people as serializers
from runtime.store.cursors import Order
from runtime.store.tables.organizations import UserRow

USER_RESOURCE = Resource(
    "user",
    UserRow,
    at="users/{userId}",
    model=User,
    serialize=serializers.users,
    order=(Order(UserRow.display_name), Order(UserRow.id)),
)

people = Family("People", USER_RESOURCE)


crud.get(
    people,
    USER_RESOURCE,
    "getUserById",
    "Get a person who shares an organization with the caller.",
    needs=for_visitors(USER),
)
