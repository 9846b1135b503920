"""Simulates the platform's API without a host: a script finds plausible objects around its installation.

It is stateless: a change returns the unchanged object. Operations that are not in the table get no response, like the
rest of the internet.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from devkit.offline.plausible import plausible
from devkit.offline.simulated_host import MOMENT, NOWHERE, ORGANIZATION, SITE, SPACE
from runtime.contract.base import WireModel
from runtime.contract.content import Revision, RevisionFile
from runtime.contract.installations import InstallationStatus, TemporaryToken
from runtime.contract.members import OrganizationMember
from runtime.contract.organizations import Organization, User
from runtime.contract.site_structure import SiteSection, SiteSpace
from runtime.contract.sites import Site
from runtime.contract.spaces import Space
from runtime.contract.timestamps import wire_time
from runtime.engines.egress import EgressRules
from runtime.engines.own_tls import OwnAuthority

Environment = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Ids of an event -> what the script's environment has then: its integration, installation, and parts of that."""
Names = Mapping[str, str]
"""What a path names."""
PAGE = {
    "id": "page-offline",
    "title": "Example page",
    "kind": "sheet",
    "type": "document",
    "path": "example",
    "slug": "example",
    "createdAt": wire_time(MOMENT),
    "updatedAt": wire_time(MOMENT),
    "pages": [],
    "urls": {"app": f"{NOWHERE}/app/page"},
}
PARAGRAPH = {
    "object": "block",
    "type": "paragraph",
    "isVoid": False,
    "data": {},
    "nodes": [{"object": "text", "leaves": [{"object": "leaf", "text": "An example.", "marks": []}]}],
}
DOCUMENT = {"object": "document", "data": {}, "nodes": [PARAGRAPH]}


def _user(_: Names) -> Any:
    return plausible(User, id="user-offline", display_name="Example Person", email="person@example.com")


def _organization(names: Names) -> Any:
    return plausible(Organization, id=names.get("organization", ORGANIZATION), title="Example organization")


def _member(_: Names) -> Any:
    return plausible(OrganizationMember, id="user-offline", role="admin", user=_user({}))


def _space(names: Names) -> Any:
    return plausible(Space, id=names.get("space", SPACE), title="Example space", organization=ORGANIZATION)


def _site(names: Names) -> Any:
    return plausible(Site, id=names.get("site", SITE), title="Example site", published=True)


def _site_space(_: Names) -> Any:
    return plausible(SiteSpace, id="site-space-offline", space=_space({}), title="Example space", path="example")


def _section(_: Names) -> Any:
    return plausible(SiteSection, id="section-offline", title="Example section", path="example")


def _revision(names: Names) -> Any:
    return plausible(Revision, id=names.get("revision", "revision-offline"), pages=[PAGE])


def _file(_: Names) -> Any:
    return plausible(RevisionFile, id="file-offline", name="example.png", content_type="image/png")


def _page(names: Names) -> Any:
    return {**PAGE, "id": names.get("page", PAGE["id"]), "document": DOCUMENT}


def _listed(one: Callable[[Names], Any]) -> Callable[[Names], Any]:
    def whole(names: Names) -> Any:
        return {"items": [_json(one({}))], "count": 1}

    return whole


CONTENT = r"/spaces/(?P<space>[^/]+)(?:/revisions/(?P<revision>[^/]+)|/content|/change-requests/[^/]+/content)"
ORG = r"/orgs/(?P<organization>[^/]+)"
Table = Sequence[tuple[str, Callable[[Names], Any]]]
OBJECTS: Table = (
    (r"/user", _user),
    (r"/users/[^/]+", _user),
    (r"/orgs", _listed(_organization)),
    (ORG, _organization),
    (rf"{ORG}/members", _listed(_member)),
    (rf"{ORG}/members/[^/]+", _member),
    (rf"{ORG}/spaces", _listed(_space)),
    (rf"{ORG}/sites", _listed(_site)),
    (rf"{ORG}/sites/(?P<site>[^/]+)", _site),
    (rf"{ORG}/sites/[^/]+/site-spaces", _listed(_site_space)),
    (rf"{ORG}/sites/[^/]+/sections", _listed(_section)),
    (r"/spaces/(?P<space>[^/]+)", _space),
    (CONTENT, _revision),
    (rf"{CONTENT}/pages", lambda _: {"pages": [PAGE]}),
    (rf"{CONTENT}/files", _listed(_file)),
    (rf"{CONTENT}/files/[^/]+", _file),
    (rf"{CONTENT}/page/(?P<page>[^/]+)", _page),
    (rf"{CONTENT}/page/(?P<page>[^/]+)/document", lambda _: DOCUMENT),
    (rf"{CONTENT}/path/.+", _page),
)
"""Path below /v1 -> what is there."""
INSTALLATIONS = r"/integrations/[^/]+/installations"


