"""What a script's headers may do: to its own answer what it likes, to the origin only where that is its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

HOP_BY_HOP = frozenset(
    (
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
NEVER = {
    "alt-svc": "leads everybody's next requests to another server; how the host is reached is its operator's to say",
    "clear-site-data": "browsers clear the cookies of the whole domain, other integrations' and sites', too",
    "content-length": "the host counts what it sends",
    "expect-ct": "says how certificates are checked; the certificate is the operator's",
    "public-key-pins": "binds the host to one certificate; the certificate is the operator's",
    "public-key-pins-report-only": "tells somebody else about the operator's certificates",
    "strict-transport-security": "binds every name below, and outlives the integration; the operator says it",
}
"""Headers that no script may send, and why: they reach beyond the origin, or are the host's."""
ON_OWN_ORIGIN = {
    "accept-ch": "what browsers tell of themselves is kept for the whole origin",
    "activate-storage-access": "opens the origin's cookies inside other pages",
    "attribution-reporting-register-source": "registers for the whole origin",
    "attribution-reporting-register-trigger": "registers for the whole origin",
    "cache-group-invalidation": "throws away what the browser keeps of others on the origin (RFC 9875)",
    "cache-groups": "puts an answer among those of others on the origin (RFC 9875)",
    "critical-ch": "what browsers tell of themselves is kept for the whole origin",
    "nel": "has every failed request to the origin reported",
    "observe-browsing-topics": "counts a visit for the whole origin",
    "origin-agent-cluster": "the first answer decides for the whole origin",
    "report-to": "names where browsers report about the whole origin, and is kept",
    "reporting-endpoints": "names where browsers report, as `Report-To` does",
    "secure-session-registration": "binds cookies of the whole origin to a device",
    "sec-session-registration": "binds cookies of the whole origin to a device",
    "service-worker-allowed": "lets a worker stand between readers and sites",
    "set-login": "says for the whole origin whether somebody is signed in",
    "shared-storage-write": "writes into a store of the whole origin",
    "speculation-rules": "has the browser load other pages of the origin as its visitor",
    "use-as-dictionary": "has the browser keep an answer to read others of the origin with (RFC 9842)",
    "www-authenticate": "browsers give what was typed for one to any other of the origin that asks for the same realm",
}
"""Headers that a script may send from an origin of its own only, and why."""
SANDBOX = (
    "sandbox allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups "
    "allow-popups-to-escape-sandbox allow-presentation allow-scripts"
)
"""The policy of everything a script sends from a shared origin: a page may do all but be of that origin.

What is not a page takes no harm by it, and nothing must be known of what browsers take for one.
"""
POLICY = "Content-Security-Policy"
VISITOR_COOKIE = "site_visitor"
"""The cookie by which the host knows a visitor, over plain HTTP; no script sees or sets it."""
BOUND_VISITOR_COOKIE = "__Host-site_visitor-"
"""Begins its name over HTTPS, before the site's id: nobody on a name beside or above can have set such a cookie."""
SESSION_COOKIE, BROWSER_COOKIE = "devkit_session", "devkit_browser"
"""The cookies of somebody who signed in to the platform's pages; over HTTPS their names begin with `__Host-`."""
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]{0,16384}")
COOKIE_NAME = re.compile(r"[^\s=;,\"]{1,200}")
KEPT = frozenset(("expires", "httponly", "max-age", "partitioned", "priority", "samesite", "secure"))
"""Attributes of a cookie that say nothing about where it goes."""


def is_hosts(cookie: str) -> bool:
    """Tell whether the name of a cookie is one of the host's own."""
    bare = cookie.lower().removeprefix("__host-")
    return bare in (SESSION_COOKIE, BROWSER_COOKIE, VISITOR_COOKIE) or bare.startswith(f"{VISITOR_COOKIE}-")


def fits(name: str, value: str) -> bool:
    """Tell whether HTTP can carry a header."""
    return bool(HEADER_NAME.fullmatch(name) and HEADER_VALUE.fullmatch(value))


def kept(headers: Iterable[tuple[str, str]], *, own: bool, place: str, asked: str) -> Iterator[tuple[str, str]]:
    """Give the headers of an answer that go on to whoever asked; on a shared origin with a policy that confines it.

    `own`: it is sent from an origin that is the script's alone. `place` is the path below which the script answers,
    and all that its cookies may be for elsewhere; `asked` is the path that was asked for.
    """
    for name, value in headers:
        small = name.lower()
        if small in HOP_BY_HOP or small in NEVER or (not own and small in ON_OWN_ORIGIN):
            continue
        if small == "set-cookie":
            line = cookie(value, own=own, place=place, asked=asked)
            if line is not None:
                yield name, line
        else:
            yield name, value
    if not own:
        yield POLICY, SANDBOX


def cookie(line: str, *, own: bool, place: str, asked: str) -> str | None:
    """Give a script's cookie as it may be set by the answer at the path `asked`; None for one that may not.

    It is this host's only, whatever domain it names: others below the domain would be sent it, too. On a shared origin
    it stays below the place, which a cookie whose name begins with `__Host-` cannot.
    """
    first, *attributes = (part.strip() for part in line.split(";"))
    name = first.partition("=")[0].strip()
    if not COOKIE_NAME.fullmatch(name) or "=" not in first or is_hosts(name):
        return None
    if not own and name.lower().startswith(("__host-", "__host-http-")):
        return None
    given = [(part.partition("=")[0].strip().lower(), part) for part in attributes]
    said = [part for attribute, part in given if attribute in KEPT]
    # Browsers take the last of several.
    path = next((part.partition("=")[2].strip() for attribute, part in reversed(given) if attribute == "path"), None)
    if path is not None and path.startswith("/"):
        inside = own or path == place or path.startswith(f"{place}/")
        said.append(f"Path={path if inside else place}")
    elif not own and not asked.startswith(f"{place}/"):
        # Browsers would take what is before the last `/` of the address.
        said.append(f"Path={place}")
    return "; ".join([first, *said])


def cookies_for_scripts(header: str) -> str:
    """Give a `Cookie` header without the host's own cookies."""
    parts = (part.strip() for part in header.split(";"))
    return "; ".join(part for part in parts if part and not is_hosts(part.partition("=")[0].strip()))
