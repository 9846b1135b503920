"""`devkit new`: a project from a template."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from devkit.projects import setting_up
from devkit.terminal.output import Mistake, Problem, json_option, print_result
from runtime.contract.integration_names import LONGEST_NAME, RULE, is_integration_name

TEMPLATES: dict[str, str] = {
    "block": "A block with properties that its editor sets, and state that is separate for each reader.",
    "config-screen": "A screen on which an administrator sets the integration up, with a select that asks the script.",
    "event-handler": "Reacts to new content and page ratings, and asks the platform's API about them.",
    "webhook": "Receives signed requests from another service and processes them afterwards.",
    "published-script": "Adds a script to published sites; it waits for the reader's consent to cookies.",
    "visitor-auth": "Signs visitors of a site in with OpenID Connect, and tells the site who they are.",
    "oauth": "Connects an account of another service with OAuth 2 and calls its API with fresh tokens.",
    "content-source": "Computes pages of a space from data that lives elsewhere.",
    "link-unfurl": "Turns a pasted link into a block that shows its target.",
}
"""Template -> what it is, in a sentence; each is the folder of its name in `templates/LANGUAGE`."""
LANGUAGES = {
    "python": "Python, with the libraries that come with devkit.",
    "typescript": "TypeScript on @gitbook/runtime; needs Node and npm.",
}
"""Language -> what projects in it need; every template is there in each."""
SHORT = {"py": "python", "ts": "typescript"}


class Language(click.Choice[str]):
    """A language, also by the ending of its files."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Give the name of the language; raises BadParameter."""
        return super().convert(SHORT.get(value.lower().lstrip("."), value), param, ctx)


# In a checkout a link to the folder at the top, in an installed package the folder itself.
PLACE = Path(__file__).resolve().parents[1] / "templates"
FOR_EDITORS = {
    "python": (PLACE.parent / "manifests" / "integration.schema.json",),
    "typescript": (
        PLACE.parent / "manifests" / "integration.schema.json",
        PLACE.parent / "testing" / "typescript" / "devkit-test.d.ts",
    ),
}
"""Language -> files that every project gets a copy of: editors know manifests and tests by them."""
SHORTEST_TITLE, LONGEST_TITLE = 2, 30
STANDS_FOR_NAME, STANDS_FOR_TITLE = "my-integration", "My integration"
HIDDEN = "dot."
"""Prefix of template files that become dotfiles in a project, so that they do not affect the templates."""
LEFT_OVERS = {"__pycache__", "node_modules", ".devkit", ".pytest_cache", "package-lock.json"}
PLAIN = re.compile(r"(?!(?:true|false|yes|no|on|off|null|y|n)$)[a-z][\w. -]*(?<! )", re.IGNORECASE)
"""Matches text that needs no quotes in YAML."""


