"""What is done with the files of a specification in a separate process: everything that reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypedDict

from runtime.services.openapi_specs import checking, swagger
from runtime.services.openapi_specs.faults import MAX_FAULTS, MAX_RESULT, Count, Unreadable, shortened
from runtime.services.openapi_specs.naming import file_names
from runtime.services.openapi_specs.reading import read
from runtime.services.openapi_specs.references import Reference, dangling, ids_of, references

RESULT = "filesystem.json"


class Given(TypedDict):
    """A file: its address, empty for a text, and its name in the folder."""

    address: str
    name: str


class Answer(TypedDict, total=False):
    """What is wrong, or which files are still to be fetched; neither where the result is written."""

    faults: list[str]
    wanted: list[str]


def work(folder: Path, given: list[Given]) -> Answer:
    """Read the files of a specification, the document first; writes `filesystem.json` once all of them are there.

    Each is read from its own text once: afterwards the folder has its values instead of it.
    """
    try:
        return _work(folder, given)
    except Unreadable as error:
        return {"faults": error.sentences}


def _work(folder: Path, given: list[Given]) -> Answer:
    entry = given[0]["address"]
    values = _read(folder, given)
    version = checking.version_of(values[entry])
    ids = frozenset().union(*(ids_of(value, address) for address, value in values.items()))
    found: dict[str, list[Reference]] = {}
    for address, value in values.items():
        try:
            found[address] = list(references(value, address, ids=ids))
        except Unreadable as error:
            raise _in(address, entry, error) from None
    leads = {one.address for known in found.values() for one in known if one.address}
    if wanted := sorted(leads - set(values)):
        return {"wanted": wanted}
    if faults := [*checking.faults(values[entry], version), *dangling(values, found)]:
        raise Unreadable(*faults[:MAX_FAULTS])
    names = file_names(entry, values)
    if version == checking.SWAGGER:
        values = swagger.converted(entry, values, names.__getitem__)
        if faults := checking.faults(values[entry], "3.0"):
            raise Unreadable(*(f"After the conversion to OpenAPI 3.0: {fault}" for fault in faults))
    ordered = [entry, *sorted(set(values) - {entry}, key=names.__getitem__)]
    _write(folder / RESULT, {names[address]: values[address] for address in ordered})
    return {}


def _read(folder: Path, given: list[Given]) -> dict[str, Any]:
    count = Count()
    values: dict[str, Any] = {}
    for one in given:
        path = folder / one["name"]
        try:
            values[one["address"]] = read(path.read_bytes(), count)
        except Unreadable as error:
            raise _in(one["address"], given[0]["address"], error) from None
        if len(given) > 1:
            _write(path, values[one["address"]])
    return values


def _write(path: Path, value: Any) -> None:
    try:
        content = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Unreadable("The specification has an unpaired surrogate such as `\\ud800`.") from None
    if len(content) > MAX_RESULT:
        raise Unreadable(f"The specification has more than {MAX_RESULT:,} bytes with its aliases expanded.")
    path.write_bytes(content)


def _in(address: str, entry: str, error: Unreadable) -> Unreadable:
    """Say in which file it is, where that is not the one that was sent."""
    if address == entry:
        return error
    return Unreadable(*(shortened(f"In {address[:200]}: {sentence}") for sentence in error.sentences))
