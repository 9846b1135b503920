"""Translation settings of an organization."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from runtime.contract.base import Body, Moment, WireModel
from runtime.contract.titles import Title


class WriteTranslation(Body):
    title: Annotated[Title, StringConstraints(min_length=1, max_length=100)]


class TranslationUrls(WireModel):
    location: str


class TranslationSettings(WireModel):
    """Into which languages something is translated."""

    object: Literal["translation-settings"] = "translation-settings"
    id: str
    title: str
    languages: list[str]
    created_at: Moment
    updated_at: Moment
    permissions: dict[str, bool]
    urls: TranslationUrls
