"""The host that is known: whether it answers, its clock, the token for it, and development mode left on there."""

from __future__ import annotations

import email.utils
import time
from typing import Any

import requests

from devkit.diagnostics.result import Examination, Place
from devkit.hosts import connections, response_shapes
from devkit.hosts.client import Client, RequestRefused, part
from devkit.hosts.distances import Distance
from devkit.hosts.named_addresses import opened
from devkit.projects import project as projects
from devkit.terminal.output import Problem
from runtime import version

PATIENCE = 5.0
"""Seconds that the address of development mode may take."""
MAX_SKEW = 30.0
"""Seconds a clock may differ from the host's: tokens and signatures are judged by it."""


def host(place: Place) -> Examination:
    if place.known is None:
        return Examination("warning", "no host is known", "Run `devkit dev` here, or `devkit login --host URL`.")
    if place.answer is None:
        cure = "Start it, or log in to another one with `devkit login`."
        return Examination("problem", f"{place.known.host} does not answer", cure)
    if place.answer.status_code != 200:
        cure = "Look at its log; /readyz says which part is not ready."
        return Examination("problem", f"{place.known.host} answers {place.answer.status_code}", cure)
    return Examination("ok", f"{place.known.host} answers")


def confinement(place: Place) -> Examination:
    """Return what bounds scripts on the host."""
    if place.known is None or place.answer is None:
        return Examination("skipped", "no host to ask")
    try:
        confinement_ = Client(place.known).call("GET", "/readyz")["confinement"]
        limits, why, buffers = str(confinement_["limits"]), str(confinement_["why"]), bool(confinement_["buffers"])
        confined = bool(confinement_["sandbox"])
    except (Problem, KeyError, TypeError):
        return Examination("skipped", "the host does not report how its scripts are limited")
    if not confined:
        cure = "Start it with `--sandbox required`, unless every script on it is your own."
        return Examination("warning", "the host runs scripts without a sandbox", cure)
    if not buffers:
        cure = "Let the host mount /proc (in a container: without masked paths), or set aside a control group for it."
        return Examination("warning", f"scripts are limited by {limits} ({why}); socket buffers are not limited", cure)
    return Examination("ok", f"scripts are limited by {limits} ({why})")


def clock(place: Place) -> Examination:
    date = place.answer.headers.get("Date") if place.answer is not None else None
    if date is None:
        return Examination("skipped", "no host to compare with")
    try:
        moment = email.utils.parsedate_to_datetime(date)
    except ValueError:
        return Examination(
            "warning",
            f"the `Date` header of the host cannot be read: {date}",
            "Check which program answers at that address.",
        )
    skew = time.time() - moment.timestamp()
    if abs(skew) <= MAX_SKEW:
        return Examination("ok", f"{abs(skew):.0f} s from the host's")
    way = "ahead of" if skew > 0 else "behind"
    return Examination(
        "problem", f"{abs(skew):.0f} s {way} the host's", "Set the clock, for instance with `timedatectl set-ntp true`."
    )


def token(place: Place) -> Examination:
    if place.known is None or place.answer is None:
        return Examination("skipped", "no host to ask")
    cure = "Create a token with `devkit init` on the host, then run `devkit login`."
    client = Client(place.known)
    try:
        user = client.call("GET", "/v1/user", shape=response_shapes.USER)
        organizations = list(client.every("/v1/orgs", shape=response_shapes.ORGANIZATION))
    except RequestRefused as refused:
        if refused.status in (401, 403, 404):
            return Examination("problem", f"the token does not belong to a user: {refused.sentence}", cure)
        return Examination("problem", refused.sentence, "Look at the host's log.")
    except Problem as problem:
        return Examination("problem", problem.sentence, "Start the host again.")
    titles = ", ".join(_role(organization) for organization in organizations) or "no organization"
    found = f"a user's: {user['displayName']}, in {titles}"
    if organizations and not any(organization["permissions"]["admin"] for organization in organizations):
        return Examination("warning", found, "Publishing needs an administrator's token; ask one for the role `admin`.")
    return Examination("ok", found)


def _role(organization: dict[str, Any]) -> str:
    permissions = organization["permissions"]
    role = "may publish" if permissions["admin"] else "may read" if permissions["listMembers"] else "is a guest"
    return f"{organization['title']} ({role})"


def same_version(place: Place) -> Examination:
    """Compare the host's release with this one's."""
    if place.known is None or place.answer is None:
        return Examination("skipped", "no host to compare with")
    try:
        host_version = Client(place.known).call("GET", "/v1").get("version")
    except (Problem, AttributeError) as problem:
        return Examination(
            "warning", f"the host does not report its version ({problem})", "Check which program listens there."
        )
    if host_version == version.VERSION:
        return Examination("ok", f"host and toolkit are both {host_version}")
    cure = "Use the same release of both: one may not know features of the other."
    return Examination("warning", f"the host is {host_version}, this toolkit {version.VERSION}", cure)


def origins(place: Place) -> Examination:
    """Look at whether what scripts send is kept apart by browsers."""
    try:
        asked = Client(place.known) if place.known and place.answer is not None else None
        configured = asked.call("GET", "/readyz").get("origins") if asked is not None else None
    except Problem:
        configured = None
    if configured is None:
        return Examination("skipped", "no host to ask, or the host does not report it")
    if configured == "own":
        return Examination("ok", "each integration and each site has its own")
    where = "with the platform itself" if configured == "platform" else "with each other"
    return Examination(
        "warning",
        f"integrations and sites share an origin {where}: pages of scripts are sandboxed, without cookies or storage",
        "Give them origins of their own with DEVKIT_CONTENT_URL=https://*.content.example; "
        "docs/hosting.md says what that needs.",
    )


def development(place: Place) -> Examination:
    """Look for development mode that nobody is behind any more."""
    if place.known is None or place.answer is None:
        return Examination("skipped", "no host to ask")
    try:
        path = f"/v1/integrations/{part(projects.load(str(place.folder)).manifest.name)}/dev"
        client = Client(place.known)
        mode = client.call("GET", path, shape=response_shapes.MODE)
    except Problem:
        return Examination("skipped", "the integration in this folder is not on the host, or this token may not see it")
    url = mode.get("tunnelUrl")
    if url is None:
        return Examination("ok", "development mode is off")
    if mode.get("connected") or ("connected" not in mode and answers(url, client.distance)):
        return Examination("ok", f"development mode is on, and {url} answers")
    known = place.known
    return Examination(
        "warning",
        f"development mode is on, but nothing answers at {url}: events are not delivered",
        "Turn it off.",
        lambda: Client(known).call("DELETE", path),
    )


def answers(url: str, distance: Distance | None) -> bool:
    """Return whether anything answers at an address that a host named, whose own distance is given."""
    try:
        with connections.session() as session, opened(session, "GET", url, distance, PATIENCE, timeout=PATIENCE):
            return True
    except (requests.RequestException, Problem):
        return False
