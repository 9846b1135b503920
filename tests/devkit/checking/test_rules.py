"""Every rule: a project that breaks it, and one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from devkit.checking.inspection import Inspection, inspect
from devkit.checking.rules import RULES
from tests.clients.packages import needs_packages
from tests.devkit.checking.projects import edit, write_javascript, write_python

MANIFEST, SCRIPT, TSX = "integration.yaml", "integration.py", "src/index.tsx"
JAVASCRIPT_MANIFEST = "gitbook-manifest.yaml"

Break = tuple[list[tuple[str, str, str]], tuple[str, int, int], str]

# Rule -> what is changed (file, text, what stands there instead), and the place and the cure that are reported.
BREAKS: dict[str, list[Break]] = {
    "manifest-yaml": [
        ([(MANIFEST, "title: Sample", "title: *x")], (MANIFEST, 2, 8), "put a text that begins with `*`"),
    ],
    "manifest-duplicate-key": [
        ([(MANIFEST, "icon: icon.png", "title: Again")], (MANIFEST, 4, 1), "remove one of the two"),
    ],
    "manifest-missing": [
        ([(MANIFEST, "script: integration.py\n", "")], (MANIFEST, 1, 1), "add `script: integration.py`"),
    ],
    "manifest-unknown-key": [
        ([(MANIFEST, "icon: icon.png", "ikon: x")], (MANIFEST, 4, 1), "write `icon`"),
    ],
    "manifest-choice": [
        ([(MANIFEST, "target: all", "target: al")], (MANIFEST, 6, 9), "write `all`"),
    ],
    "manifest-type": [
        ([(MANIFEST, "title: Sample", "title: 5")], (MANIFEST, 2, 8), 'write "5" in quotes'),
    ],
    "manifest-length": [
        ([(MANIFEST, "title: Sample", "title: S")], (MANIFEST, 2, 8), "write a longer one"),
    ],
    "manifest-pattern": [
        ([(MANIFEST, "name: sample", "name: a b")], (MANIFEST, 1, 7), "write `a-b`"),
    ],
    "manifest-duplicate-id": [
        (
            [(MANIFEST, "    title: Card\n", "    title: Card\n  - {id: card, title: Two}\n")],
            (MANIFEST, 17, 10),
            "another",
        ),
    ],
    "manifest-form": [
        ([(MANIFEST, "        button_text: Go\n", "")], (MANIFEST, 27, 7), "add `button_text: Connect`"),
    ],
    "manifest-policy": [
        ([(MANIFEST, "  script-src:", "  script-scr:")], (MANIFEST, 32, 3), "write `script-src`"),
    ],
    "policy-odd": [
        ([(MANIFEST, "com 'self'", "com self")], (MANIFEST, 32, 3), "must be in single quotes"),
    ],
    "build-failed": [
        ([(MANIFEST, "script: integration.py", "script: gone.py")], (MANIFEST, 5, 9), "there is no file"),
    ],
    "load-failed": [
        ([(SCRIPT, "def card(element, context):", "def card(element, context)")], (SCRIPT, 17, 27), "expected"),
    ],
    "type-error": [],
    "asset-missing": [
        ([(MANIFEST, "icon: icon.png", "icon: i.png")], (MANIFEST, 4, 7), "add the file"),
        ([(MANIFEST, "icon: icon.png", "icon: /etc/hostname")], (MANIFEST, 4, 7), "copy it into the project's folder"),
    ],
    "asset-too-large": [
        ([("icon.png", "", "x" * 256_001)], (MANIFEST, 4, 7), "at most 250 KB are allowed: make it smaller"),
    ],
    "asset-not-picture": [
        ([(MANIFEST, "icon: icon.png", "icon: integration.py")], (MANIFEST, 4, 7), "convert it"),
    ],
    "block-without-component": [
        ([(MANIFEST, "id: card", "id: cart")], (MANIFEST, 15, 9), "write `card`, or register"),
    ],
    "screen-without-component": [
        ([(MANIFEST, "componentId: settings", "componentId: setings")], (MANIFEST, 24, 18), "write `settings`"),
        (
            [(MANIFEST, "componentId: setup", "componentId: none")],
            (MANIFEST, 21, 20),
            "register it; there are `card`, `set",
        ),
    ],
    "source-without-handler": [
        ([(MANIFEST, "id: pages", "id: page")], (MANIFEST, 18, 9), "register it; there are `pages`"),
    ],
    "event-outside-target": [
        ([(MANIFEST, "target: all", "target: site")], (SCRIPT, 35, 2), "write `target: space` or `all`"),
    ],
    "callback-without-route": [
        ([(MANIFEST, "callback_url: /connect", "callback_url: /conect")], (MANIFEST, 30, 23), 'GET", "/conect")'),
        ([(SCRIPT, '"GET", "/connect"', '"POST", "/connect"')], (MANIFEST, 30, 23), 'GET", "/connect")'),
    ],
    "event-without-scope": [
        ([(MANIFEST, "  - space:content:read\n", "")], (SCRIPT, 40, 17), "add it to `scopes`"),
    ],
    "call-without-scope": [
        ([(MANIFEST, "  - space:metadata:read\n", "")], (SCRIPT, 42, 22), "`space:metadata:read`: add it"),
    ],
    "cookies-without-scope": [
        (
            [
                (MANIFEST, "  - site:script:cookies\n", ""),
                (SCRIPT, 'fetch("https://api.example.com/seen")', "localStorage.a = 1"),
            ],
            (SCRIPT, 12, 1),
            "add the scope `site:script:cookies`",
        ),
    ],
    "scope-unused": [
        (
            [(SCRIPT, 'context.api.get(f"/spaces/{event[\'spaceId\']}")["title"]', "1")],
            (MANIFEST, 9, 5),
            "remove it",
        ),
        ([(SCRIPT, 'integration.on("space_content_updated")', "print")], (MANIFEST, 8, 5), "remove it"),
    ],
    "policy-blocks": [
        (
            [(MANIFEST, "https://cdn.example.com 'self'", "'self'")],
            (SCRIPT, 10, 15),
            "add `https://cdn.example.com` to `scr",
        ),
        (
            [(MANIFEST, "https://*.example.com", "https://example.com")],
            (SCRIPT, 12, 8),
            "add `https://api.example.com` to `con",
        ),
        (
            [(SCRIPT, 'fetch("https://api.example.com/seen");', "eval(document.title)")],
            (SCRIPT, 12, 1),
            "avoid it",
        ),
    ],
    "secret-undeclared": [
        ([(MANIFEST, "  TOKEN: ${{", "  TOKENS: ${{")], (SCRIPT, 21, 33), "write `TOKENS`"),
    ],
    "secret-unused": [
        ([(SCRIPT, 'context.secrets["TOKEN"]', '"x"')], (MANIFEST, 13, 3), "remove it"),
    ],
    "secret-unset": [
        ([(".env", "SAMPLE_TOKEN", "OTHER")], (MANIFEST, 13, 10), "is not set; write it into .env"),
    ],
    "secret-in-manifest": [
        ([(MANIFEST, "${{ env.SAMPLE_TOKEN }}", "abc")], (MANIFEST, 13, 10), "write `${{ env.TOKEN }}`"),
    ],
    "render-crashed": [
        ([(SCRIPT, '"Nothing to set"', "1 / 0")], (SCRIPT, 27, 37), "division by zero"),
    ],
    "render-offline": [
        (
            [
                (SCRIPT, "def settings(element)", "def settings(context)"),
                (SCRIPT, '"Nothing to set"', 'context.api.get("/orgs/o/teams")["id"]'),
            ],
            (SCRIPT, 27, 37),
            "requested GET https://offline.invalid/v1/orgs/o/teams, which a check does not answer",
        ),
        (
            [
                (SCRIPT, "def settings(element)", "def settings(context)"),
                (SCRIPT, '"Nothing to set"', 'context.api.get("/user")["nickname"]'),
            ],
            (SCRIPT, 27, 37),
            "which a check answers with an example",
        ),
        (
            [
                (SCRIPT, "def settings(element)", "def settings(context)"),
                (SCRIPT, '"Nothing to set"', 'context.configuration["key"]'),
            ],
            (SCRIPT, 27, 37),
            "render something for that case",
        ),
    ],
    "render-refused": [
        (
            [
                (SCRIPT, "import Integration", "import ExposableError, Integration"),
                (SCRIPT, 'return ui.configuration(ui.text("Nothing to set"))', 'raise ExposableError("Not yet")'),
            ],
            (SCRIPT, 25, 24),
            "readers see that message",
        ),
    ],
    "render-invalid": [
        ([(SCRIPT, 'ui.text("Nothing to set")', '{"type": "button"}')], (SCRIPT, 25, 24), "onPress: is missing"),
    ],
    "render-inaccessible": [
        ([(SCRIPT, ', alt="A picture"', "")], (SCRIPT, 16, 24), "the image has no `alt`"),
    ],
    "action-without-handler": [
        (
            [(SCRIPT, 'ui.text(context.secrets["TOKEN"])', 'ui.button(context.secrets["TOKEN"], on_press="go")')],
            (SCRIPT, 16, 24),
            'register `go` with @VARIABLE.action("go"), where VARIABLE holds the component',
        ),
        (
            [(SCRIPT, 'ui.text("Nothing to set")', 'ui.button("Set", on_press=ui.open_modal("setpu"))')],
            (SCRIPT, 25, 24),
            "write `setup`, or register",
        ),
    ],
}


def look(folder: Path, edits: list[tuple[str, str, str]]) -> Inspection:
    for file, old, new in edits:
        if old:
            edit(folder / file, old, new)
        else:
            (folder / file).write_text(new)
    return inspect(str(folder), "required")


def test_what_a_component_reads_of_its_own_surroundings_is_answered(tmp_path: Path) -> None:
    edits = [
        (SCRIPT, "def settings(element)", "def settings(context)"),
        (SCRIPT, '"Nothing to set"', 'context.api.get("/user")["displayName"]'),
    ]
    assert look(write_python(tmp_path), edits).findings == []


def test_the_projects_that_are_broken_below_have_nothing_wrong_with_them(tmp_path: Path) -> None:
    assert look(write_python(tmp_path), []).findings == []


def test_every_rule_is_broken_below() -> None:
    assert list(BREAKS) == list(RULES)
    # Types are checked by the compiler of a project in TypeScript, which tests/devkit/commands/test_check.py tries.
    assert [rule for rule, cases in BREAKS.items() if not cases] == ["type-error"]


@pytest.mark.parametrize(
    ("rule", "case"), [(rule, number) for rule, cases in BREAKS.items() for number in range(len(cases))]
)
def test_a_broken_rule_is_reported_with_its_place_and_its_cure(rule: str, case: int, tmp_path: Path) -> None:
    edits, (file, line, column), cure = BREAKS[rule][case]
    findings = look(write_python(tmp_path), edits)
    matching = [finding for finding in findings.findings if finding.rule == rule]
    assert matching, [finding.sentence for finding in findings.findings]
    assert (matching[0].file, matching[0].line, matching[0].column) == (file, line, column), matching[0].sentence
    assert cure in matching[0].message
    assert matching[0].source == (tmp_path / file).read_text().split("\n")[line - 1]
    if rule != "manifest-unknown-key":  # an error only where a key is missing that was probably meant
        assert matching[0].level == RULES[rule].level


IN_JAVASCRIPT: dict[str, list[Break]] = {
    "build-failed": [([(TSX, "const card = ", "const card == ")], (TSX, 5, 12), "")],
    "load-failed": [
        ([(TSX, "export default createIntegration", "null.x; export default createIntegration")], (TSX, 14, 6), "")
    ],
    "block-without-component": [
        ([(JAVASCRIPT_MANIFEST, "id: card", "id: cart")], (JAVASCRIPT_MANIFEST, 13, 9), "write `card`, or register")
    ],
    "callback-without-route": [
        (
            [(JAVASCRIPT_MANIFEST, "callback_url: /connect", "callback_url: /other")],
            (JAVASCRIPT_MANIFEST, 21, 23),
            "add a",
        )
    ],
    "event-without-scope": [
        ([(JAVASCRIPT_MANIFEST, "  - space:content:read\n", "")], (TSX, 19, 9), "add it to `scopes`")
    ],
    "call-without-scope": [
        ([(JAVASCRIPT_MANIFEST, "  - space:metadata:read\n", "")], (TSX, 20, 47), "`space:metadata:read`: add it")
    ],
    "scope-unused": [
        ([(TSX, "api.spaces.getSpaceById(event.spaceId)", "{ data: event }")], (JAVASCRIPT_MANIFEST, 7, 5), "remove it")
    ],
    "policy-blocks": [
        (
            [(JAVASCRIPT_MANIFEST, "https://api.example.com", "'self'")],
            ("src/published.raw.js", 1, 8),
            "add `https://api.",
        )
    ],
    "secret-undeclared": [
        ([(JAVASCRIPT_MANIFEST, "  TOKEN:", "  TOKENS:")], (TSX, 9, 40), "write `TOKENS`"),
        ([(TSX, "environment.secrets.TOKEN", "environment.secrets['TOKES']")], (TSX, 9, 41), "write `TOKEN`"),
    ],
    "secret-unused": [([(TSX, "{environment.secrets.TOKEN}", "no")], (JAVASCRIPT_MANIFEST, 11, 3), "remove it")],
    "render-crashed": [([(TSX, "{environment.secrets.TOKEN}", "{element.nothing.at}")], (TSX, 9, 36), "")],
    "render-inaccessible": [
        ([(TSX, "<text>{environment.secrets.TOKEN}</text>", '<textinput state="a" />')], (TSX, 6, 19), "no label")
    ],
}


@needs_packages
def test_the_project_in_typescript_has_nothing_wrong_with_it(tmp_path: Path) -> None:
    assert look(write_javascript(tmp_path), []).findings == []


@needs_packages
@pytest.mark.parametrize(
    ("rule", "case"), [(rule, number) for rule, cases in IN_JAVASCRIPT.items() for number in range(len(cases))]
)
def test_a_rule_broken_in_javascript_is_reported_with_its_place(rule: str, case: int, tmp_path: Path) -> None:
    edits, (file, line, column), cure = IN_JAVASCRIPT[rule][case]
    findings = look(write_javascript(tmp_path), edits)
    matching = [finding for finding in findings.findings if finding.rule == rule]
    assert matching, [finding.sentence for finding in findings.findings]
    assert (matching[0].file, matching[0].line, matching[0].column) == (file, line, column), matching[0].sentence
    assert cure in matching[0].message


@pytest.mark.parametrize(
    ("edits", "rule"),
    [
        ([(SCRIPT, "def card(element, context):", "def card(element, context)")], "load-failed"),
        ([(SCRIPT, '"""A sample."""', '"""A sample."""' + " " * 11_000_000)], "build-failed"),
        ([(SCRIPT, '"Nothing to set"', " + ".join(['"x"'] * 3000))], "load-failed"),
        ([(MANIFEST, "script: integration.py", "script: gone.py")], "build-failed"),
        ([(MANIFEST, "script: integration.py", "script: icon.png")], "build-failed"),
    ],
)
def test_what_could_not_be_read_is_not_taken_for_what_is_not_there(
    edits: list[tuple[str, str, str]], rule: str, tmp_path: Path
) -> None:
    findings = look(write_python(tmp_path), edits)
    assert [finding.rule for finding in findings.findings] == [rule]


@pytest.mark.parametrize(
    "edits",
    [
        # Decided at run time: nobody can say from here what is used.
        [(SCRIPT, 'context.secrets["TOKEN"]', "str(context.secrets)")],
        [(SCRIPT, 'context.secrets["TOKEN"]', "context.secrets[element.component_id.upper() and 'TO' + 'KEN']")],
        [(SCRIPT, "context.api.get(f\"/spaces/{event['spaceId']}\")", "context.api.get(event['url'])")],
        [(SCRIPT, 'integration.fetch("GET", "/connect")', "integration.fetch('GET', '/con' + 'nect')")],
        # Written in another way.
        [(SCRIPT, 'context.secrets["TOKEN"]', 'context.environment["secrets"]["TOKEN"]')],
        [
            (
                SCRIPT,
                "    return ui.block(\n",
                '    kept = context.secrets\n    str(kept["TOKEN"])\n    return ui.block(\n',
            )
        ],
        [
            (
                SCRIPT,
                "context.api.get(f\"/spaces/{event['spaceId']}\")",
                "context.api.get('/spaces/' + event['spaceId'])",
            )
        ],
        [(SCRIPT, 'integration.fetch("GET", "/connect")', 'integration.fetch(path="/{name}")')],
        [(SCRIPT, 'integration.fetch("GET", "/connect")', "integration.fetch()")],
        [(SCRIPT, '"GET", "/connect")\ndef connect(request)', '"*", "/{all:path}")\ndef connect(all)')],
        [(MANIFEST, "callback_url: /connect", "callback_url: https://example.com/elsewhere")],
        [(MANIFEST, "callback_url: /connect", "callback_url: 'https://[elsewhere'")],
        [(MANIFEST, "callback_url: /connect", "callback_url: /connect?from=form#top")],
        [(SCRIPT, "https://api.example.com/seen", "https://api.example.com:%s/seen")],
        [(SCRIPT, '"Nothing to set"', '"\\d" if "a" else 1 is 1')],
        # Loaded from what the policy allows, whichever way it says so.
        [(MANIFEST, "script-src: https://cdn.example.com 'self'", "script-src: 'https:'")],
        [(MANIFEST, "script-src: https://cdn.example.com 'self'", "script-src: '*.example.com:443/tag.js'")],
        [(MANIFEST, "script-src: https://cdn.example.com 'self'", "script-src: \"'strict-dynamic'\"")],
        [(MANIFEST, "connect-src: https://*.example.com", "default-src: '*'")],
        # Data that looks like an action of the component that carries it, and is one of another.
        [
            (
                SCRIPT,
                'ui.text(context.secrets["TOKEN"])',
                'ui.button(context.secrets["TOKEN"], '
                'on_press=ui.open_modal("settings", {"onPick": {"action": "pick"}, "once": {"action": "no"}}))',
            )
        ],
    ],
)
def test_what_may_well_be_right_is_not_reported(edits: list[tuple[str, str, str]], tmp_path: Path) -> None:
    findings = look(write_python(tmp_path), edits)
    assert [finding.sentence for finding in findings.findings] == []


@needs_packages
def test_a_component_is_placed_where_it_is_made_not_where_it_is_opened(tmp_path: Path) -> None:
    edits = [
        (
            TSX,
            "const card = ",
            "const open = { action: '@ui.modal.open', componentId: 'card', props: {} };\nconst card = ",
        ),
        (TSX, "<text>{environment.secrets.TOKEN}</text>", "<button label={environment.secrets.TOKEN} onPress={{}} />"),
    ]
    findings = look(write_javascript(tmp_path), edits)
    assert [(finding.rule, finding.line) for finding in findings.findings] == [("render-invalid", 7)]


def test_a_handler_whose_event_is_named_at_run_time_is_reported_at_the_scopes(tmp_path: Path) -> None:
    edits = [
        (SCRIPT, 'integration.on("space_content_updated")', 'integration.on("space_" + "content_updated")'),
        (MANIFEST, "  - space:content:read\n", ""),
    ]
    (finding,) = look(write_python(tmp_path), edits).findings
    assert (finding.rule, finding.file, finding.line) == ("event-without-scope", MANIFEST, 8)


def test_a_script_in_several_files_is_looked_at_as_a_whole(tmp_path: Path) -> None:
    folder = write_python(tmp_path)
    begin, middle, end = (folder / SCRIPT).read_text().partition('@integration.fetch("GET", "/connect")')
    (folder / SCRIPT).write_text(begin + "import routes\n\nroutes.add(integration)\n")
    text = f"def add(bot):\n    @bot.fetch('GET', '/connect')\n    {end.strip()}\n".replace(
        "    return", "        return"
    )
    (folder / "routes.py").write_text(text)
    assert middle
    assert look(folder, []).findings == []
    edit(folder / "routes.py", '"connected"', "request.nothing['TOKEN']")
    edit(folder / "routes.py", "def connect(request)", "def connect(request, context)")
    edit(folder / "routes.py", "request.nothing['TOKEN']", "context.secrets['TOKES']")
    (finding,) = look(folder, []).findings
    assert (finding.rule, finding.file, finding.line, finding.column) == ("secret-undeclared", "routes.py", 4, 32)
