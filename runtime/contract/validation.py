"""What is wrong with a value, in a sentence: where, and what; never the value itself."""

from __future__ import annotations

from pydantic import ValidationError

LONGEST_PLACE = 200


def sentence(error: ValidationError, *, within: str = "", whole: str = "The body") -> str:
    """Word the first of a model's errors; `within` is the field the model was read from, `whole` what it is else."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join([*([within] if within else []), *(str(part) for part in first["loc"])])[:LONGEST_PLACE]
    if first["type"] == "json_invalid":
        what = f"not valid JSON: {first['msg'].removeprefix('Invalid JSON: ')}"
        return f"{where}: {what}" if where else f"{whole} is {what}"
    if not where:
        return f"{whole} is not valid: {first['msg']}"
    more = error.error_count() - 1
    return f"{where}: {first['msg']}" + (f" (and {more} more)" if more else "")