class SimulatedApi:
    """A server for the scripts of one project."""

    def __init__(self, environment: Environment) -> None:
        """Start the server; `environment` is called for each request, since a configuration may change."""
        self._environment = environment

        class Handler(_Handler):
            answer = staticmethod(self.answer)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def rules(self, resolver: Callable[..., Any]) -> EgressRules:
        """Return the rules under which a script reaches this API by the address it knows, and what `resolver` finds."""
        host = urlsplit(NOWHERE).hostname
        return EgressRules(
            own={f"{host}:443": ("127.0.0.1", self._server.server_port)}, authority=OwnAuthority(), resolver=resolver
        )

    def answer(self, method: str, path: str) -> Any:
        """Return what a request is answered with, None for an empty answer; raises LookupError where nobody answers."""
        if not path.startswith("/v1/"):
            raise LookupError(path)
        place = path.removeprefix("/v1").rstrip("/")
        if method == "POST" and re.fullmatch(r"/integrations/[^/]+/tasks", place):
            return None
        if method == "POST" and re.fullmatch(rf"{INSTALLATIONS}/[^/]+/tokens", place):
            return plausible(TemporaryToken, token="offline")
        table = {"GET": (*self._own, *OBJECTS), "PATCH": self._own, "PUT": self._own}.get(method, ())
        for pattern, make in table:
            match = re.fullmatch(pattern, place)
            if match is not None:
                return make({name: unquote(value) for name, value in match.groupdict().items() if value})
        raise LookupError(path)

    @cached_property
    def _own(self) -> Table:
        """Return an object of the environment, unchanged."""

        def integration(_: Names) -> Any:
            return self._environment({})["integration"]

        def installation(_: Names) -> Any:
            return self._environment({})["installation"]

        def space(names: Names) -> Any:
            return self._environment({"spaceId": names.get("space", SPACE)})["spaceInstallation"]

        def site(names: Names) -> Any:
            return self._environment({"siteId": names.get("site", SITE)})["siteInstallation"]

        return (
            (r"/integrations/[^/]+", integration),
            (r"/integrations/[^/]+/spaces", _listed(space)),
            (r"/integrations/[^/]+/sites", _listed(site)),
            (INSTALLATIONS, _listed(installation)),
            (rf"{INSTALLATIONS}/[^/]+", installation),
            (rf"{INSTALLATIONS}/[^/]+/spaces", _listed(space)),
            (rf"{INSTALLATIONS}/[^/]+/spaces/(?P<space>[^/]+)", space),
            (rf"{INSTALLATIONS}/[^/]+/sites", _listed(site)),
            (rf"{INSTALLATIONS}/[^/]+/sites/(?P<site>[^/]+)", site),
            (rf"{ORG}/integrations/[^/]+/installation_status", lambda _: plausible(InstallationStatus)),
        )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answer: Callable[[str, str], Any]

    def _any(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.close_connection = True
        try:
            found = self.answer(self.command, urlsplit(self.path).path)
        except LookupError:  # the connection ends without an answer: nobody is there
            return
        content = b"" if found is None else json.dumps(_json(found)).encode()
        self.send_response(200 if content else 204)
        if content:
            self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _any

    def log_message(self, *_: Any) -> None:
        """Stay silent: what a check says is about the project."""


def _json(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True) if isinstance(value, WireModel) else value
