"""The JSON schema of a manifest, for editors: made of the same models that judge it, kept beside this file.

`python -m devkit.manifests.schema` writes the file again. It is draft 7, which every editor reads.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from devkit.manifests.faults import EXAMPLES
from runtime.contract.manifest import ProjectManifest
from runtime.contract.security_policy import DIRECTIVES

NAME = "integration.schema.json"
"""Its name beside a manifest, too, where the first line of the manifest names it."""
FILE = Path(__file__).with_name(NAME)
VARIABLE: dict[str, Any] = {"type": "string", "pattern": r"\$\{\{.*\}\}", "description": "${{ env.NAME }}"}
Schema = dict[str, Any]


def made() -> Schema:
    """Make the schema. It knows no rules over several values, such as that ids are given once."""
    schema = ProjectManifest.model_json_schema(by_alias=True, ref_template="#/definitions/{model}")
    definitions: dict[str, Schema] = schema.pop("$defs")
    for model in (schema, *definitions.values()):
        _close(model)
    _by_type(definitions["ConfigurationProperty"])
    properties: dict[str, Schema] = schema["properties"]
    for policy in properties["contentSecurityPolicy"]["anyOf"]:
        if policy["type"] == "object":
            policy["propertyNames"] = {"enum": sorted(DIRECTIVES)}
    # What an environment gives takes the place of the same key of the manifest; nothing of it has to be there.
    parts: dict[str, Schema] = {key: {"$ref": f"#/properties/{key}"} for key in properties if key != "envs"}
    parts["configurations"] = {"type": "object"}  # laid over, so that parts of parts may be missing
    properties["envs"]["additionalProperties"] = {
        "type": "object",
        "properties": parts,
        "additionalProperties": False,
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Manifest of an integration",
        "description": "integration.yaml, or gitbook-manifest.yaml",
        **{key: schema[key] for key in ("type", "properties", "required", "additionalProperties")},
        "definitions": {"Variable": VARIABLE, **definitions},
    }


def text() -> str:
    """Return the schema as it is written."""
    return json.dumps(made(), indent=2, ensure_ascii=False) + "\n"


def _close(model: Schema) -> None:
    """Refuse keys that mean nothing, say how each is written, and take a variable wherever text is."""
    model["additionalProperties"] = False
    model.pop("title", None)
    if "(docs/" in model.get("description", ""):  # where the rule stands is nothing for an author
        model["description"] = model["description"].partition(" (docs/")[0] + "."
    for key, value in model["properties"].items():
        described = _described(key, _open_to_variables(value))
        model["properties"][key] = described


def _described(key: str, value: Schema) -> Schema:
    if "$ref" in value:  # beside which draft 7 reads nothing
        value = {"allOf": [value]}
    value.pop("title", None)
    if key in EXAMPLES:
        value["description"] = " ".join(filter(None, (value.get("description"), f"For example `{EXAMPLES[key]}`.")))
    return value


def _open_to_variables(value: Schema) -> Schema:
    """Let a text with `${{ env.NAME }}` stand for what it will be filled with."""
    if value.get("type") == "array":
        return value | {"items": _open_to_variables(value["items"])}
    bound = {"enum", "pattern", "minLength"} & value.keys()
    if value.get("type") == "string" and bound:
        beside: Schema = {name: value.pop(name) for name in ("default", "description") if name in value}
        value.pop("title", None)
        return {"anyOf": [value, {"$ref": "#/definitions/Variable"}], **beside}
    return value


def _by_type(model: Schema) -> None:
    """Write down what a property of a form needs by its type."""

    def when(kind: str, then: Schema) -> Schema:
        return {"if": {"properties": {"type": {"const": kind}}, "required": ["type"]}, "then": then}

    model["allOf"] = [
        when("button", {"required": ["callback_url", "button_text"]}),
        *(when(kind, {"properties": {"default": {"type": kind}}}) for kind in ("string", "number", "boolean")),
    ]


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
