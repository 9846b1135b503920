"""Rules on the content security policy: browsers must not block what the script injects."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from urllib.parse import urlsplit

from devkit.checking import browser_code
from devkit.checking.rule import Rule
from devkit.checking.subject import Subject
from devkit.manifests.findings import Finding
from runtime.contract.security_policy import normalise

FALLBACKS = {
    "script-src": ("script-src-elem", "script-src", "default-src"),
    "style-src": ("style-src-elem", "style-src", "default-src"),
    "frame-src": ("frame-src", "child-src", "default-src"),
}
NETWORK = ("http", "https", "ws", "wss")
PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
SECURED = {"http": "https", "ws": "wss"}


def policy_blocks(subject: Subject) -> Iterator[Finding]:
    """What the published script loads is allowed by the policy that the integration sends with it."""
    directives = _directives(subject)
    if not directives or "fetch_published_script" not in subject.handled:
        return
    for text in browser_code.scripts(subject.code):
        for load in browser_code.loads(text):
            if not any(_allowed(directives, name, load.address) for name in load.directives):
                host = urlsplit(load.address).netloc
                message = (
                    f"the manifest's contentSecurityPolicy blocks {load.address}: "
                    f"add `https://{host}` to `{load.directives[0]}`"
                )
                yield load.spot.finding(message, "policy-blocks", "warning")
        match = browser_code.EVALUATES.search(text.value)
        if match is not None and "'unsafe-eval'" not in (_sources(directives, "script-src") or ["'unsafe-eval'"]):
            message = f"the manifest's contentSecurityPolicy blocks `{match[0]}`: avoid it"
            yield browser_code.spot_of(text, match.start()).finding(message, "policy-blocks", "warning")


def _directives(subject: Subject) -> dict[str, list[str]]:
    policy = subject.project.manifest.content_security_policy
    if not isinstance(policy, (str, dict)):
        return {}
    parts = (part.split() for part in normalise(policy).header.split(";"))
    return {words[0]: words[1:] for words in parts if words}


def _sources(directives: dict[str, list[str]], name: str) -> list[str] | None:
    """Return what a directive lists, or the one that applies in its place; None where nothing restricts."""
    chain = FALLBACKS.get(name, (name, "default-src"))
    return next((directives[directive] for directive in chain if directive in directives), None)


def _allowed(directives: dict[str, list[str]], name: str, address: str) -> bool:
    sources = _sources(directives, name)
    if sources is None or "'strict-dynamic'" in sources:
        return True
    url = urlsplit(address if not address.startswith("//") else f"https:{address}")
    try:
        port = url.port
    except ValueError:  # put together at run time
        port = None
    return any(_matches(source, url.scheme, url.hostname or "", port, url.path) for source in sources)


def _matches(source: str, scheme: str, host: str, port: int | None, path: str) -> bool:
    """Return whether one source covers an address (Content Security Policy 3, section 6.7.2)."""
    if source == "*":
        return scheme in NETWORK
    if source.startswith("'"):
        return False
    if source.endswith(":"):
        return scheme in (source[:-1].lower(), SECURED.get(source[:-1].lower()))
    source_scheme, separator, rest = source.partition("://")
    if separator and scheme not in (source_scheme.lower(), SECURED.get(source_scheme.lower())):
        return False
    where = urlsplit(f"//{rest if separator else source}")
    name, _, wanted_port = where.netloc.lower().partition(":")
    if not fnmatch.fnmatchcase(host.lower(), name):
        return False
    if wanted_port not in ("", "*") and int(wanted_port) != (port or PORTS.get(scheme)):
        return False
    return not where.path or path == where.path or (where.path.endswith("/") and path.startswith(where.path))


RULES = (
    Rule(
        "policy-blocks",
        "warning",
        "The content security policy blocks something that the published script loads.",
        "Add the source to its directive.",
        policy_blocks,
    ),
)
