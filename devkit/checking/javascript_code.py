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
COMPONENT = re.compile(r"""\bcomponentId\s*:\s*["'`](?P<name>[^"'`]+)["'`]""")
MADE = re.compile(r"\bcreateComponent\s*[<(]")
SECRET = re.compile(
    r"""\bsecrets\s*(?:[?!]?\.\s*(?P<dotted>[A-Za-z_$][\w$]*)|(?:\?\.)?\[\s*["'`](?P<quoted>[^"'`]+)["'`]\s*\])"""
)
SPREAD = re.compile(r"\{(?P<names>[^{}]*)\}\s*=\s*(?:[\w$]+[?!]?\.)*secrets\b")
SECRETS = re.compile(r"\bsecrets\b")
OPERATIONS = {one.name: one for one in CALLS}
CALL = re.compile(rf"\.\s*(?P<name>{'|'.join(OPERATIONS)})\s*\(")
OTHER_CALL = re.compile(r"\bapi\s*\.\s*request\b|\bfetch\(\s*`\$\{[^}]*apiEndpoint")
ROUTE = re.compile(
    r"""\.\s*(?P<method>get|post|put|patch|delete|head|options|all)\(\s*(?P<quote>["'`])(?P<path>/[^"'`]*)(?P=quote)"""
)


def look(sources: Iterable[Source]) -> Code:
    """Give what is seen in all files of a script; files that travel as text count as text."""
    code = Code()
    for source in sources:
        if ".raw." in source.file:
            code.texts.append(Text(source.text, source.at(1, 1)))
        else:
            _look(source, code)
    return code


def _look(source: Source, code: Code) -> None:
    plain, bare = _without(source.text, texts=False), _without(source.text, texts=True)
    code.texts += [
        Text(found["text"][1:-1], source.at_offset(found.start() + 1))
        for found in TOKEN.finditer(source.text)
        if found["text"]
    ]
    for found in EVENT.finditer(plain):
        code.events.append(Use(found["name"], source.at_offset(found.start("name"))))
    for made in MADE.finditer(plain):
        # The first id after `createComponent(` registers one; others open it in a modal.
        first = COMPONENT.search(plain, made.end())
        if first is not None:
            code.components.append(Use(first["name"], source.at_offset(first.start("name"))))
    for found in CALL.finditer(bare):
        one = OPERATIONS[found["name"]]
        code.calls.append(ApiCall(one.method, one.path, source.at_offset(found.start("name"))))
    for found in ROUTE.finditer(plain):
        code.routes.append(("*" if found["method"] == "all" else found["method"].upper(), found["path"]))
    code.other_calls = code.other_calls or bool(OTHER_CALL.search(plain))
    _secrets(source, plain, bare, code)


def _secrets(source: Source, plain: str, bare: str, code: Code) -> None:
    seen = set[int]()
    for found in SECRET.finditer(plain):
        group = "dotted" if found["dotted"] else "quoted"
        seen.add(found.start())
        code.secrets.append(Use(found[group], source.at_offset(found.start(group))))
    for found in SPREAD.finditer(bare):
        seen.add(found.end() - len("secrets"))
        for name in re.finditer(r"(?:^|,)\s*(?P<name>[A-Za-z_$][\w$]*)", found["names"]):
            spot = source.at_offset(found.start("names") + name.start("name"))
            code.secrets.append(Use(name["name"], spot))
        code.other_secrets = code.other_secrets or "..." in found["names"]
    for found in SECRETS.finditer(bare):
        # A type or a property that is only called so does no harm: it makes the look more careful.
        code.other_secrets = code.other_secrets or found.start() not in seen


def _without(text: str, *, texts: bool) -> str:
    """Give a text with blanks for its comments, and for what stands in quotes: places stay what they are."""

    def blank(found: re.Match[str]) -> str:
        return found[0] if found["text"] and not texts else re.sub(r"[^\n]", " ", found[0])

    return TOKEN.sub(blank, text)
