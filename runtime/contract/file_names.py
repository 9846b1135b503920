"""Valid names of content files."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from runtime.contract.base import Text


def _file_name(name: str) -> str:
    if any(ord(sign) < 32 or sign in "/\\\x7f" for sign in name) or name.strip(". ") == "":
        raise ValueError("must be the name of a file, without slashes")
    return name


FileName = Annotated[Text, StringConstraints(min_length=1, max_length=200), AfterValidator(_file_name)]
