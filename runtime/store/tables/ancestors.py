"""Ancestors of collections (a closure table), so that queries about the tree do not depend on its depth."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from runtime.store.database import Table
from runtime.store.epoch_rules import ORGANIZATION, EpochRules, Of


class CollectionAncestorRow(Table):
    """A collection and one above it; each counts as above itself."""

    __tablename__ = "collection_ancestors"
    epoch_rules: ClassVar[EpochRules | None] = EpochRules((Of("collection_id", (("collections", ORGANIZATION),)),))

    collection_id: Mapped[str] = mapped_column(ForeignKey("collections.id", ondelete="CASCADE"), primary_key=True)
    ancestor_id: Mapped[str] = mapped_column(
        ForeignKey("collections.id", ondelete="CASCADE"), primary_key=True, index=True
    )
