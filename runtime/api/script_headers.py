"""Filters headers of scripts: those that act on the origin are allowed only on an origin of the script's own."""

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
"""Headers that no script may send, and why: they act beyond the origin, or belong to the host."""
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
"""Headers that a script may send only from an origin of its own, and why."""
SANDBOX = (
    "sandbox allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups "
    "allow-popups-to-escape-sandbox allow-presentation allow-scripts"
)
"""The policy of everything a script sends from a shared origin: pages get an opaque origin, and no other limits.

It does not affect anything but pages, so the host need not know what browsers treat as a page.
"""
POLICY = "Content-Security-Policy"
VISITOR_COOKIE = "site_visitor"
"""The cookie that identifies a visitor over plain HTTP; scripts can neither see nor set it."""
BOUND_VISITOR_COOKIE = "__Host-site_visitor-"
"""Prefix of its name over HTTPS, before the site's id: no sibling or parent domain can set such a cookie."""
SESSION_COOKIE, BROWSER_COOKIE = "devkit_session", "devkit_browser"
"""The cookies of somebody who signed in to the platform's pages; over HTTPS their names begin with `__Host-`."""
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]{0,16384}")
COOKIE_NAME = re.compile(r"[^\s=;,\"]{1,200}")
KEPT = frozenset(("expires", "httponly", "max-age", "partitioned", "priority", "samesite", "secure"))
"""Attributes of a cookie that do not affect where it is sent."""


def is_hosts(cookie: str) -> bool:
    """Return whether the name of a cookie is one of the host's own."""
    bare = cookie.lower().removeprefix("__host-")
    return bare in (SESSION_COOKIE, BROWSER_COOKIE, VISITOR_COOKIE) or bare.startswith(f"{VISITOR_COOKIE}-")


def fits(name: str, value: str) -> bool:
    """Return whether a header is valid in HTTP."""
    return bool(HEADER_NAME.fullmatch(name) and HEADER_VALUE.fullmatch(value))


def kept(headers: Iterable[tuple[str, str]], *, own: bool, place: str, asked: str) -> Iterator[tuple[str, str]]:
    """Yield the headers of an answer that are passed on; on a shared origin, with a policy that sandboxes it.

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
    """Return a script's cookie as it may be set by the answer at the path `asked`; None for one that may not.

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
    """Return a `Cookie` header without the host's own cookies."""
    parts = (part.strip() for part in header.split(";"))
    return "; ".join(part for part in parts if part and not is_hosts(part.partition("=")[0].strip()))
