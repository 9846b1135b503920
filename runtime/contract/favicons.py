"""Icons of sites."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, StringConstraints, model_validator

from runtime.contract.base import Body, Text, WebAddress

MAX_NAMES = 100


class ThemedUrl(Body):
    light: WebAddress
    dark: WebAddress


class IconFavicon(Body):
    icon: ThemedUrl


class EmojiFavicon(Body):
    emoji: Annotated[Text, StringConstraints(max_length=50)]


class NoFavicon(Body):
    """None of one's own; anything else would pass for it otherwise."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _not_too_many_names(cls, value: Any) -> Any:
        """Report one error where there would be one for each of very many names."""
        if isinstance(value, dict) and len(value) > MAX_NAMES:
            raise ValueError("must have an `icon`, an `emoji` or nothing")
        return value


Favicon = IconFavicon | EmojiFavicon | NoFavicon
