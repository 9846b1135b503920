"""`devkit check`: everything that can be known without a host."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from devkit.build.node_packages import this_machine
from devkit.checking.rules import RULES
from devkit.checking.type_check import find_errors
from devkit.commands.new import TEMPLATES
from devkit.projects.project import load
from devkit.terminal.output import Problem
from tests.clients.packages import needs_packages
from tests.devkit.checking.projects import edit, write_javascript, write_python
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import PATIENCE, SAMPLES, environment

WEIGHED = r"[\d.]+ (?:KB|bytes) of code, loaded in [\d.]+ m?s, then holds [\d.]+ (?:MB|KB|bytes) of memory\.\n"


@pytest.mark.parametrize("folder", sorted(path.parent for path in SAMPLES.glob("*/*.yaml")), ids=lambda path: path.name)
def test_the_samples_have_no_fault(folder: Path, shell: Shell) -> None:
    done = shell("check", str(folder), "--strict")
    assert (done.code, done.err) == (0, ""), done.out
    assert re.fullmatch(rf"{WEIGHED}.+: no problem found\.\n", done.out)


@pytest.mark.parametrize("name", TEMPLATES)
def test_what_is_made_from_a_template_has_no_fault(name: str, shell: Shell, tmp_path: Path) -> None:
    created = shell("new", "fresh-one", "--template", name, "--json", folder=tmp_path)
    assert created.code == 0, created.err
    folder = tmp_path / "fresh-one"
    done = shell("check", str(folder), "--strict")
    assert done.code == 0, done.out + done.err
    assert re.fullmatch(f"{WEIGHED}fresh-one: no problem found\\.\n", done.out)


@pytest.mark.parametrize("write", [write_python, pytest.param(write_javascript, marks=needs_packages)])
def test_a_script_is_weighed(write: Callable[[Path], Path], shell: Shell, tmp_path: Path) -> None:
    folder = write(tmp_path)
    light = shell("check", str(folder), "--json").json["measures"]
    assert all(value > 0 for value in light.values())
    script = next(file for name in ("integration.py", "src/index.tsx") if (file := folder / name).exists())
    heavy = "x" * 5_000
    if script.suffix == ".py":
        script.write_text(
            script.read_text() + f"\nheld = '{heavy}'\nheld = [bytearray(b'x' * 1_000_000) for _ in range(20)]\n"
        )
    else:
        script.write_text(
            f"globalThis.held = '{heavy}';\nglobalThis.more = new Uint8Array(20_000_000).fill(1);\n{script.read_text()}"
        )
    weighed = shell("check", str(folder), "--json").json["measures"]
    assert weighed["codeBytes"] >= light["codeBytes"] + len(heavy)
    assert weighed["memoryBytes"] >= light["memoryBytes"] + 15_000_000
    script.write_text("}" if script.suffix == ".py" else "null.x;")
    assert shell("check", str(folder), "--json").json["measures"] is None


TYPES = """{"compilerOptions": {"target": "es2022", "module": "esnext", "moduleResolution": "bundler", "strict": true,
"jsx": "react-jsx", "jsxImportSource": "@gitbook/runtime", "noEmit": true, "skipLibCheck": true, "types": [],
"lib": ["es2022", "webworker"], "allowArbitraryExtensions": true}, "include": ["src"]}"""


@needs_packages
def test_errors_of_types_are_told_where_typescript_is_installed(shell: Shell, tmp_path: Path) -> None:
    folder = write_javascript(tmp_path)
    index = folder / "src" / "index.tsx"
    (folder / "src" / "published.raw.d.js.ts").write_text("declare const text: string;\nexport default text;\n")
    index.write_text(
        index.read_text().replace("render: async (element, { environment })", "render: async (_, { environment }: any)")
    )
    edit(index, "const card = ", "const number: number = 'one';\nconst card = ")
    # Without its settings a project was not written for the compiler.
    assert shell("check", str(folder), "--json").json["findings"] == []
    (folder / "tsconfig.json").write_text(TYPES)
    done = shell("check", str(folder), "--json")
    assert done.code == 1
    (finding,) = [finding for finding in done.json["findings"] if finding["line"] == 5]
    assert (finding["rule"], finding["file"], finding["column"]) == ("type-error", "src/index.tsx", 7)
    assert finding["message"] == "Type 'string' is not assignable to type 'number'."
    assert finding["source"] == "const number: number = 'one';"
    (folder / "tsconfig.json").write_text('{"include": ["elsewhere"]}')
    (broken,) = shell("check", str(folder), "--json").json["findings"]
    assert (broken["rule"], broken["file"], broken["line"]) == ("type-error", "tsconfig.json", 1)


def test_a_compiler_that_is_a_program_of_its_own_is_started_directly(shell: Shell, tmp_path: Path) -> None:
    folder = write_javascript(tmp_path)
    (folder / "tsconfig.json").write_text(TYPES)
    (folder / "node_modules").unlink()
    (folder / "node_modules" / "typescript").mkdir(parents=True)
    program = folder / "node_modules" / "@typescript" / f"typescript-{this_machine()}" / "lib" / "tsc"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho 'src/index.tsx(2,8): error TS1: It is odd.'\nexit 2\n")
    program.chmod(0o755)
    (finding,) = find_errors(load(str(folder)), "required")
    assert finding.sentence == "src/index.tsx:2:8: It is odd."
    program.write_text("#!/bin/sh\necho 'no such option' >&2\nexit 1\n")
    with pytest.raises(Problem, match="TypeScript cannot be run: no such option; run `npm install` again"):
        list(find_errors(load(str(folder)), "required"))


def test_findings_are_shown_with_their_lines_and_counted(shell: Shell, tmp_path: Path) -> None:
    folder = write_python(tmp_path)
    edit(folder / "integration.yaml", "id: card", "id: cart")
    edit(folder / "integration.py", ', alt="A picture"', "")
    edit(folder / "integration.yaml", "title: Card", "title: Card\n    color: red")
    done = shell("check", str(folder))
    assert (done.code, done.err) == (1, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("error: integration.yaml:15:9: the script registers no component `cart`: write `card`")
    assert lines[0].endswith("[block-without-component]")
    assert lines[1:3] == ["      - id: cart", "            ^"]
    assert lines[3].startswith("warning: integration.yaml:17:5: `blocks[0].color` is not a known key")
    assert lines[-1] == "sample: 1 error, 1 warning."
    assert "\x1b" not in done.out


def test_warnings_count_where_they_are_asked_to(shell: Shell, tmp_path: Path) -> None:
    folder = write_python(tmp_path)
    edit(folder / "integration.py", ', alt="A picture"', "")
    assert shell("check", str(folder)).code == 0
    strict = shell("check", str(folder), "--strict", "--json")
    assert (strict.code, strict.json["ok"], strict.json["findings"]) == (1, False, [])
    (finding,) = strict.json["warnings"]
    expected = ("render-inaccessible", "warning", "integration.py", 16)
    assert (finding["rule"], finding["level"], finding["file"], finding["line"]) == expected


def test_a_fault_in_the_script_is_shown_with_its_line(shell: Shell, project: Path) -> None:
    edit(project / "integration.py", "def reset(element):", "def reset(element)")
    done = shell("check", str(project))
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0].startswith("error: integration.py:34:19: SyntaxError: expected ':'")
    assert lines[1:3] == ["    def reset(element)", " " * 22 + "^"]
    finding = shell("check", str(project), "--json").json["findings"][0]
    assert (finding["file"], finding["line"], finding["column"]) == ("integration.py", 34, 19)
    assert finding["source"] == "def reset(element)"


# The processor's time is over first, but where other programs have it.
ENDLESS = r"of processor time|longer than the limit"
BROKEN: dict[str, tuple[str, tuple[str, int], str]] = {
    "an import that is not there": ("import nowhere\n", ("integration.py", 1), "ModuleNotFoundError: No module named"),
    "a crash while it is loaded": ("x = {}['key']\n", ("integration.py", 1), "KeyError: 'key'"),
    "an endless loop while it is loaded": ("while True:\n    pass\n", ("integration.py", 1), ENDLESS),
    "an exit": ("raise SystemExit(3)\n", ("integration.py", 1), "SystemExit: 3"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_script_that_cannot_be_loaded_is_a_sentence_with_its_place(name: str, shell: Shell, project: Path) -> None:
    begin, place, cause = BROKEN[name]
    script = project / "integration.py"
    script.write_text(begin + script.read_text())
    done = shell("check", str(project), "--json")
    assert done.code == 1
    (finding,) = done.json["findings"]
    assert (finding["rule"], (finding["file"], finding["line"])) == ("load-failed", place)
    assert re.search(cause, finding["message"])
    assert "Traceback" not in done.out + done.err


@needs_packages
@pytest.mark.parametrize(
    ("old", "new", "place", "cause"),
    [
        ("import published", "import gone from './gone';\nimport published", (2, 18), "no file './gone' to import"),
        ("import published", "import gone from 'gone';\nimport published", (2, 18), "there is no package 'gone'; run"),
        (
            "const card = ",
            "while (true) {}\nconst card = ",
            (1, 1),
            "check the code that runs when the script is loaded",
        ),
        ("const card = ", "const card == ", (5, 12), "but found"),
        ("export default createIntegration(", "export const made = createIntegration(", (1, 1), "must export default"),
        ("export default createIntegration(", "\n\nexport default (made => 1)(", (16, 1), "must export default"),
    ],
)
def test_a_script_in_typescript_that_cannot_be_loaded_is_a_sentence_with_its_place(
    old: str, new: str, place: tuple[int, int], cause: str, shell: Shell, tmp_path: Path
) -> None:
    folder = write_javascript(tmp_path)
    edit(folder / "src" / "index.tsx", old, new)
    if "gone" in new:
        edit(folder / "src" / "index.tsx", "{environment.secrets.TOKEN}", "{environment.secrets.TOKEN} {gone}")
    done = shell("check", str(folder), "--json")
    (finding,) = done.json["findings"]
    assert (finding["file"], (finding["line"], finding["column"])) == ("src/index.tsx", place)
    assert cause in finding["message"]
    assert done.err == ""


def test_an_endless_loop_while_a_block_is_drawn_is_reported_at_its_line(shell: Shell, project: Path) -> None:
    edit(project / "integration.py", '    times = "time"', '    while True: pass\n    times = "time"')
    done = shell("check", str(project), "--json")
    assert done.code == 1
    assert {(finding["rule"], finding["file"], finding["line"]) for finding in done.json["findings"]} == {
        ("render-crashed", "integration.py", 12)
    }
    # Which limit it meets first depends on how much of the processor is left for it.
    assert re.search(ENDLESS, done.json["findings"][0]["message"])


def test_a_folder_without_a_project_is_a_sentence(shell: Shell, tmp_path: Path) -> None:
    for path, code, sentence in (("nowhere", 2, "there is no folder nowhere"), (".", 1, "no integration.yaml or")):
        done = shell("check", path, folder=tmp_path)
        assert (done.code, done.out) == (code, "")
        assert done.err.startswith(f"error: {sentence}")
        assert len(done.err.splitlines()) == 1


def strict(**properties: Any) -> dict[str, Any]:
    """An object that has all these properties and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


