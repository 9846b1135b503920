"""Looks at a script in JavaScript or TypeScript: at its words, outside comments and texts, without running it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from devkit.checking.code import ApiCall, Code, Source, Text, Use
from runtime.contract.events import EVENTS
from runtime.contract.scopes import CALLS

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
      |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)""",
    re.VERBOSE | re.DOTALL,
)
EVENT = re.compile(rf"""(?<![\w.$])(?<!case\s)["']?(?P<name>{"|".join(EVENTS)})["']?\s*[:(,}}]""")
COMPONENT = re.compile(r"""\bcomponentId\b(?:\s*:\s*["'`](?P<name>[^"'`]+)["'`])?""")
MADE = re.compile(r"\bcreateComponent\s*[<(]")
SECRET = re.compile(
    r"""\bsecrets\s*(?:[?!]?\.\s*(?P<dotted>[A-Za-z_$][\w$]*)|(?:\?\.)?\[\s*["'`](?P<quoted>[^"'`]+)["'`]\s*\])"""
)
SPREAD = re.compile(r"\{(?P<names>[^{}]*)\}\s*=\s*(?:[\w$]+[?!]?\.)*secrets\b")
SECRETS = re.compile(r"\bsecrets\b")
OPERATIONS = {call.name: call for call in CALLS}
CALL = re.compile(rf"\.\s*(?P<name>{'|'.join(OPERATIONS)})\s*\(")
OTHER_CALL = re.compile(r"\bapi\s*\.\s*request\b|\bfetch\(\s*`\$\{[^}]*apiEndpoint")
ROUTE = re.compile(
    r"""\.\s*(?P<method>get|post|put|patch|delete|head|options|all)\(\s*(?P<quote>["'`])(?P<path>/[^"'`]*)(?P=quote)"""
)


def scan(sources: Iterable[Source]) -> Code:
    """Return what is seen in all files of a script; files that travel as text count as text."""
    code = Code()
    for source in sources:
        if ".raw." in source.file:
            code.texts.append(Text(source.text, source.at(1, 1)))
        else:
            _scan(source, code)
    return code


def _scan(source: Source, code: Code) -> None:
    plain, bare = _without(source.text, texts=False), _without(source.text, texts=True)
    code.texts += [
        Text(call["text"][1:-1], source.at_offset(call.start() + 1))
        for call in TOKEN.finditer(source.text)
        if call["text"]
    ]
    for call in EVENT.finditer(plain):
        code.events.append(Use(call["name"], source.at_offset(call.start("name"))))
    for match in MADE.finditer(plain):
        # The first id after `createComponent(` registers one; others open it in a modal.
        first = COMPONENT.search(plain, match.end())
        if first is None or first["name"] is None:
            code.other_components = True
        else:
            code.components.append(Use(first["name"], source.at_offset(first.start("name"))))
    for call in CALL.finditer(bare):
        operation = OPERATIONS[call["name"]]
        code.calls.append(ApiCall(operation.method, operation.path, source.at_offset(call.start("name"))))
    for call in ROUTE.finditer(plain):
        code.routes.append(("*" if call["method"] == "all" else call["method"].upper(), call["path"]))
    code.other_calls = code.other_calls or bool(OTHER_CALL.search(plain))
    _secrets(source, plain, bare, code)


def _secrets(source: Source, plain: str, bare: str, code: Code) -> None:
    positions = set[int]()
    for match in SECRET.finditer(plain):
        group = "dotted" if match["dotted"] else "quoted"
        positions.add(match.start())
        code.secrets.append(Use(match[group], source.at_offset(match.start(group))))
    for match in SPREAD.finditer(bare):
        positions.add(match.end() - len("secrets"))
        for name in re.finditer(r"(?:^|,)\s*(?P<name>[A-Za-z_$][\w$]*)", match["names"]):
            spot = source.at_offset(match.start("names") + name.start("name"))
            code.secrets.append(Use(name["name"], spot))
        code.other_secrets = code.other_secrets or "..." in match["names"]
    for match in SECRETS.finditer(bare):
        # A type or a property that is only called so does no harm: it makes the look more careful.
        code.other_secrets = code.other_secrets or match.start() not in positions


def _without(text: str, *, texts: bool) -> str:
    """Return a text with blanks for its comments, and for what is in quotes: places stay what they are."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match["text"] and not texts else re.sub(r"[^\n]", " ", match[0])

    return TOKEN.sub(blank, text)
