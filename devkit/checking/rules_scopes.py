"""Rules on scopes: each that is needed is asked for, and no other."""

from __future__ import annotations

from collections.abc import Iterator

from devkit.checking import browser_code
from devkit.checking.rule import Rule
from devkit.checking.subject import Subject
from devkit.manifests.findings import Finding
from runtime.contract.events import EVENTS
from runtime.contract.scopes import CALLS, call_at

COOKIES = "site:script:cookies"
BY_EVENT = {kind: event.scope for kind, event in EVENTS.items() if event.scope is not None}
BY_CALL = frozenset(call.scope for call in CALLS)


def event_without_scope(subject: Subject) -> Iterator[Finding]:
    """An event whose scope is not asked for is never sent."""
    scopes = subject.project.manifest.scopes
    reported = set[str]()
    for use in subject.code.events:
        scope = BY_EVENT.get(use.name)
        if scope is not None and scope not in scopes and use.name not in reported:
            reported.add(use.name)
            message = f"`{use.name}` is never sent without the scope `{scope}`: add it to `scopes` in the manifest"
            yield use.spot.finding(message, "event-without-scope")
    for kind in sorted(subject.handled - reported):
        scope = BY_EVENT.get(kind)
        if scope is not None and scope not in scopes:
            message = f"the script handles `{kind}`, which is never sent without the scope `{scope}`: add it here"
            yield subject.project.finding(("scopes",), message, "event-without-scope")


def call_without_scope(subject: Subject) -> Iterator[Finding]:
    """A call whose scope is not asked for is refused with 403."""
    scopes = subject.project.manifest.scopes
    for call in subject.code.calls:
        needed = call_at(call.method, _address(call.path))
        if needed is not None and needed.scope not in scopes:
            message = (
                f"{call.method} {needed.path} is refused without the scope `{needed.scope}`: "
                "add it to `scopes` in the manifest"
            )
            yield call.spot.finding(message, "call-without-scope", "warning")


def cookies_without_scope(subject: Subject) -> Iterator[Finding]:
    """A published script that keeps something with the reader says so, and readers are asked first."""
    if "fetch_published_script" not in subject.handled or COOKIES in subject.project.manifest.scopes:
        return
    for text in browser_code.scripts(subject.code):
        match = browser_code.STORES.search(text.value)
        if match is not None:
            message = f"the published script uses `{match[0]}`: add the scope `{COOKIES}` to `scopes` in the manifest"
            yield browser_code.spot_of(text, match.start()).finding(message, "cookies-without-scope", "warning")
            return


def scope_unused(subject: Subject) -> Iterator[Finding]:
    """Whoever installs an integration grants its scopes: one that nothing needs only frightens people."""
    if subject.code.partial:
        return
    used = {BY_EVENT[kind] for kind in subject.handled if kind in BY_EVENT}
    used |= {
        operation.scope
        for call in subject.code.calls
        if (operation := call_at(call.method, _address(call.path))) is not None
    }
    judged = {*BY_EVENT.values()}
    if not subject.code.other_calls:
        judged |= BY_CALL
    if "fetch_published_script" not in subject.handled or not _may_store(subject):
        judged.add(COOKIES)
    for number, scope in enumerate(subject.project.manifest.scopes):
        by_call_too = scope in BY_CALL and subject.code.other_calls
        if scope in judged and scope not in used and not by_call_too:
            message = f"nothing in the script needs the scope `{scope}`: remove it"
            yield subject.project.finding(("scopes", number), message, "scope-unused", "warning")


def _may_store(subject: Subject) -> bool:
    """Return whether a published script keeps something with the reader, or loads another that may."""
    texts = browser_code.scripts(subject.code)
    return any(browser_code.STORES.search(text.value) or browser_code.LOADS.search(text.value) for text in texts)


def _address(path: str) -> str:
    """Return the address of a call as a host sees it: without its query, with the version."""
    return "/v1" + path.partition("?")[0].rstrip("/") if not path.startswith("/v1/") else path


RULES = (
    Rule(
        "event-without-scope",
        "error",
        "The script handles an event that needs a scope which the manifest does not ask for.",
        "Add the scope to `scopes`, or remove the handler.",
        event_without_scope,
    ),
    Rule(
        "call-without-scope",
        "warning",
        "The script calls an operation that needs a scope which the manifest does not ask for.",
        "Add the scope to `scopes`.",
        call_without_scope,
    ),
    Rule(
        "cookies-without-scope",
        "warning",
        "The published script uses cookies or storage without the scope for it.",
        "Add `site:script:cookies` to `scopes`.",
        cookies_without_scope,
    ),
    Rule(
        "scope-unused",
        "warning",
        "The manifest asks for a scope that nothing in the script needs.",
        "Remove the scope.",
        scope_unused,
    ),
)
