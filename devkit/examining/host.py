"""The host that is known: whether it answers, its clock, the token for it, and development mode left on there."""

from __future__ import annotations

import email.utils
import time
from typing import Any

import requests

from devkit import connecting, project
from devkit.client import Client, Refused, part
from devkit.examining.examined import Examined, Place
from devkit.output import Problem
from runtime import version

MOST_SKEW = 30.0
"""Seconds a clock may differ from the host's: tokens and signatures are judged by it."""


def host(place: Place) -> Examined:
    if place.known is None:
        return Examined(
            "warning", "no host is known", "Run `devkit dev` here, or `devkit login --host URL --token TOKEN`."
        )
    if place.answer is None:
        cure = "Start it, or log in to another one with `devkit login`."
        return Examined("problem", f"{place.known.host} does not answer", cure)
    if place.answer.status_code != 200:
        cure = "Look at its log; /readyz says which part is not ready."
        return Examined("problem", f"{place.known.host} answers {place.answer.status_code}", cure)
    return Examined("ok", f"{place.known.host} answers")


def confinement(place: Place) -> Examined:
    """Tell what bounds scripts on the host."""
    if place.known is None or place.answer is None:
        return Examined("ok", "no host to ask")
    try:
        told = requests.get(f"{place.known.host}/readyz", timeout=5).json()["confinement"]
        limits, why, buffers = str(told["limits"]), str(told["why"]), bool(told["buffers"])
        confined = bool(told["sandbox"])
    except (requests.RequestException, ValueError, KeyError, TypeError):
        return Examined("ok", "the host does not tell what bounds its scripts")
    if not confined:
        cure = "Start it with `--sandbox required`, unless every script on it is your own."
        return Examined("warning", "the host runs scripts without a sandbox", cure)
    if not buffers:
        cure = "Let the host mount /proc (in a container: without masked paths), or set a control group aside for it."
        return Examined("warning", f"scripts are bounded by {limits} ({why}), socket buffers are not", cure)
    return Examined("ok", f"scripts are bounded by {limits} ({why})")


def clock(place: Place) -> Examined:
    told = place.answer.headers.get("Date") if place.answer is not None else None
    moment = email.utils.parsedate_to_datetime(told) if told else None
    if moment is None:
        return Examined("ok", "no host to compare with")
    skew = time.time() - moment.timestamp()
    if abs(skew) <= MOST_SKEW:
        return Examined("ok", f"{abs(skew):.0f} s from the host's")
    way = "ahead of" if skew > 0 else "behind"
    return Examined(
        "problem", f"{abs(skew):.0f} s {way} the host's", "Set the clock, for instance with `timedatectl set-ntp true`."
    )


def token(place: Place) -> Examined:
    if place.known is None or place.answer is None:
        return Examined("ok", "no host to ask")
    cure = "Make a token with `devkit init` on the host, then run `devkit login`."
    client = Client(place.known)
    try:
        user = client.call("GET", "/v1/user")
        organizations = client.call("GET", "/v1/orgs", limit=100)["items"]
    except Refused as refused:
        if refused.status in (401, 403, 404):
            return Examined("problem", f"the token is none of a user: {refused.sentence}", cure)
        return Examined("problem", refused.sentence, "Look at the host's log.")
    except Problem as problem:
        return Examined("problem", problem.sentence, "Start the host again.")
    titles = ", ".join(_role(one) for one in organizations) or "no organization"
    found = f"a user's: {user['displayName']}, in {titles}"
    if organizations and not any(one["permissions"]["admin"] for one in organizations):
        return Examined("warning", found, "Publishing needs an administrator's token; ask one for the role `admin`.")
    return Examined("ok", found)


def _role(organization: dict[str, Any]) -> str:
    permissions = organization["permissions"]
    role = "may publish" if permissions["admin"] else "may read" if permissions["view"] else "is a guest"
    return f"{organization['title']} ({role})"


def same_version(place: Place) -> Examined:
    """Compare the host's release with this one's."""
    if place.known is None or place.answer is None:
        return Examined("ok", "no host to compare with")
    try:
        told = Client(place.known).call("GET", "/v1").get("version")
    except (Problem, AttributeError) as problem:
        return Examined("warning", f"the host does not tell its version ({problem})", "Look at what listens there.")
    if told == version.VERSION:
        return Examined("ok", f"host and toolkit are both {told}")
    cure = "Use the same release of both: what one knows the other may not."
    return Examined("warning", f"the host is {told}, this toolkit {version.VERSION}", cure)


def origins(place: Place) -> Examined:
    """Look at whether what scripts send is kept apart by browsers."""
    try:
        ready = connecting.get(f"{place.known.host}/readyz", timeout=5).json() if place.known and place.answer else {}
        told = ready.get("origins")
    except (requests.RequestException, ValueError, AttributeError):
        told = None
    if told is None:
        return Examined("ok", "no host to ask, or one that does not tell")
    if told == "own":
        return Examined("ok", "each integration and each site has its own")
    where = "with the platform itself" if told == "platform" else "with each other"
    return Examined(
        "warning",
        f"integrations and sites share an origin {where}: pages of scripts are confined, and keep nothing",
        "Give them their own with DEVKIT_CONTENT_URL=https://*.content.example; the README says what that needs.",
    )


def development(place: Place) -> Examined:
    """Look for development mode that nobody is behind any more."""
    if place.known is None or place.answer is None:
        return Examined("ok", "no host to ask")
    try:
        path = f"/v1/integrations/{part(project.load(str(place.folder)).manifest.name)}/dev"
        mode = Client(place.known).call("GET", path)
    except Problem:
        return Examined("ok", "no integration of this folder on the host, or none this token may see")
    url = mode["tunnelUrl"]
    if url is None:
        return Examined("ok", "development mode is off")
    if mode.get("connected") or ("connected" not in mode and _answers(url)):
        return Examined("ok", f"development mode is on, and {url} answers")
    known = place.known
    return Examined(
        "warning",
        f"development mode is on, and nobody is behind {url}: events go nowhere",
        "Turn it off.",
        lambda: Client(known).call("DELETE", path),
    )


def _answers(url: str) -> bool:
    try:
        connecting.get(url, timeout=5, allow_redirects=False)
    except requests.RequestException:
        return False
    return True
