"""The command group: commands load when they are used, errors are one line and an exit code."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import traceback
from itertools import takewhile
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from devkit.terminal import ending
from devkit.terminal.output import Problem, print_error, report, speak_json
from runtime import version

SECTIONS: dict[str, dict[str, str]] = {
    "Develop": {
        "new": "Create a project from a template.",
        "dev": "Run an integration on this machine, with preview and reload.",
        "check": "Check a project without publishing it.",
        "test": "Run the tests of an integration.",
        "render": "Render a component in the terminal or to a file.",
        "secrets": "List a project's secrets, or set one.",
    },
    "Send and watch events": {
        "trigger": "Send an event, or a signed request, to an integration.",
        "events": "List an integration's events, or show one with its trace.",
        "logs": "Show what an integration's calls logged.",
        "replay": "Send past events again.",
        "record": "Write events into a scenario file as they happen.",
        "play": "Send the events of a scenario file.",
        "tunnel": "Give a local port a public address on the host.",
    },
    "Publish and install": {
        "publish": "Publish an integration to a host.",
        "versions": "List an integration's versions on a host.",
        "rollback": "Roll back to an earlier version on a host.",
        "install": "Install an integration on an organization, spaces and sites.",
        "installations": "List where integrations are installed.",
        "uninstall": "Uninstall from an organization, spaces and sites.",
        "unpublish": "Remove an integration from a host.",
    },
    "Hosts and tokens": {
        "login": "Save the address of a host and a token for it.",
        "hosts": "List the hosts you can use, or choose the default.",
        "logout": "Forget a host and the token for it.",
        "whoami": "Show whose token is in use.",
        "tokens": "List your tokens for a host, or revoke one.",
    },
    "Content": {
        "spaces": "List the spaces you may see, or create one.",
        "sites": "List the sites you may see, or create one.",
        "import": "Import a folder, a file or a website into a space.",
        "export": "Export a space to a folder of Markdown.",
    },
    "Run a host": {
        "init": "Create a database with an organization and its admin.",
        "serve": "Run the host.",
        "backup": "Write a backup of a host, which may keep running.",
        "restore": "Create a host from a backup.",
        "reindex": "Rebuild the search index.",
    },
    "This machine": {
        "doctor": "Find problems on this machine, and fix them.",
        "completion": "Set up shell completion for commands and options.",
    },
}
"""Section of the help -> its commands, each with its line; each command is the module of its name in
`devkit.commands`."""
COMMANDS = {name: line for commands in SECTIONS.values() for name, line in commands.items()}
ALIASES = {
    "build": "check", "create": "new", "delete": "unpublish", "deploy": "publish", "generate": "new", "lint": "check",
    "list": "installations", "preview": "dev", "remove": "uninstall", "rm": "uninstall", "run": "dev",
    "send": "trigger", "start": "dev", "tail": "logs", "upload": "publish", "validate": "check", "watch": "dev",
}  # fmt: skip
"""What other tools call a command -> what it is called here."""
WHERE = "`devkit --debug ...` shows where"
EXAMPLES = re.compile(r"^Examples?: ", re.MULTILINE)


class LazyGroup(click.Group):
    """Knows its commands by name and imports one when it is called, so that `--help` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"devkit.commands.{cmd_name}").command
        return with_examples_last(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(len(name) for name in COMMANDS)
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, line in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        commands = [CompletionItem(name, help=line) for name, line in COMMANDS.items() if name.startswith(incomplete)]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not ctx.resilient_parsing:
            from devkit.terminal.wording import nearest

            if args[0] == "version":
                raise click.UsageError("There is no command `version`; `devkit --version` prints it.")
            near = ALIASES.get(args[0].lower()) or nearest(args[0], COMMANDS)
            suggestion = f"did you mean `devkit {near}`?" if near else "`devkit --help` lists the commands."
            raise click.UsageError(f"There is no command `{args[0]}`; {suggestion}")
        return super().resolve_command(ctx, args)


def with_examples_last(command: click.Command) -> click.Command:
    """Show the examples in a command's docstring below its options: the last lines are what people look at first."""
    text = inspect.cleandoc(command.help or "")
    match = EXAMPLES.search(text)
    if match is not None:
        command.help, command.epilog = text[: match.start()].rstrip(), "\b\n" + text[match.start() :]
    return command


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version.VERSION, prog_name="devkit")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def group(debug: bool) -> None:
    """Run, check and publish integrations of documentation platforms.

    Start with `devkit new`, or with `devkit dev` in a folder that holds an integration.yaml.
    """


def _insist_on_a_folder() -> None:
    """Raise Problem in a current folder that was deleted, where hardly a command works and none says why."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise Problem(
            "the current folder does not exist any more", hint="go to another one, for example with `cd`"
        ) from None


def main() -> None:
    """Run the command line; every failure is one line on standard error and a non-zero exit code.

    With `--json` the line is a JSON object. Whether it was given is read from the words themselves, because a command
    line that click refuses has no options yet.
    """
    # Before the command only: `devkit dev --debug` means something else.
    before = list(takewhile(lambda argument: argument.startswith("-"), sys.argv[1:]))
    debug = "--debug" in before
    arguments = [argument for argument in before if argument != "--debug"] + sys.argv[1 + len(before) :]
    speak_json("--json" in takewhile(lambda argument: argument != "--", arguments))
    try:
        ending.in_order()
        _insist_on_a_folder()
        code = group.main(arguments, prog_name="devkit", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(0)
    except click.ClickException as error:
        report(Problem(error.format_message(), hint=_usage_hint(error)))
        sys.exit(error.exit_code)
    except Problem as problem:
        report(problem)
        sys.exit(problem.exit_code)
    except (click.Abort, KeyboardInterrupt) as error:
        sys.exit(ending.exit_code(error))
    except Exception as error:
        if debug:
            traceback.print_exc()
        if (number := ending.received()) is not None:
            sys.exit(128 + number)
        if isinstance(error, OSError) and error.filename and error.strerror:
            print_error(f"{error.filename}: {error.strerror}")
            sys.exit(1)
        words = f"{type(error).__name__}: {(str(error).splitlines() or ['no message'])[0]}"
        print_error(f"{words} ({WHERE})", {"message": words, "hint": WHERE})
        sys.exit(1)
    finally:
        ending.at_once()
    sys.exit(code if isinstance(code, int) else 0)


def _usage_hint(error: click.ClickException) -> str:
    """Say where the options of the command are shown whose line click refused; "" where no command is known."""
    at = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.NoSuchOption) and at is not None and at.parent is None:
        return "put the options of a command after its name; `devkit --help` lists the commands"
    if at is None or at.parent is None or "--help`" in error.format_message():
        return ""
    return f"`{at.command_path} --help` shows how it is called"
