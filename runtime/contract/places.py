"""Where spaces and collections stand: inside a collection or at the top of an organization, in an order."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import MISSING, Field, model_validator

from runtime.contract.base import Body
from runtime.contract.identifiers import ObjectId


class SpacePointer(Body):
    """A space to stand beside."""

    type: Literal["space"]
    space: ObjectId

    @property
    def id(self) -> str:
        """The id of the space."""
        return self.space


class CollectionPointer(Body):
    """A collection to stand beside."""

    type: Literal["collection"]
    collection: ObjectId

    @property
    def id(self) -> str:
        """The id of the collection."""
        return self.collection


Pointer = Annotated[SpacePointer | CollectionPointer, Field(discriminator="type")]


class Position(Body):
    """Beside which of those in the same place something is put; at least one of both."""

    before: Pointer | MISSING = MISSING
    after: Pointer | MISSING = MISSING

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        if self.before is MISSING and self.after is MISSING:
            raise ValueError("must have `before` or `after`")
        return self


class Move(Body):
    """Where something goes: null is the top of the organization; without a position it goes to the end."""

    parent: ObjectId | MISSING | None = MISSING
    position: Position | MISSING = MISSING

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.parent is MISSING and self.position is MISSING:
            raise ValueError("must have `parent` or `position`")
        return self


class Transfer(Body):
    """The organization that something goes to."""

    organization: ObjectId
