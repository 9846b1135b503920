"""Rules that are found while the manifest is read, the script built and loaded."""

from __future__ import annotations

from devkit.checking.rule import Rule

RULES = (
    Rule("manifest-yaml", "error", "The manifest is not valid YAML.", "Fix the text at the place given."),
    Rule("manifest-duplicate-key", "error", "A key is given twice.", "Leave one of the two out."),
    Rule("manifest-missing", "error", "Something the manifest must say is missing.", "Add the line given."),
    Rule("manifest-unknown-key", "error", "A key means nothing.", "Write the key that was meant, or leave it out."),
    Rule("manifest-choice", "error", "A value is not one of the allowed words.", "Write one of the values given."),
    Rule("manifest-type", "error", "A value is of another type.", "Write it as shown."),
    Rule("manifest-length", "error", "A text or list is too short or too long.", "Shorten it, or add to it."),
    Rule("manifest-pattern", "error", "A text holds characters that it may not.", "Write it as shown."),
    Rule("manifest-duplicate-id", "error", "Two blocks or sources share an id.", "Give one of them another."),
    Rule("manifest-form", "error", "A configuration form does not fit together.", "Fix the property named."),
    Rule("manifest-policy", "error", "The content security policy is not valid.", "Write directives and sources."),
    Rule("policy-odd", "warning", "The content security policy is read as meant.", "Write it as browsers need it."),
    Rule("build-failed", "error", "The script cannot be built.", "Fix what the bundler reports."),
    Rule("load-failed", "error", "The script cannot be loaded in its sandbox.", "Fix the line given."),
    Rule("type-error", "error", "The project's TypeScript finds an error of types.", "Fix the line given."),
)
