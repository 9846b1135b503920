"""Rules of the layout that import-linter cannot see."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = [*ROOT.glob("runtime/**/*.py"), *ROOT.glob("devkit/**/*.py")]
PUBLIC_SDK = ROOT / "runtime" / "sdk" / "__init__.py"
QUERIES = {"select", "insert", "update", "delete", "text", "join", "union"}


def imports_of(path: Path) -> list[tuple[str, str]]:
    """Every `from module import name` of a file."""
    tree = ast.parse(path.read_text())
    return [
        (node.module or "", alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]


@pytest.mark.parametrize("path", [path for path in SOURCES if path.name == "__init__.py" and path != PUBLIC_SDK])
def test_packages_hold_a_docstring_and_nothing_else(path: Path) -> None:
    body = ast.parse(path.read_text()).body
    assert len(body) == 1 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)


def test_only_the_store_builds_queries() -> None:
    for path in SOURCES:
        if (ROOT / "runtime" / "store") in path.parents:
            continue
        built = {name for module, name in imports_of(path) if module == "sqlalchemy" and name in QUERIES}
        assert not built, f"{path} builds queries: {built}"


@pytest.mark.parametrize("path", SOURCES)
def test_files_say_what_they_hold_and_stay_small(path: Path) -> None:
    text = path.read_text()
    assert ast.get_docstring(ast.parse(text)), f"{path} has no docstring"
    if "versions" not in path.parts:
        assert len(text.splitlines()) <= 400, f"{path} is due to be split"


def test_no_folder_is_a_drawer() -> None:
    for path in SOURCES:
        assert not {"utils", "common", "helpers", "core"} & {*path.parts, path.stem}


def test_the_paths_the_recipes_name_exist() -> None:
    named = re.findall(r"`((?:runtime|devkit|tests|sample_integrations|benchmarks)/[\w./-]+)`", read("CONTRIBUTING.md"))
    assert len(named) > 20
    missing = [path for path in named if not (ROOT / path).exists()]
    assert not missing


def test_the_tests_that_ci_splits_by_database_exist() -> None:
    """A file that is named there and was renamed would run on neither database, or end the run."""
    lists = re.findall(r"\$\(patsubst %,(tests/scenarios/test_%\.py),([^)]+)\)", read("Makefile"))
    named = [pattern.replace("%", name) for pattern, names in lists for name in re.findall(r"\w+", names)]
    assert len(named) > 20
    assert not [path for path in named if not (ROOT / path).is_file()]


def test_no_sentence_names_a_machine() -> None:
    for name in (
        "README.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/hosting.md",
        "docs/commands.md",
        "requirements.lock",
        "requirements-test.lock",
    ):
        assert "/root/" not in read(name) and "/work/" not in read(name) and "index-url" not in read(name)


def read(name: str) -> str:
    return (ROOT / name).read_text()


REFERENCE = re.compile(r'docs/contract/([a-z]+\.md)(?:, "([^"]+)")?')
DOCUMENT = re.compile(r"(?<![\w/.-])(?:[\w-]+/)*[\w-]+\.md\b")


def test_every_reference_to_a_document_leads_somewhere() -> None:
    """Whoever reads a docstring finds what it names: the file is there, and so is the heading."""
    headings = {
        page.name: set(re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE))
        for page in (ROOT / "docs/contract").glob("*.md")
    }
    found = 0
    for path in [*ROOT.glob("runtime/**/*.py"), *ROOT.glob("devkit/**/*.py"), ROOT / "openapi.json"]:
        text = path.read_text().replace('\\"', '"')
        for page, heading in REFERENCE.findall(text):
            found += 1
            assert page in headings, f"{path}: docs/contract/{page}"
            assert not heading or heading in headings[page], f'{path}: docs/contract/{page}, "{heading}"'
        named = {name for name in DOCUMENT.findall(text) if "contract" in name or "/" in name}
        assert not [name for name in named if not (ROOT / name).exists()], path
    assert found > 40


def imports_within(module: str, path: Path, modules: set[str]) -> set[str]:
    """Give the modules of ours that a module imports anywhere: at its head, in a function, for types alone."""
    named: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            named |= {name if name in modules else node.module for name in whole}
    return (named & modules) - {module}


def test_no_module_imports_itself_by_a_detour() -> None:
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in SOURCES
        if path.name != "__init__.py" and path.is_relative_to(ROOT)
    }
    waiting = {module: imports_within(module, path, set(paths)) for module, path in paths.items()}
    while leaves := {module for module, needed in waiting.items() if not needed & waiting.keys()}:
        for module in leaves:
            del waiting[module]
    assert not waiting, f"these import each other: {sorted(waiting)}"


def test_no_test_takes_anything_from_another_test() -> None:
    """What several need is in a module of its own, which says what it holds."""
    name = r"(?:tests\.[\w.]*\.?test_\w+ import|tests[\w.]* import .*\btest_\w+)"
    taken = re.compile(rf"^\s*(?:from {name}|import tests\.[\w.]*\.?test_\w+)", re.MULTILINE)
    files = [path for path in (ROOT / "tests").rglob("*.py") if "node_modules" not in path.parts]
    assert len(files) > 300
    assert [str(path) for path in files if taken.search(path.read_text(encoding="utf-8"))] == []
