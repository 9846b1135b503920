"""`devkit new`: what it writes, what it refuses, what it asks, and that it is there in an installed package, too."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from devkit.commands import new
from devkit.projects import names
from devkit.projects import project as projects
from devkit.terminal.output import Problem
from runtime.contract.manifest import ProjectManifest
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import PATIENCE, devkit, environment

ROOT = Path(__file__).parents[3]


def test_the_table_names_the_folders() -> None:
    assert sorted(new.LANGUAGES) == sorted(path.name for path in (ROOT / "templates").iterdir())
    for language in new.LANGUAGES:
        assert sorted(new.TEMPLATES) == sorted(path.name for path in (ROOT / "templates" / language).iterdir())


def test_titles_are_those_of_the_contract() -> None:
    bounds = next(one for one in ProjectManifest.model_fields["title"].metadata if hasattr(one, "max_length"))
    assert (bounds.min_length, bounds.max_length) == (new.SHORTEST_TITLE, new.LONGEST_TITLE)


def test_it_makes_a_project_and_says_what_comes_next(shell: Shell, tmp_path: Path) -> None:
    done = shell("new", "my-poll", "--template", "block")
    assert (done.code, done.err) == (0, "")
    assert "cd my-poll\n    devkit dev" in done.out
    files = sorted(path.relative_to(tmp_path / "my-poll").as_posix() for path in (tmp_path / "my-poll").rglob("*.*"))
    assert files == [
        ".gitignore",
        "README.md",
        "assets/icon.png",
        "integration.py",
        "integration.schema.json",
        "integration.yaml",
        "test_integration.py",
    ]
    manifest = projects.load(str(tmp_path / "my-poll")).manifest
    assert (manifest.name, manifest.title) == ("my-poll", "My poll")
    assert (tmp_path / "my-poll" / "README.md").read_text().startswith("# My poll\n")
    assert stat.S_IMODE((tmp_path / "my-poll").stat().st_mode) == stat.S_IMODE(_plain_folder(tmp_path).stat().st_mode)
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("template", new.TEMPLATES)
def test_a_manifest_in_typescript_says_what_the_official_command_line_needs(template: str, tmp_path: Path) -> None:
    new.make(template, "made", "Made", tmp_path / "made", "typescript")
    text = (tmp_path / "made" / "gitbook-manifest.yaml").read_text()
    assert text.count("\n# organization: ") == 1
    (tmp_path / "made" / "gitbook-manifest.yaml").write_text(text.replace("\n# organization: ", "\norganization: "))
    assert projects.load(str(tmp_path / "made")).manifest.organization == "my-company"


@pytest.mark.parametrize("language", new.LANGUAGES)
@pytest.mark.parametrize("template", new.TEMPLATES)
@pytest.mark.parametrize("name", ["123", "x", "no", "A.b_c-1", "-", "a" * 100])
def test_every_name_gives_a_whole_manifest(name: str, template: str, language: str, tmp_path: Path) -> None:
    title = new.title_of(name)
    assert new.check_title(title) == title
    files = new.make(template, new.check_name(name), title, tmp_path / "made", language)
    project = projects.load(str(tmp_path / "made"))
    assert (project.manifest.name, project.manifest.title) == (name, title)
    assert names.guess_name(str(tmp_path / "made")) == name
    ours = [file for file in files if file != "integration.schema.json"]  # whose examples are of any project
    assert not [file for file in ours if b"y-integration" in (tmp_path / "made" / file).read_bytes()]


@pytest.mark.parametrize("title", ['Say "hi": {now} # 1', "yes", "Größe – 日本", "1.5", "- a"])
def test_a_title_stays_as_it_was_given(title: str, tmp_path: Path) -> None:
    new.make("block", "a", new.check_title(title), tmp_path / "made")
    assert yaml.safe_load((tmp_path / "made" / "integration.yaml").read_text(encoding="utf-8"))["title"] == title


def test_the_list_has_a_sentence_for_each(shell: Shell) -> None:
    result = shell("new", "--list")
    assert [line.split()[0] for line in result.out.splitlines()] == list(new.TEMPLATES)
    body = shell("new", "--list", "--json").json["templates"]
    assert {entry["name"]: entry["description"] for entry in body} == new.TEMPLATES
    assert all(entry["languages"] == ["python", "typescript"] for entry in body)


def test_json_reports_what_was_made(shell: Shell, tmp_path: Path) -> None:
    made = ("new", "poll", "--template", "block", "--language", "typescript")
    body = shell(*made, "--path", "some/where", "--title", "A poll", "--json").json
    folder = tmp_path / "some" / "where"
    assert (body["name"], body["title"], body["folder"]) == ("poll", "A poll", str(folder))
    assert (body["template"], body["language"], "devkit-test.d.ts" in body["files"]) == ("block", "typescript", True)
    assert body["next"] == ["cd some/where", "npm install", "devkit dev"]
    assert all((folder / file).is_file() for file in body["files"])
    assert leftovers(tmp_path) == []


def test_an_empty_folder_is_filled(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    done = shell("new", "poll", "--template", "oauth", "--path", ".", folder=folder)
    assert (done.code, "cd " in done.out) == (0, False)
    assert (folder / "integration.py").is_file() and (folder / ".env").is_file()
    assert leftovers(folder) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("a", "--template", "blok"), "there is no template `blok`; did you mean `block`? Templates: block, config-"),
        (("a", "--template", "qqqqqq"), "there is no template `qqqqqq`; templates: block, config-screen"),
        (("a",), "needs a template; type for example `devkit new a --template block`; templates: block, config-screen"),
        (("--template", "oauth"), "needs a name; type for example `devkit new my-integration --template oauth`"),
        ((), "needs a name and a template; type for example `devkit new my-integration --template block`"),
        (
            ("a b", "--template", "block"),
            "`a b` cannot be a name; names have 1 to 100 letters, digits, hyphens, dots and underscores",
        ),
        (("..", "--template", "block"), "`..` cannot be a name"),
        (("a/b", "--template", "block"), "`a/b` cannot be a name"),
        (("a\n", "--template", "block"), "cannot be a name"),
        (("é", "--template", "block"), "`é` cannot be a name"),
        (("a" * 101, "--template", "block"), "a name has at most 100 characters; this one has 101"),
        (("a", "--template", "block", "--title", "x"), "--title is 2 to 30 characters in one line"),
        (("a", "--template", "block", "--title", "x" * 31), "--title is 2 to 30 characters in one line"),
        (("a", "--template", "block", "--title", "a\nb"), "--title is 2 to 30 characters in one line"),
        (("a", "--template", "block", "--path", "full/file"), "Invalid value for '--path'"),
        (("full", "--template", "block"), "full is not empty; choose another name, or --path"),
        (("a", "--template", "block", "--path", "full"), "full is not empty; choose another name, or --path"),
        (("a", "--template", "block", "--path", "full/file/below"), "cannot be written: Not a directory"),
        (("a", "--template", "block", "--path", "/proc/here"), "/proc/here cannot be written: "),
    ],
)
def test_what_cannot_be_is_one_sentence_and_nothing_is_written(
    arguments: tuple[str, ...], sentence: str, shell: Shell, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    done = shell("new", *arguments)
    in_the_way = "not empty" in sentence or "cannot be written" in sentence
    assert (done.code, done.out, done.err.count("\n")) == (1 if in_the_way else 2, "", 1)
    assert sentence in done.err
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "file"]


def test_programs_that_leave_something_out_read_which_command_to_type(shell: Shell) -> None:
    done = shell("new", "--json")
    assert (done.code, done.out) == (2, "")
    error = json.loads(done.err)["error"]
    assert error["message"] == "the project needs a name and a template"
    assert error["hint"].startswith("type for example `devkit new my-integration --template block`; templates: block, ")


def test_a_read_only_folder_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    command = [sys.executable, "-m", "devkit", "new", "a", "--template", "block"]
    if os.geteuid() == 0:  # the superuser may write into any folder, unless this is taken away
        command = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override", *command]
    done = subprocess.run(command, cwd=folder, env=environment(tmp_path), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.count("\n"), "cannot be written" in done.stderr) == (1, 1, True)
    assert list(folder.iterdir()) == []


def test_a_failure_in_the_middle_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "templates" / "python" / "block"
    shutil.copytree(ROOT / "templates" / "python" / "block", broken)
    (broken / "zzz.py").write_bytes(b"\xff\xfe")
    monkeypatch.setattr(new, "PLACE", tmp_path / "templates")
    place = tmp_path / "place"
    place.mkdir()
    for folder in (place, place / "a" / "b"):
        with pytest.raises((Problem, UnicodeDecodeError)):
            new.make("block", "a", "Aa", folder)
        assert list(place.iterdir()) == []


class Terminal:
    """The command with a terminal in front of it."""

    def __init__(self, home: Path, *arguments: str, **environ: str) -> None:
        self.seen, self._done = "", 0
        ours, theirs = pty.openpty()
        self._terminal = ours
        command = [sys.executable, "-m", "devkit", "new", *arguments]
        self.process = subprocess.Popen(
            command,
            env=environment(home, TERM="dumb", **environ),
            cwd=home,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            # Who runs tests side by side ignores it, and what is started from there would, too.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        os.close(theirs)

    def interrupt(self) -> None:
        """Press Ctrl-C as a person would: again, when it fell between the question and the waiting for its answer."""
        while self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                continue

    def read_until(self, text: str | None) -> None:
        """Read until a text is seen behind the one that was waited for before, or to the end."""
        deadline = time.monotonic() + PATIENCE
        while text is None or text not in self.seen[self._done :]:
            assert time.monotonic() < deadline, self.seen
            if select.select([self._terminal], [], [], 0.2)[0]:
                try:
                    piece = os.read(self._terminal, 4096)
                except OSError:  # the other side is closed
                    piece = b""
                if not piece:
                    assert text is None, self.seen
                    return
                self.seen += piece.decode()
        self._done = self.seen.index(text, self._done) + len(text)

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=PATIENCE)
        os.close(self._terminal)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Any]:
    opened: list[Terminal] = []

    def start(*arguments: str, **environ: str) -> Terminal:
        opened.append(Terminal(tmp_path, *arguments, **environ))
        return opened[-1]

    yield start
    for descriptor in opened:
        descriptor.close()


def test_a_person_is_asked_until_the_answers_are_good(terminal: Any, tmp_path: Path) -> None:
    output = terminal()
    output.read_until("Name of the integration: ")
    output.type("a b\n")
    output.read_until("cannot be a name")
    output.read_until("Name of the integration: ")
    output.type("my-poll\n")
    output.read_until("Template [block]: ")
    assert all(sentence in output.seen for sentence in new.TEMPLATES.values())
    output.type("blok\n")
    output.read_until("did you mean `block`?")
    output.read_until("Template [block]: ")
    output.type("12\n")
    output.read_until("there is no template `12`")
    output.read_until("Template [block]: ")
    number = [*new.TEMPLATES].index("link-unfurl") + 1
    assert f"{number}  link-unfurl " in output.seen
    output.type(f"{number}\n")
    output.read_until("Language [python]: ")
    assert all(sentence in output.seen for sentence in new.LANGUAGES.values())
    output.type("java\n")
    output.read_until("there is no language `java`")
    output.type("type\n")
    output.read_until("Install its packages with npm? [Y/n]: ")
    output.type("n\n")
    output.read_until("Make it a Git repository? [Y/n]: ")
    output.type("\n")
    output.read_until(None)
    assert "\n    npm install\r\n" in output.seen
    assert (tmp_path / "my-poll" / ".git" / "HEAD").is_file()
    assert output.process.wait(timeout=PATIENCE) == 0
    made = projects.load(str(tmp_path / "my-poll"))
    assert made.manifest.blocks[0].id == "ticket"  # type: ignore[index,union-attr]
    assert made.script.suffix == ".tsx"


def test_what_is_given_is_not_asked_and_ctrl_c_leaves_nothing(terminal: Any, tmp_path: Path) -> None:
    output = terminal("my-poll")
    output.read_until("Template [block]: ")
    output.interrupt()
    output.read_until(None)
    assert output.process.wait(timeout=PATIENCE) == 130
    assert "Traceback" not in output.seen and "Name of" not in output.seen
    assert not (tmp_path / "my-poll").exists()


TYPESCRIPT = ("new", "poll", "--template", "block", "--language", "ts")


def programs(folder: Path, **scripts: str) -> dict[str, str]:
    """Make a folder of programs, and return the environment in which there are no others."""
    (folder / "bin").mkdir()
    for name, script in scripts.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / "bin" / name).chmod(0o755)
    return {"PATH": str(folder / "bin")}


def test_packages_and_a_repository_are_made_when_asked_for(tmp_path: Path) -> None:
    environ = programs(tmp_path, npm='echo "$@ in $PWD"', git=f'exec {shutil.which("git")} "$@"')
    done = devkit(tmp_path, *TYPESCRIPT, "--install", "--git", "--json", folder=tmp_path, **environ)
    assert done.code == 0
    assert done.err == f"install in {tmp_path / 'poll'}\n"
    assert done.json["next"] == ["cd poll", "devkit dev"]
    assert (done.json["installed"], done.json["repository"]) == (True, True)
    log = ["git", "-C", str(tmp_path / "poll"), "log"]
    assert "does not have any commits" in subprocess.run(log, capture_output=True, text=True, timeout=60).stderr
    inner = devkit(tmp_path, *TYPESCRIPT, "--git", folder=tmp_path / "poll", **environ)
    assert inner.code == 0 and not (tmp_path / "poll" / "poll" / ".git").exists()
    plain = devkit(tmp_path, "new", "plain", "--template", "block", "--git", folder=tmp_path, **environ)
    assert plain.code == 0 and (tmp_path / "plain" / ".git").is_dir()


def test_a_person_is_asked_for_a_repository_in_python_too(tmp_path: Path, terminal: Any) -> None:
    output = terminal("plain", "--template", "block", "--language", "python")
    output.read_until("Make it a Git repository? [Y/n]: ")
    output.type("n\n")
    output.read_until(None)
    assert output.process.wait(timeout=PATIENCE) == 0
    assert "npm" not in output.seen and not (tmp_path / "plain" / ".git").exists()


def test_nobody_is_asked_without_a_terminal(tmp_path: Path) -> None:
    environ = programs(tmp_path, npm="echo npm", git="echo git")
    for options in ((), ("--no-install", "--no-git")):
        done = devkit(tmp_path, *TYPESCRIPT, "--path", f"a{len(options)}", *options, folder=tmp_path, **environ)
        assert (done.code, done.err, "\n    npm install\n" in done.out) == (0, "", True)


def test_programs_that_are_missing_or_fail_are_told_with_the_cure(tmp_path: Path, terminal: Any) -> None:
    environ = programs(tmp_path)
    done = devkit(tmp_path, *TYPESCRIPT, "--install", "--git", folder=tmp_path, **environ)
    assert (done.code, "\n    npm install\n" in done.out) == (1, True)
    folder = tmp_path / "poll"
    assert f"install Node.js, which includes it (https://nodejs.org), and run `npm install` in {folder}\n" in done.err
    assert f"Git is not installed: install it (https://git-scm.com), and run `git init` in {folder}\n" in done.err
    output = terminal(*TYPESCRIPT[1:], "--path", "asked", **environ)
    output.read_until(None)
    assert output.process.wait(timeout=PATIENCE) == 0
    assert "npm is not installed" in output.seen and "[Y/n]" not in output.seen
    (tmp_path / "bin" / "npm").write_text("#!/bin/sh\nexit 7\n")
    (tmp_path / "bin" / "npm").chmod(0o755)
    failed = devkit(tmp_path, *TYPESCRIPT, "--path", "failed", "--install", folder=tmp_path, **environ)
    assert (failed.code, "\n    npm install\n" in failed.out) == (1, True)
    assert f"`npm install` failed with exit code 7; run it again in {tmp_path / 'failed'}\n" in failed.err
    python = devkit(tmp_path, "new", "python", "--template", "block", "--install", folder=tmp_path, **environ)
    assert python.code == 2 and "Python projects have no npm packages" in python.err
    assert not (tmp_path / "python").exists()


def test_an_installed_package_brings_the_templates(tmp_path: Path) -> None:
    source, created, home = tmp_path / "source", tmp_path / "made", tmp_path / "home"
    home.mkdir()
    left = shutil.ignore_patterns("__pycache__", "node_modules", ".devkit")
    for folder in ("devkit", "templates"):
        shutil.copytree(ROOT / folder, source / folder, symlinks=True, ignore=left)
    (source / "runtime").mkdir()  # what is left out of this package comes from the checkout
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, source / file)
    build = "import sys; from setuptools.build_meta import build_wheel; print(build_wheel(sys.argv[1]))"
    run = {"check": True, "capture_output": True, "text": True, "timeout": 300}
    subprocess.run([sys.executable, "-c", build, str(created)], cwd=source, **run)  # type: ignore[call-overload]
    (wheel,) = created.glob("*.whl")
    shutil.unpack_archive(wheel, tmp_path / "site", "zip")
    files = [path for path in (ROOT / "templates").rglob("*") if path.is_file()]
    for file in files:
        if not new.LEFT_OVERS.intersection(file.parts):
            assert (tmp_path / "site" / "devkit" / file.relative_to(ROOT)).is_file(), file
    verbs = [path.name for path in (ROOT / "devkit" / "testing" / "typescript").iterdir()]
    assert sorted(verbs) == sorted(path.name for path in (tmp_path / "site/devkit/testing/typescript").iterdir())
    environ = environment(home, PYTHONPATH=f"{tmp_path / 'site'}:{ROOT}")
    command = [sys.executable, "-c", "import devkit.cli as c; print(c.__file__); c.main()", "new", "a"]
    done = subprocess.run([*command, "--template", "webhook"], cwd=home, env=environ, **run)  # type: ignore[call-overload]
    assert done.stdout.startswith(str(tmp_path / "site"))
    assert projects.load(str(home / "a")).manifest.name == "a"


def leftovers(folder: Path) -> list[Path]:
    return list(folder.rglob(".devkit-new-*"))


def _plain_folder(folder: Path) -> Path:
    (folder / "plain").mkdir(exist_ok=True)
    return folder / "plain"
