"""What an address of the application names (docs/contract/api.md, "Spaces, collections and where they are")."""

from __future__ import annotations

from typing import Annotated

from pydantic import MISSING, StringConstraints

from runtime.contract.base import Query, Text, WireModel
from runtime.contract.change_requests import ChangeRequest
from runtime.contract.collections import Collection
from runtime.contract.pages import Page
from runtime.contract.spaces import Space


class AddressedCollection(WireModel):
    """An address of a collection."""

    collection: Collection


class AddressedContent(WireModel):
    """An address of a space, of a change request in it, or of a page of either."""

    space: Space
    change_request: ChangeRequest | MISSING = MISSING
    page: Page | MISSING = MISSING


class AddressQuery(Query):
    url: Annotated[Text, StringConstraints(min_length=1, max_length=2048)]