TEXT = {"type": "string", "minLength": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
NUMBER = {"type": "integer", "minimum": 1}
RULE = strict(
    id=TEXT, shortDescription=strict(text=TEXT), help=strict(text=TEXT), defaultConfiguration=strict(level=LEVEL)
)
REGION = strict(startLine=NUMBER, startColumn=NUMBER, snippet=strict(text={"type": "string"}))
PLACE = strict(artifactLocation=strict(uri={"type": "string", "format": "uri-reference"}), region=REGION)
RESULT = strict(
    level=LEVEL,
    message=strict(text=TEXT),
    locations={"type": "array", "items": strict(physicalLocation=PLACE)},
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
)
RUN = strict(
    tool=strict(driver=strict(name=TEXT, version=TEXT, rules={"type": "array", "items": RULE, "uniqueItems": True})),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": RESULT},
)
SARIF = strict(**{"$schema": TEXT, "version": {"const": "2.1.0"}, "runs": {"type": "array", "items": RUN}})
"""What SARIF 2.1.0 says of the properties that a report has (sections 3.13 to 3.52)."""


def read(file: Path) -> Any:
    """Read the one run of a report, which must be SARIF."""
    body = json.loads(file.read_text())
    jsonschema.Draft202012Validator(SARIF).validate(body)
    (run,) = body["runs"]
    return run


def test_findings_are_written_for_other_tools(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "a project"
    folder.mkdir()
    edit(write_python(folder) / "integration.yaml", "id: card", "id: cart")
    edit(folder / "integration.py", ', alt="A picture"', "")
    edit(folder / "integration.py", '"Nothing to set"', "1 / 0")
    done = shell("check", str(folder), "--sarif", "check.sarif", folder=tmp_path)
    assert done.code == 1
    run = read(tmp_path / "check.sarif")
    rules = run["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in rules} <= set(RULES)
    first, second = run["results"]
    assert (first["ruleId"], first["level"]) == ("block-without-component", "error")
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [
        result["ruleId"] for result in run["results"]
    ]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20project/integration.yaml"
    assert place["region"] == {"startLine": 15, "startColumn": 9, "snippet": {"text": "  - id: cart"}}
    assert second["ruleId"] == "render-crashed"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".check")] == []


def test_a_good_project_and_a_broken_manifest_make_reports_too(shell: Shell, tmp_path: Path) -> None:
    folder = write_python(tmp_path)
    report = tmp_path / "check.sarif"
    assert shell("check", str(folder), "--sarif", str(report)).code == 0
    assert read(report)["results"] == []
    edit(folder / "integration.yaml", "title: Sample", "title: S")
    assert shell("check", str(folder), "--sarif", str(report)).code == 1
    assert [result["ruleId"] for result in read(report)["results"]] == ["manifest-length"]


def test_a_report_that_cannot_be_written_is_a_sentence(shell: Shell, project: Path) -> None:
    done = shell("check", str(project), "--sarif", "/proc/check.sarif")
    assert done.code == 1
    assert done.err.startswith("error: /proc/check.sarif cannot be written: ")
    assert len(done.err.splitlines()) == 1


def test_a_read_only_folder_can_be_checked_and_takes_no_report(project: Path, tmp_path: Path) -> None:
    project.chmod(0o555)
    command = [sys.executable, "-m", "devkit", "check"]
    if os.geteuid() == 0:  # the superuser may write into any folder, unless this is taken away
        command = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override", *command]
    run = {"cwd": project, "env": environment(tmp_path), "capture_output": True, "text": True, "timeout": PATIENCE}
    good = subprocess.run(command, **run)  # type: ignore[call-overload]
    assert (good.returncode, good.stderr) == (0, "")
    assert re.fullmatch(f"{WEIGHED}counter: no problem found\\.\n", good.stdout)
    refused = subprocess.run([*command, "--sarif", "check.sarif"], **run)  # type: ignore[call-overload]
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "check.sarif cannot be written: Permission denied" in refused.stderr
    assert not (project / "check.sarif").exists()


def test_nothing_is_written_into_the_project(shell: Shell, project: Path) -> None:
    before = sorted(project.rglob("*"))
    assert shell("check", str(project)).code == 0
    assert sorted(project.rglob("*")) == before


def test_a_variable_that_is_not_set_does_not_keep_the_rest_from_being_checked(shell: Shell, tmp_path: Path) -> None:
    folder = write_python(tmp_path)
    (folder / ".env").unlink()
    done = shell("check", str(folder), "--json")
    assert (done.code, done.json["ok"]) == (0, True)
    assert [warning["rule"] for warning in done.json["warnings"]] == ["secret-unset"]
