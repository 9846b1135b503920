"""What `devkit dev` warns of at each save: faults that are seen in the code without running it."""

from __future__ import annotations

from dataclasses import replace

from devkit.developing.unregistered_components import unregistered
from devkit.manifests.findings import Finding
from devkit.projects.project import Project


def code_warnings(project: Project) -> list[Finding]:
    """Find components that nothing registers, and secrets that the manifest does not declare."""
    from devkit.checking.rules_secrets import secret_undeclared
    from devkit.checking.subject import Subject, code_of

    subject = Subject(project, code_of(project))
    secrets = secret_undeclared(subject)
    return [*unregistered(project, subject.code), *(replace(finding, level="warning") for finding in secrets)]
