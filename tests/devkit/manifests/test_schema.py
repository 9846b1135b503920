"""The JSON schema of manifests: as it is kept, with the manifests there are, and with each kind of fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from devkit.commands.new import LANGUAGES
from devkit.manifests import schema
from runtime.contract.manifest_files import FILES
from tests.devkit.conftest import Shell
from tests.devkit.manifests.manifests_with_faults import FAULTS, findings
from tests.devkit.projects.manifest import GOOD

ROOT = Path(__file__).parents[3]
MANIFESTS = sorted(
    file
    for place in ("sample_integrations", "templates")
    for name in FILES
    for file in (ROOT / place).glob(f"**/{name}")
    if "node_modules" not in file.parts
)
SHAPES = {
    "manifest-missing",
    "manifest-unknown-key",
    "manifest-choice",
    "manifest-type",
    "manifest-length",
    "manifest-pattern",
}
"""The rules about one value; others compare several, or read text that is no YAML."""
ALSO = ("a button leads nowhere", "a default of another type", "a boolean for a number", "a form and a component")
SCHEMA = Draft7Validator(schema.made())


def accepts(text: str) -> bool:
    return bool(SCHEMA.is_valid(yaml.safe_load(text)))


def test_it_is_kept_as_it_is_made(shell: Shell) -> None:
    Draft7Validator.check_schema(schema.made())
    assert schema.FILE.read_text(encoding="utf-8") == schema.text(), "run `make schema`"
    assert shell("check", "--schema").json == schema.made()


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: file.parent.name)
def test_the_manifests_there_are_fit(file: Path) -> None:
    assert [error.message for error in SCHEMA.iter_errors(yaml.safe_load(file.read_text(encoding="utf-8")))] == []


def by_rule() -> list[str]:
    """The faults that are in one value's shape; the text of the others cannot even be read."""
    return [name for name, (text, *_) in FAULTS.items() if SHAPES & {finding.rule for finding in findings(text)}]


def test_what_check_refuses_in_shape_it_refuses_as_well() -> None:
    names = {*by_rule(), *ALSO}
    assert len(names) > 25
    readable: dict[str, Any] = {}
    for name in names:
        try:
            readable[name] = yaml.safe_load(FAULTS[name][0])
        except yaml.YAMLError:
            continue
    # A key that is given twice is gone when the text has been read.
    assert {name for name, value in readable.items() if SCHEMA.is_valid(value)} <= {"a key is given twice"}


@pytest.mark.parametrize(
    "more",
    [
        "visibility: ${{ env.VISIBILITY }}\n",
        "secrets: {KEY: '${{ env.KEY }}', OTHER: '${{ \"op://vault/item/field\" }}'}\n",
        "contentSecurityPolicy: script-src 'self'\n",
        "envs:\n  staging: {visibility: public, configurations: {account: {properties: {a: {default: x}}}}}\n",
    ],
)
def test_what_check_lets_pass_it_lets_pass(more: str) -> None:
    assert accepts(GOOD + more)
    assert not accepts(GOOD + more + "colour: red\n")


def test_a_project_has_it_beside_the_manifest_that_names_it(shell: Shell, tmp_path: Path) -> None:
    for language in LANGUAGES:
        done = shell("new", language, "--template", "block", "--language", language, "--json").json
        folder = Path(done["folder"])
        assert schema.NAME in done["files"]
        assert (folder / schema.NAME).read_text() == schema.FILE.read_text()
        (manifest,) = [folder / name for name in FILES if (folder / name).is_file()]
        first = manifest.read_text().splitlines()[0]
        assert first == f"# yaml-language-server: $schema=./{schema.NAME}"
