"""Components that the manifest names and the script does not register, found without running the script."""

from __future__ import annotations

from collections.abc import Iterator

from devkit.checking.code import Code
from devkit.manifests.findings import Finding
from devkit.manifests.reading import ValuePath
from devkit.projects.project import Project
from devkit.terminal.wording import nearest


def unregistered(project: Project, code: Code) -> list[Finding]:
    """Find blocks and screens whose component is nowhere in the script, as after a new name in the manifest alone.

    What a script makes up at run time cannot be seen: if it registers a component that way, an id that stands in it
    anywhere counts as registered.
    """
    from devkit.checking.subject import sources_of

    if not any(True for _ in _named(project)):
        return []
    sources = sources_of(project)
    known = [component.name for component in code.components]
    certain = bool(known) and not (code.other_components or code.partial)

    def registered(name: str) -> bool:
        return name in known or (not certain and any(_quoted(name, one.text) for one in sources))

    lost = [(where, name) for where, name in _named(project) if not registered(name)]
    if not lost or not sources:
        return []
    found = []
    for where, name in lost:
        close = nearest(name, known)
        others = ", ".join(f"`{one}`" for one in dict.fromkeys(known)) or "none"
        cure = f"write `{close}`, or register `{name}`" if close else f"register it; there are {others}"
        message = f"the script registers no component `{name}`: {cure}"
        found.append(project.finding(where, message, "block-without-component", "warning"))
    return found


def _quoted(name: str, text: str) -> bool:
    return any(f"{quote}{name}{quote}" in text for quote in "\"'`")


def _named(project: Project) -> Iterator[tuple[ValuePath, str]]:
    manifest = project.manifest
    for number, block in enumerate(manifest.blocks if isinstance(manifest.blocks, list) else []):
        yield ("blocks", number, "id"), block.id
    for level in ("account", "space", "site"):
        screen = getattr(manifest.configurations, level, None)
        component = getattr(screen, "component_id", None)
        if isinstance(component, str):
            yield ("configurations", level, "componentId"), component
    for number, source in enumerate(manifest.content_sources if isinstance(manifest.content_sources, list) else []):
        yield ("contentSources", number, "configuration", "componentId"), source.configuration.component_id
