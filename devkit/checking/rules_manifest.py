"""Rules that are found while the manifest is read, the script built and loaded."""

from __future__ import annotations

from devkit.checking.rule import Rule

RULES = (
    Rule("manifest-yaml", "error", "The manifest is not valid YAML.", "Fix the text at the reported position."),
    Rule("manifest-duplicate-key", "error", "A key appears twice.", "Remove one of the two."),
    Rule("manifest-missing", "error", "A required key of the manifest is missing.", "Add the suggested line."),
    Rule("manifest-unknown-key", "error", "A key is unknown.", "Correct the key, or remove it."),
    Rule("manifest-choice", "error", "A value is not one of the allowed values.", "Write one of the listed values."),
    Rule("manifest-type", "error", "A value has the wrong type.", "Write it as shown."),
    Rule("manifest-length", "error", "A text or list is too short or too long.", "Shorten it, or add to it."),
    Rule("manifest-pattern", "error", "A text contains characters that are not allowed.", "Write it as shown."),
    Rule("manifest-duplicate-id", "error", "Two blocks or sources share an id.", "Give one of them another id."),
    Rule("manifest-form", "error", "A configuration form is inconsistent.", "Fix the reported property."),
    Rule("manifest-policy", "error", "The content security policy is not valid.", "Write directives and sources."),
    Rule(
        "policy-odd",
        "warning",
        "The content security policy was corrected before use.",
        "Write it the way browsers require it.",
    ),
    Rule("build-failed", "error", "The script cannot be built.", "Fix what the bundler reports."),
    Rule("load-failed", "error", "The script cannot be loaded in its sandbox.", "Fix the reported line."),
    Rule("type-error", "error", "The project's TypeScript reports a type error.", "Fix the reported line."),
)
