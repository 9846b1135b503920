"""Options for the sandbox, and the warning when a script runs without one."""

from __future__ import annotations

from typing import Any

import click

from devkit.terminal.output import warn
from runtime.engines.processes import measurable
from runtime.engines.sandbox import SandboxMode, authors_mode


def sandbox_option(command: Any) -> Any:
    """Add `--sandbox` to a command, which says once when there is none."""
    return click.option(
        "--sandbox",
        type=click.Choice(["required", "off"]),
        callback=_chosen,
        help="Whether to run the script in a sandbox; default: required on Linux, off elsewhere.",
    )(command)


def compiler_sandbox_option(command: Any) -> Any:
    """Add `--sandbox` to a command that builds a script and does not run it."""
    return click.option(
        "--sandbox",
        type=click.Choice(["required", "off"]),
        callback=lambda ctx, option, asked: authors_mode(asked),
        help="Whether to run the project's own compiler in a sandbox; default: required on Linux, off elsewhere.",
    )(command)


def warn_without(mode: SandboxMode) -> None:
    """Warn the author that the script runs without a sandbox."""
    if mode == "required":
        return
    why = "" if authors_mode(None) == "required" else ", which only Linux has"
    limits = "" if measurable() else "; its memory and processor time are not limited"
    warn(f"the script and its compiler run without a sandbox{why}: they can read and change everything you can{limits}")


def _chosen(ctx: click.Context, option: click.Parameter, asked: SandboxMode | None) -> SandboxMode:
    mode = authors_mode(asked)
    if not ctx.resilient_parsing:  # as while the shell completes a line
        warn_without(mode)
    return mode
