"""What the shell proposes for arguments: folders, and the names in the manifest of this folder."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

# The manifest is read by modules that are imported only when the shell asks: every command loads this one.


def folders(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Have the shell propose folders."""
    return [CompletionItem(typed, type="dir")]


def integration(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Propose the name of this folder's integration."""
    return _beginning(typed, [_manifest(ctx).get("name")])


def components(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Propose the components of the project: its blocks, and its configuration screens."""
    manifest = _manifest(ctx)
    blocks = [_entry(block, "id") for block in _list(manifest.get("blocks"))]
    screens = manifest.get("configurations")
    screens = screens.values() if isinstance(screens, dict) else ()
    return _beginning(typed, [*blocks, *(_entry(screen, "componentId") for screen in screens)])


def environments(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Propose the environments of the manifest's `envs`."""
    envs = _manifest(ctx).get("envs")
    return _beginning(typed, list(envs) if isinstance(envs, dict) else [])


def _manifest(ctx: click.Context) -> dict[str, Any]:
    """Read the manifest, whatever its faults; empty where it cannot be read, because shells show no errors here."""
    from devkit.manifests import reading
    from devkit.projects.folder import find_folder
    from devkit.terminal.output import Problem

    start = ctx.params.get("folder") or ctx.params.get("path")
    try:
        read = reading.read(find_folder(start)[1]).value
    except (Problem, OSError):
        return {}
    return read if isinstance(read, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _entry(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _beginning(typed: str, names: list[Any]) -> list[str]:
    return [name for name in dict.fromkeys(names) if isinstance(name, str) and name.startswith(typed)]
