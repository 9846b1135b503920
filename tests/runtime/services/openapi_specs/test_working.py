"""The work on the files of a specification: the same files always come out the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.services.openapi_specs import checking
from runtime.services.openapi_specs.faults import MAX_FAULTS, Unreadable
from runtime.services.openapi_specs.working import RESULT, work
from tests.clients.packages import MODULES

NAMES = st.text("abcdefgh", min_size=1, max_size=5)
SCHEMAS = st.recursive(
    st.sampled_from([{"type": "string"}, {"type": "integer"}, {"$ref": "#/components/schemas/a"}]),
    lambda inner: st.fixed_dictionaries({"type": st.just("object"), "properties": st.dictionaries(NAMES, inner)}),
    max_leaves=8,
)
REPOSITORY = Path(__file__).parents[4]


def made(folder: Path, text: str, address: str = "https://a.example/api.json") -> dict[str, Any]:
    """Do the work on one file; gives what it answers, with the files where there are any."""
    (folder / "0.file").write_text(text, encoding="utf-8")
    (folder / RESULT).unlink(missing_ok=True)
    answer = dict(work(folder, [{"address": address, "name": "0.file"}]))
    if (folder / RESULT).exists():
        answer["content"] = (folder / RESULT).read_bytes()
    return answer


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(st.dictionaries(NAMES, SCHEMAS, max_size=4), st.integers(0, 4))
def test_it_is_decided_by_the_content_alone(tmp_path: Path, schemas: dict[str, Any], indent: int) -> None:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "A", "version": "1"},
        "components": {"schemas": {"a": {}, **schemas}},
    }
    written = made(tmp_path, json.dumps(document))
    assert written == made(tmp_path, json.dumps(document, indent=indent))
    assert written == made(tmp_path, yaml.safe_dump(document, sort_keys=False))
    assert json.loads(written["content"]) == {"api.json": document}


def test_real_documents_are_read(tmp_path: Path) -> None:
    paths = [REPOSITORY / "openapi.json"]
    published = MODULES / "@gitbook" / "api" / "spec"
    if published.is_dir():
        paths += [published / "openapi.json", published / "openapi.yaml"]
    for path in paths:
        answer = made(tmp_path, path.read_text(encoding="utf-8"))
        assert set(answer) == {"content"}, (path.name, answer)
    if published.is_dir():
        assert made(tmp_path, paths[1].read_text())["content"] == made(tmp_path, paths[2].read_text())["content"]


def test_the_files_of_others_are_wanted_until_they_are_there(tmp_path: Path) -> None:
    document = {"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "components": {"schemas": {}}}
    document["components"] = {"schemas": {"A": {"$ref": "b.yaml#/B"}, "C": {"$ref": "b.yaml"}}}
    (tmp_path / "0.file").write_text(json.dumps(document))
    (tmp_path / "1.file").write_text("B: {$ref: c/c.json}")
    (tmp_path / "2.file").write_text('{"$ref": "../b.yaml#/Nothing"}')
    given_ = [{"address": f"https://a.example/{path}", "name": f"{number}.file"} for number, path in enumerate(
        ("api.json", "b.yaml", "c/c.json")
    )]  # fmt: skip
    assert work(tmp_path, given_[:1]) == {"wanted": ["https://a.example/b.yaml"]}  # type: ignore[arg-type]
    assert work(tmp_path, given_[:2]) == {"wanted": ["https://a.example/c/c.json"]}  # type: ignore[arg-type]
    assert work(tmp_path, given_) == {  # type: ignore[arg-type]
        "faults": ["The reference `../b.yaml#/Nothing` at # has no target."]
    }


@pytest.mark.parametrize(
    ("value", "version"),
    [
        ({"openapi": "3.0.3"}, "3.0"),
        ({"openapi": "3.1.0"}, "3.1"),
        ({"openapi": "3.2.0-rc1"}, "3.2"),
        ({"swagger": "2.0"}, "2.0"),
        ({"swagger": 2.0}, "2.0"),
    ],
)
def test_versions_are_told_apart(value: dict[str, Any], version: str) -> None:
    assert checking.version_of(value) == version


@pytest.mark.parametrize(
    "value", [None, [], "x", {}, {"openapi": 3.1}, {"openapi": "4.0.0"}, {"openapi": "3.10.0"}, {"swagger": "1.2"}]
)
def test_what_is_no_known_version_is_refused(value: Any) -> None:
    with pytest.raises(Unreadable):
        checking.version_of(value)


def test_what_is_wrong_is_said_at_its_place_and_not_endlessly() -> None:
    document: dict[str, Any] = {"openapi": "3.0.3", "info": {"title": "A", "version": "1"}, "paths": {}}
    assert checking.faults(document, "3.0") == []
    document["paths"]["/a"] = {
        "get": {
            "parameters": [{"name": "a", "in": "nowhere", "schema": {}}],
            "responses": {"200": {"description": "A."}},
        }
    }
    (sentence,) = checking.faults(document, "3.0")
    assert sentence.startswith("#/paths/~1a/get")
    document["paths"] = {f"/{number}": {"get": {"x": number}} for number in range(100)}
    assert len(checking.faults(document, "3.0")) == MAX_FAULTS
