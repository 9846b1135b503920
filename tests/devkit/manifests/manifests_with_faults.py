"""Manifests with a fault each, and where it is found."""

from __future__ import annotations

from devkit.manifests.faults import judge
from devkit.manifests.findings import Finding, InvalidProject
from devkit.manifests.reading import MAX_VALUES, parse
from tests.devkit.projects.manifest import GOOD

BLOCKS = GOOD + "blocks:\n  - id: one\n    title: One block\n"
FORM = GOOD + "configurations:\n  account:\n    properties:\n      token:\n        type: string\n"
POLICY = GOOD + "contentSecurityPolicy:\n  script-src: \"'self'\"\n"
LAUGHS = "".join(f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 9)}]\n" for number in range(1, 9))


def findings(text: str) -> list[Finding]:
    """Give all findings of a manifest's text, errors and warnings."""
    try:
        return judge(parse("m.yaml", text))[1]
    except InvalidProject as wrong:
        return wrong.findings


FAULTS: dict[str, tuple[str, int, int, str]] = {
    # What is missing, at its parent.
    "a key is missing": (GOOD.replace("title: Sample\n", ""), 1, 1, "`title` is missing; add `title: My integration`"),
    "a block has no title": (
        BLOCKS.replace("    title: One block\n", ""),
        7,
        5,
        "`blocks[0].title` is missing; add `t",
    ),
    "half of markdown": (BLOCKS + "    markdown: {codeblock: x}\n", 9, 5, "`blocks[0].markdown.body` is missing; add"),
    "an empty screen": (
        GOOD + "configurations:\n  site: {}\n",
        7,
        3,
        "site.properties` is missing; add `properties: {",
    ),
    "a button leads nowhere": (
        FORM.replace("string", "button"),
        9,
        7,
        "has no `callback_url`; add `callback_url: /conn",
    ),
    "a button says nothing": (
        FORM.replace("string", "button"),
        9,
        7,
        "has no `button_text`; add `button_text: Connect`",
    ),
    # Keys, at the key.
    "a key is misspelt": (GOOD.replace("title", "titel"), 2, 1, "`title` is missing: write `title`"),
    "a key nobody needs": (
        GOOD + "color: red\n",
        6,
        1,
        "`color` is not a known key: remove it; known keys here are blocks",
    ),
    "a key in the wrong case": (
        BLOCKS + "    urlunfurl: []\n",
        9,
        5,
        "`blocks[0].urlunfurl` is not a known key: write `urlUnf",
    ),
    "a key is given twice": (
        GOOD + "title: Other\n",
        6,
        1,
        "`title` appears twice; it is already on line 2: remove",
    ),
    "a directive is misspelt": (
        POLICY.replace("script-src", "scrpt-src"),
        7,
        3,
        "is not a directive of a content security",
    ),
    # Choices.
    "a word is misspelt": (
        GOOD + "visibility: publik\n",
        6,
        13,
        "must be one of public, private, unlisted; it is `publik`: ",
    ),
    "a scope is misspelt": (GOOD.replace("[]", "[space:contents:read]"), 5, 10, "write `space:content:read`"),
    "a scope in capitals": (GOOD.replace("[]", "\n  - Site:Views:Read"), 6, 5, "write `site:views:read`"),
    "a choice is a number": (GOOD + "runtime: 2\n", 6, 10, "must be one of v1, v2, python; it is a number: write `v1`"),
    "a type that is none": (FORM.replace("string", "text"), 10, 15, "must be one of string, number, boolean, button"),
    # Types, at the value.
    "a number for text": (
        GOOD.replace("title: Sample", "title: 42"),
        2,
        8,
        'must be text; it is a number: write "42" in q',
    ),
    "a date for text": (GOOD.replace("A sample.", "2026-01-31"), 3, 14, 'it is a date: write "2026-01-31" in quotes'),
    "yes for text": (GOOD.replace("title: Sample", "title: yes"), 2, 8, 'it is true or false: write "yes" in quotes'),
    "off for text": (GOOD.replace("title: Sample", "title: Off"), 2, 8, 'it is true or false: write "Off" in quotes'),
    "a version for text": (
        GOOD.replace("title: Sample", "title: 1.10"),
        2,
        8,
        'it is a number: write "1.10" in quotes',
    ),
    "a tilde for text": (GOOD.replace("title: Sample", "title: ~"), 2, 8, 'it is empty: write "~" in quotes'),
    "nothing for text": (GOOD + "summary:\n", 6, 9, "`summary` must be text; it is empty: write `summary: What"),
    "a list for text": (GOOD + "icon: [a.png]\n", 6, 7, "it is a list: write `icon: ./assets/icon.png`"),
    "text for a list": (
        GOOD.replace("[]", "space:content:read"),
        5,
        9,
        "must be a list; it is text: write `[space:content:re",
    ),
    "a mapping for a list": (
        GOOD + "blocks: {id: x}\n",
        6,
        9,
        "must be a list; it is a mapping: write `blocks: [{id: my-b",
    ),
    "text for a mapping": (BLOCKS + "  - two\n", 9, 5, "`blocks[1]` must be a mapping; it is text: write `blocks: [{"),
    "a list for secrets": (
        GOOD + "secrets: [KEY]\n",
        6,
        10,
        "must be a mapping; it is a list: write `secrets: {API_KEY",
    ),
    "a number as a secret": (
        GOOD + "secrets:\n  KEY: 42\n",
        7,
        8,
        '`secrets.KEY` must be text; it is a number: write "42"',
    ),
    "a default of another type": (
        FORM + "        default: 3\n",
        11,
        18,
        "must be a string; it is a number: write text, such",
    ),
    "a boolean for a number": (
        FORM.replace("string", "number") + "        default: true\n",
        11,
        18,
        "must be a number; it is true or false: write a number, such as `default: 3`",
    ),
    # Lengths and patterns.
    "a title too short": (
        GOOD.replace("title: Sample", "title: S"),
        2,
        8,
        "has 1 character, and needs 2: write a longer one",
    ),
    "a title too long": (
        GOOD.replace("title: Sample", f"title: {'x' * 33}"),
        2,
        8,
        "at most 30 are allowed: shorten it by 3",
    ),
    "a list too long": (
        GOOD + "previewImages: [a, b, c, d, e]\n",
        6,
        16,
        "has 5 entries; at most 3 are allowed: remove 2",
    ),
    "an id left empty": (BLOCKS.replace("id: one", 'id: ""'), 7, 9, "`blocks[0].id` is empty; write `id: my-block`"),
    "a name with blanks": (
        GOOD.replace("name: sample", "name: My Sample!"),
        1,
        7,
        "it is `My Sample!`: write `my-sample`",
    ),
    # Several values that do not fit together.
    "two blocks of one id": (
        BLOCKS + "  - {id: one, title: Two}\n",
        9,
        10,
        "the block id `one` is used twice; blocks[0] has",
    ),
    "a required field that is none": (
        FORM + "    required: [tokn]\n",
        11,
        16,
        "not a property of this form: write `token`",
    ),
    "a form and a component": (
        FORM + "    componentId: x\n",
        11,
        5,
        "remove one: a component renders the whole screen",
    ),
    "a source that is none": (
        POLICY.replace("'self'", "[["),
        7,
        15,
        "is not a source; write a host, a scheme such as `https:`",
    ),
    "a directive in text": (
        GOOD + "contentSecurityPolicy: scrpt-src x\n",
        6,
        24,
        "is not a directive of a content security",
    ),
    # Text that is no YAML.
    "a tab": (GOOD + "blocks:\n\t- id: x\n", 7, 1, "tabs cannot be used for indentation; use spaces"),
    "a colon in a text": (GOOD + "summary: one: two\n", 6, 13, "put the text into quotes"),
    "a text without a key": (
        GOOD + "blocks:\n   - id: one\n  x\n",
        8,
        3,
        "the indentation does not match the lines above",
    ),
    "a quote inside quotes": (
        GOOD.replace("title: Sample", "title: 'it's'"),
        2,
        12,
        "the text goes on after its quote; write '' for",
    ),
    "a wrong indentation": (GOOD + "  target: all\n", 6, 3, "the indentation does not match the lines above"),
    "a key without a colon": (GOOD + "target\nvisibility: public\n", 6, 1, "a key without a colon; write `key: value`"),
    "a quote that stays open": (GOOD + 'summary: "x\n', 6, 10, "the quote that begins here is never closed; close it"),
    "a list that stays open": (
        GOOD + "blocks: [1\nicon: x\n",
        6,
        9,
        "the list that begins here is never closed; close it",
    ),
    "a mapping that stays open": (GOOD + "secrets: {A: b\nicon: x\n", 6, 10, "never closed; close it with `}`"),
    "a text that begins with @": (GOOD + "summary: @you\n", 6, 10, "a text that begins with `@` must be in quotes"),
    "a text that begins with *": (GOOD + "summary: *you\n", 6, 10, "put a text that begins with `*` into quotes"),
    "a text after its quote": (GOOD + "summary: 'it's'\n", 6, 14, "write '' for a quote inside single quotes"),
    "a second document": (GOOD + "---\nname: x\n", 6, 1, "a manifest is one document; remove the line `---`"),
    "an anchor set twice": (GOOD + "a: &x 1\nb: &x 2\n", 7, 4, "give one of the two another name"),
    "a tag of another language": (GOOD + "summary: !Sub x\n", 6, 10, "the tag `!Sub` is not allowed here; remove it"),
    "a date that is none": (
        GOOD + "summary: 2026-13-45\n",
        6,
        10,
        "looks like a date or number but is neither; put it into qu",
    ),
    "a list as a key": (GOOD + "? [a]\n: b\n", 6, 3, "a key must be text, not a list or a mapping"),
    "a character nobody sees": (
        GOOD + "summary: a\x07b\n",
        6,
        11,
        "the character U+0007 cannot be in a manifest; delete",
    ),
    "half of a character": (GOOD + 'summary: "a\\ud800b"\n', 6, 10, "`\\ud800` is not a valid character; write"),
    "half of a character in a key": (
        GOOD + 'secrets: {"\\udfff": x}\n',
        6,
        11,
        "`\\udfff` is not a valid",
    ),
    "no character": (GOOD + 'summary: "\\0"\n', 6, 10, "`\\u0000` is not a valid character"),
    "nothing": ("", 1, 1, "the manifest is empty; begin with `name: my-integration`"),
    "a remark only": ("# later\n", 1, 1, "the manifest is empty; begin with `name: my-integration`"),
    "a list at the top": (
        "- name: sample\n",
        1,
        1,
        "must be a mapping; write `name: my-integration` and the other keys",
    ),
    "text at the top": ("sample\n", 1, 1, "the manifest must be a mapping; write `name: my-integration` and"),
    "anchors that unfold": (
        "a0: &a0 [x]\n" + LAUGHS,
        1,
        5,
        f"expands to more than {MAX_VALUES} values; write them out",
    ),
    "an anchor inside itself": (
        GOOD + "blocks: &b [*b]\n",
        6,
        9,
        "nested deeper than 50 levels; ten levels are enough",
    ),
    "brackets without end": ("[" * 5000, 1, 1, "nested deeper than 50 levels; ten levels are enough for any manifest"),
}
