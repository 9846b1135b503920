"""Translation settings of an organization."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from runtime.contract.base import Body, Moment, WireModel
from runtime.contract.titles import Title

# fmt: off
TranslationLanguage = Literal[
    "en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "yue", "ko", "ar", "hi", "nl", "pl", "tr", "sv",
    "no", "da", "fi", "el", "cs", "hu", "ro", "th", "vi", "id", "ms", "he", "uk", "sk", "bg", "hr", "lt", "lv",
    "et", "sl",
]
# fmt: on
"""The languages that content may be in, as the contract lists them."""


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
