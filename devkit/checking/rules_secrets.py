"""Rules on secrets: those the script uses are declared, those declared are used, set, and not written down."""

from __future__ import annotations

from collections.abc import Iterator

from devkit.checking.rule import Rule
from devkit.checking.subject import Subject
from devkit.manifests.findings import Finding
from devkit.manifests.reading import ValuePath
from devkit.projects.environments import names_in, sentence_of_unset
from devkit.terminal.wording import nearest


def secret_undeclared(subject: Subject) -> Iterator[Finding]:
    """A secret that the manifest does not declare is not there at run time."""
    declared = _declared(subject)
    for use in subject.code.secrets:
        if use.name not in declared:
            close = nearest(use.name, declared)
            line = f"{use.name}: ${{{{ env.{use.name} }}}}"
            cure = f"write `{close}`" if close else f"add `{line}` to `secrets` in the manifest"
            message = f"the manifest declares no secret `{use.name}`: {cure}"
            yield use.spot.finding(message, "secret-undeclared", "error" if use.needed else "warning")


def _declared(subject: Subject) -> dict[str, ValuePath]:
    """Return the secrets the manifest declares, with their places: those of a single environment count as well."""
    declared: dict[str, ValuePath] = {name: ("secrets", name) for name in subject.project.manifest.secrets}
    envs = subject.project.text.value.get("envs")
    for env, values in envs.items() if isinstance(envs, dict) else ():
        secrets = values.get("secrets") if isinstance(values, dict) else None
        for name in secrets if isinstance(secrets, dict) else ():
            declared.setdefault(str(name), ("envs", env, "secrets", name))
    return declared


def secret_unused(subject: Subject) -> Iterator[Finding]:
    """A secret that nothing uses is one more that can leak."""
    if subject.code.partial or subject.code.other_secrets:
        return
    used, declared = {use.name for use in subject.code.secrets}, _declared(subject)
    # One that is probably meant by a misspelled name is used; `secret_undeclared` says so.
    used |= {close for name in used - {*declared} if (close := nearest(name, declared)) is not None}
    for name, where in declared.items():
        if name not in used:
            message = f"nothing in the script uses the secret `{name}`: remove it"
            yield subject.project.text.at_key(where, message, "secret-unused", "warning")


def secret_unset(subject: Subject) -> Iterator[Finding]:
    """A variable that is not set keeps the integration from being published; here it is filled with an example."""
    for name, variables in subject.unset.items():
        for variable in variables:
            message = f"{sentence_of_unset(variable)}, before you publish"
            yield subject.project.finding(("secrets", name), message, "secret-unset", "warning")


def secret_in_manifest(subject: Subject) -> Iterator[Finding]:
    """What is in the manifest is read by everybody who reads the code."""
    for name, value in subject.project.manifest.secrets.items():
        if value and not names_in(value):
            cure = f"write `${{{{ env.{name} }}}}`, and the value into .env"
            message = (
                f"the value of the secret `{name}` is written in the manifest, where everybody can read it: {cure}"
            )
            yield subject.project.finding(("secrets", name), message, "secret-in-manifest", "warning")


RULES = (
    Rule(
        "secret-undeclared",
        "error",
        "The script uses a secret that the manifest does not declare.",
        "Declare it under `secrets`, or correct its name.",
        secret_undeclared,
    ),
    Rule(
        "secret-unused",
        "warning",
        "The manifest declares a secret that nothing in the script uses.",
        "Remove it.",
        secret_unused,
    ),
    Rule(
        "secret-unset",
        "warning",
        "The variable that a secret takes its value from is not set.",
        "Write it into .env, or let the project read yours: `devkit secrets --allow NAME`.",
        secret_unset,
    ),
    Rule(
        "secret-in-manifest",
        "warning",
        "A secret's value is written in the manifest.",
        "Take it from a variable: `${{ env.NAME }}`.",
        secret_in_manifest,
    ),
)
