"""A project becomes the body that publishes it."""

from __future__ import annotations

import base64
import io
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from devkit.build.bundle import publish_body
from devkit.manifests.findings import InvalidProject
from devkit.projects.project import load
from devkit.terminal.output import Problem
from tests.devkit.dev_process import SAMPLES


def body(folder: Path) -> dict[str, Any]:
    return publish_body(load(str(folder)), "org")


def names(value: dict[str, Any]) -> list[str]:
    content = base64.b64decode(value["script"].removeprefix("data:application/zip;base64,"))
    return zipfile.ZipFile(io.BytesIO(content)).namelist()


def test_a_script_that_stands_alone_travels_as_text(project: Path) -> None:
    (project / "test_counter.py").write_text("tests do not travel")
    value = body(project)
    assert value["script"] == (SAMPLES / "counter" / "integration.py").read_text(encoding="utf-8")
    assert (value["entry"], value["runtime"], value["organization"]) == ("integration.py", "python", "org")
    assert base64.b64decode(value["icon"]).startswith(b"\x89PNG")
    assert value["secrets"] == {}


def test_a_script_with_modules_travels_as_a_folder(project: Path) -> None:
    (project / "helpers.py").write_text("A = 1\n")
    (project / "parts").mkdir()
    (project / "parts" / "__init__.py").write_text("")
    (project / "parts" / "one.py").write_text("B = 2\n")
    for place in ("tests", ".hidden", "__pycache__", "node_modules", "no_package"):
        (project / place).mkdir()
        (project / place / "x.py").write_text("no")
    assert names(body(project)) == ["helpers.py", "integration.py", "parts/__init__.py", "parts/one.py"]


def test_the_same_sources_make_the_same_bundle(project: Path) -> None:
    (project / "helpers.py").write_text("A = 1\n")
    first = body(project)
    os.utime(project / "helpers.py", (1, 1))
    (project / "helpers.py").chmod(0o600)
    assert body(project) == first
    (project / "helpers.py").write_text("A = 2\n")
    assert body(project)["script"] != first["script"]


def test_what_cannot_be_built_is_reported(project: Path) -> None:
    manifest = project / "integration.yaml"
    good = manifest.read_text()
    manifest.write_text(good.replace("script: integration.py", "script: gone.py"))
    with pytest.raises(InvalidProject, match=r"^integration\.yaml:10:9: there is no file gone\.py"):
        body(project)
    manifest.write_text(good.replace("./assets/icon.png", "./gone.png"))
    with pytest.raises(Problem, match=r"there is no image \./gone\.png"):
        body(project)
    manifest.write_text(manifest.read_text().replace("script: integration.py", "script: gone.py"))
    with pytest.raises(InvalidProject) as caught:
        body(project)
    assert {finding.rule for finding in caught.value.findings} == {"build-failed", "asset-missing"}
    manifest.write_text(good)
    (project / "integration.py").write_bytes(b"# \xff\n")
    with pytest.raises(Problem, match="is not UTF-8"):
        body(project)