def begin_with(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Complete a template's name for the shell."""
    return [name for name in TEMPLATES if name.startswith(typed)]


@click.command("new")
@click.argument("name", required=False)
@click.option("--template", shell_complete=begin_with, help="The template; --list shows them.")
@click.option("--language", type=Language(list(LANGUAGES)), help="Language of the project; default: python.")
@click.option("--title", help="The name people see; default: derived from NAME.")
@click.option(
    "--path", "place", type=click.Path(file_okay=False), help="Folder of the project; default: NAME in this folder."
)
@click.option(
    "--install/--no-install",
    default=None,
    help="Run `npm install` in a project in TypeScript; default: ask at a terminal, otherwise no.",
)
@click.option(
    "--git/--no-git",
    default=None,
    help="Run `git init`, unless the folder is in a repository; default: ask at a terminal, otherwise no.",
)
@click.option("--list", "listing", is_flag=True, help="Show the templates.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    name: str | None,
    template: str | None,
    language: str | None,
    title: str | None,
    place: str | None,
    install: bool | None,
    git: bool | None,
    listing: bool,
    as_json: bool,
) -> None:
    """Create the project NAME from a template; asks for what is missing.

    Examples: devkit new my-integration --template block
              devkit new my-integration --template webhook --language typescript --install --git
    """
    if listing:
        known = [{"name": name, "description": TEMPLATES[name], "languages": [*LANGUAGES]} for name in TEMPLATES]
        print_result(as_json, {"templates": known}, *listed(TEMPLATES).splitlines())
        return
    asks = not as_json and sys.stdin.isatty()
    if not asks and not (name and template):
        raise missing(name, template)
    name = check_name(name) if name else ask_name(place)
    if template is None:
        template = ask_template()
        language = language or ask_language()
    template, language = check_template(template), language or next(iter(LANGUAGES))
    if install and language == "python":
        raise click.UsageError("`--install` is for TypeScript projects; Python projects have no npm packages.")
    title = check_title(title) if title is not None else title_of(name)
    folder = Path(place or name).absolute()
    files = make(template, name, title, folder, language)
    has_packages = "package.json" in files and setting_up.install_packages(folder, install, asks=asks)
    is_versioned = setting_up.make_repository(folder, git, asks=asks)
    displayed = os.path.relpath(folder)
    displayed = str(folder) if displayed.startswith("..") else displayed
    steps = [f"cd {shlex.quote(displayed)}"] if displayed != "." else []
    steps += ["npm install"] if "package.json" in files and not has_packages else []
    steps += ["devkit dev"]
    text = f"Created {name} in {displayed} ({len(files)} files). Next:"
    report = {"name": name, "title": title, "template": template, "language": language, "folder": str(folder)}
    made = {"files": files, "installed": has_packages, "repository": is_versioned, "next": steps}
    print_result(as_json, report | made, text, "", *(f"    {step}" for step in steps))
    ctx.exit(1 if (install and not has_packages) or (git and not is_versioned) else 0)


def listed(known: Mapping[str, str]) -> str:
    """Return a list of templates, or languages, for people."""
    width = max(map(len, known))
    return "\n".join(f"{name.ljust(width)}  {sentence}" for name, sentence in known.items())


def check_name(name: str) -> str:
    """Return the name if an integration may have it; raises Mistake."""
    if len(name) > LONGEST_NAME:
        raise Mistake(f"a name has at most {LONGEST_NAME} characters; this one has {len(name)}")
    if not is_integration_name(name):
        raise Mistake(f"`{name}` cannot be a name", hint=f"{RULE}, for example my-integration")
    return name


def check_template(template: str) -> str:
    """Return the template's name if it exists; raises Mistake that lists the closest one and all."""
    if template in TEMPLATES:
        return template
    from difflib import get_close_matches

    near = get_close_matches(template.lower(), TEMPLATES, 1, cutoff=0.4)
    suggestion = f"did you mean `{near[0]}`? Templates" if near else "templates"
    raise Mistake(f"there is no template `{template}`", hint=f"{suggestion}: {', '.join(TEMPLATES)}")


def check_title(title: str) -> str:
    """Return the title if a manifest may have it; raises Mistake."""
    if not SHORTEST_TITLE <= len(title) <= LONGEST_TITLE or not title.isprintable():
        raise Mistake(f"--title is {SHORTEST_TITLE} to {LONGEST_TITLE} characters in one line")
    return title


def title_of(name: str) -> str:
    """Derive a title from a name: `my-integration` becomes `My integration`."""
    words = " ".join(re.split(r"[-_.]+", name)).strip() or name
    title = (words[0].upper() + words[1:])[:LONGEST_TITLE].rstrip()
    return title if len(title) >= SHORTEST_TITLE else f"Integration {title}"


def missing(name: str | None, template: str | None) -> Mistake:
    """Say what is missing where nobody can be asked, and the command with it."""
    lacks = [what for what, given in (("a name", name), ("a template", template)) if not given]
    line = f"devkit new {shlex.quote(name or 'my-integration')} --template {template or next(iter(TEMPLATES))}"
    listing = "" if template else f"; templates: {', '.join(TEMPLATES)}"
    return Mistake(f"the project needs {' and '.join(lacks)}", hint=f"type for example `{line}`{listing}")


def ask_name(place: str | None) -> str:
    """Prompt for a valid name."""
    folder = Path(place).name if place else ""
    default = folder if is_integration_name(folder) else None
    return str(click.prompt("Name of the integration", default=default, value_proc=asked(check_name), err=True))


def ask_template() -> str:
    """Prompt for a valid template."""
    click.echo(_numbered(TEMPLATES), err=True)
    check = asked(lambda answer: check_template(_meant(answer, TEMPLATES)))
    return str(click.prompt("Template", default=next(iter(TEMPLATES)), value_proc=check, err=True))


def ask_language() -> str:
    """Prompt for a valid language."""
    click.echo(_numbered(LANGUAGES), err=True)
    check = asked(lambda answer: _check_language(_meant(answer, LANGUAGES)))
    return str(click.prompt("Language", default=next(iter(LANGUAGES)), value_proc=check, err=True))


def _numbered(known: Mapping[str, str]) -> str:
    """Return a list to choose from, by number or name."""
    lines = listed(known).splitlines()
    return "\n".join(f"{number}  {line}" for number, line in enumerate(lines, 1))


def _meant(answer: str, known: Mapping[str, str]) -> str:
    """Return the name that stands for a number of the list or that alone begins so, else the answer itself."""
    names = list(known)
    if answer.isdecimal() and 0 < int(answer) <= len(names):
        return names[int(answer) - 1]
    beginning = [name for name in names if answer and name.startswith(answer)]
    return beginning[0] if len(beginning) == 1 else answer


def _check_language(language: str) -> str:
    if language not in LANGUAGES:
        raise Mistake(f"there is no language `{language}`. Languages: {', '.join(LANGUAGES)}")
    return language


def asked(check: Any) -> Any:
    """Repeat a prompt, with the reason, if a check refuses the answer."""

    def validate(value: str) -> str:
        try:
            return str(check(value.strip()))
        except Problem as problem:
            raise click.UsageError(problem.sentence) from None

    return validate


def make(template: str, name: str, title: str, folder: Path, language: str = "python") -> list[str]:
    """Write a project atomically, and return its files; raises Problem."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise Problem(f"{folder} is a file", hint="choose another name, or --path")
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise Problem(f"{folder} is not empty", hint="choose another name, or --path")
        return _appear(template, name, title, folder, language)
    except OSError as error:
        raise Problem(f"{folder} cannot be written: {error.strerror or error}") from error


def _appear(template: str, name: str, title: str, folder: Path, language: str) -> list[str]:
    """Write next to the project's folder, or inside it if it exists, and then move."""
    base = folder
    while not base.exists():
        base = base.parent
    fresh = Path(tempfile.mkdtemp(prefix=".devkit-new-", dir=base))
    try:
        # What is missing above the project's folder appears with it, in one step.
        below = folder.relative_to(base).parts
        files = _write(language, template, fresh.joinpath(*below[1:]), name, title)
        if below:
            fresh.chmod(0o777 & ~_mask())
            fresh.rename(base / below[0])
        else:
            for path in list(fresh.iterdir()):
                path.rename(folder / path.name)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return files


def _mask() -> int:
    """Return the umask."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(language: str, template: str, folder: Path, name: str, title: str) -> list[str]:
    files = []
    source = PLACE / language / template
    for path in sorted(source.rglob("*")):
        inner = path.relative_to(source)
        if path.is_dir() or LEFT_OVERS.intersection(inner.parts):
            continue
        target = folder / inner.with_name("." + inner.name.removeprefix(HIDDEN) if _is_hidden(inner) else inner.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".png":
            target.write_bytes(path.read_bytes())
        else:
            text = path.read_text(encoding="utf-8")
            target.write_text(_filled(text, name, title, path.suffix == ".yaml"), encoding="utf-8")
        files.append(target.relative_to(folder).as_posix())
    for file in FOR_EDITORS[language]:
        shutil.copyfile(file, folder / file.name)
        files.append(file.name)
    return sorted(files)


def _is_hidden(file: Path) -> bool:
    return file.name.startswith(HIDDEN)


def _filled(text: str, name: str, title: str, is_yaml: bool) -> str:
    values = {STANDS_FOR_NAME: name, STANDS_FOR_TITLE: title}
    if is_yaml:
        values = {key: value if PLAIN.fullmatch(value) else _quoted(value) for key, value in values.items()}
    return re.sub("|".join(map(re.escape, values)), lambda match: values[match[0]], text)


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
