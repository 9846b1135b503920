"""Cookies of a signed-in browser, and CSRF protection of forms.

There are two cookies: one of the browser, from the first page on, and one of the session. A form carries a CSRF token
derived from both, so that neither another site nor another session can send it.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, quote

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from runtime.api.anonymous_lanes import lane_of
from runtime.api.answers import error_answer, worded_answer
from runtime.api.auth import Actor
from runtime.api.host import Host
from runtime.api.page_operations import perform
from runtime.api.request_capacity import ANONYMOUS
from runtime.api.script_headers import BROWSER_COOKIE, SESSION_COOKIE
from runtime.contract import errors
from runtime.contract.origins import authority_of
from runtime.store.epoch_cache import Basis
from runtime.store.secrets import keyring
from runtime.web.admin.file_forms import SentFile, read_form_with_file
from runtime.web.admin.typed_texts import typed_texts
from runtime.web.admin.wording import on_page
from runtime.web.origins import on_public_origin
from runtime.web.templates import TEMPLATES

PATH = "/app"
MAX_FORM = 64 * 1024
MAX_FIELDS = 250
SIGNED_OUT = (f"{PATH}/sign-in", f"{PATH}/first/", f"{PATH}/join/")
"""Pages for people who are not signed in."""
TOKEN_HEADER = "X-CSRF-Token"
LONGEST_COOKIE = 200
STALE_FORM = (
    "This form has expired, or comes from another site. Open the page of the form again, and submit it from there."
)
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)


@dataclass(slots=True)
class OperatorVisit:
    """One request of a browser: its cookies, and the signed-in person, if any."""

    host: Host
    browser: str
    session: str
    basis: Basis
    actor: Actor | None
    is_new: bool
    begun: tuple[str, datetime] | None = None
    ended: bool = False
    form: dict[str, str] = field(default_factory=dict)
    file: SentFile | None = None

    @property
    def csrf_token(self) -> str:
        """The token that every form of this browser and session carries."""
        key = keyring().derive("forms of pages")
        return hmac.new(key, f"{self.browser} {self.session}".encode(), "sha256").hexdigest()

    @property
    def owner(self) -> str:
        """The owner whose share of threads, streams and other scarce resources the visit uses."""
        return self.actor.owner if self.actor is not None else ANONYMOUS

    @property
    def lane(self) -> str:
        """In whose line the visit waits for the interpreter."""
        return self.owner or lane_of(request.environ)

    def person(self) -> Actor:
        """Return who is signed in; raises Unauthorized."""
        if self.actor is None:
            raise errors.Unauthorized("Sign in first.")
        return self.actor

    def reauthenticate(self) -> None:
        """Find again who is signed in: whoever sends a form decides when it ends, and may have been signed out."""
        self.basis = self.host.database.basis()
        if self.actor is None:
            return
        try:
            with self.host.capacity.turns.of(self.lane):
                self.actor = self.host.authenticator.browser(self.session, self.basis)
        except errors.Unauthorized:
            self.actor = None

    def do(self, operation: str, path: Mapping[str, str], **more: Any) -> Any:
        """Run an operation as the signed-in person; raises Unauthorized, and what the operation raises."""
        return perform(self.host, self.person(), self.host.database.basis(), operation, path, **more)

    def page(self, template: str, status: int = 200, *, policy: str = POLICY, **values: Any) -> Response:
        """Render a page; `policy` is its content security policy."""
        user = self.actor.reach.user_id if self.actor is not None else None
        fixed = {"csrf_token": self.csrf_token, "form_key": secrets.token_urlsafe(16), "user": user}
        text = TEMPLATES.get_template(f"admin/{template}.html").render(**fixed, **values)
        return Response(text, status, {"Content-Security-Policy": policy}, mimetype="text/html")

    def to(self, place: str) -> Response:
        """Redirect the browser to another page of the platform."""
        return Response(b"", 303, {"Location": place})

    def begin(self, value: str, until: datetime) -> None:
        """Set the cookie of a new session, and replace the browser's secret."""
        self.begun, self.ended, self.browser, self.is_new = (value, until), False, secrets.token_urlsafe(24), True


View = Callable[..., Response]


def add_page(
    app: Flask, host: Host, rule: str, view: View, *methods: str, foreign: bool = False, most_file: int = 0
) -> None:
    """Add a page: `view` is given the visit and the path's values.

    What is sent by POST must come from a form of ours, unless it is `foreign`, for what other sites have browsers send.
    It may have a file of `most_file` bytes, where who sends it is signed in.
    """

    def answer(**path: str) -> Response:
        visit = _visit(host)
        try:
            if request.method == "POST":
                if most_file:
                    visit.form, visit.file = read_form_with_file(
                        host, visit.person().owner, MAX_FORM, most_file, again=visit.reauthenticate
                    )
                else:
                    visit.form = host.capacity.read(
                        visit.owner, lambda: read_form(foreign=foreign, most=MAX_FORM), again=visit.reauthenticate
                    )
                if not foreign:
                    _check_form(host, visit, visit.form.get("csrf", ""))
            with host.capacity.turns.of(visit.lane):
                made = view(visit, **path)
        except errors.Unauthorized:
            made = _to_sign_in(host, visit)
        except HTTPException:
            raise
        except Exception as error:
            said = error_answer(error, f"{request.method} {request.path}")
            told = json.loads(said.body)["error"]["message"]
            text = on_page(error) if isinstance(error, errors.ApiError) else told
            made = visit.page("message", said.status, title="Something went wrong", text=text)
            made.headers.update({name: value for name, value in said.headers if name == "Retry-After"})
        made.headers["Cache-Control"] = "no-store"
        # Without any referrer browsers would not say of a form of ours which origin it comes from.
        made.headers["Referrer-Policy"] = "same-origin"
        _keep(host, visit, made)
        return made

    app.add_url_rule(rule, f"page {rule} {methods}", on_public_origin(host, answer), methods=methods)


def _to_sign_in(host: Host, visit: OperatorVisit) -> Response:
    """Have somebody sign in, who then returns to the page they wanted.

    What was typed into a form of ours is shown beside; of what other sites have a browser send, nothing is.
    """
    wanted = _wanted_page(host)
    if wanted and request.method == "POST" and request.headers.get("Origin") and _is_of_ours(host):
        return visit.page("sign_in", 403, next=wanted, lost=typed_texts(visit.form), unsaved=True)
    return visit.to(f"{PATH}/sign-in{f'?next={quote(wanted)}' if wanted else ''}")


def _wanted_page(host: Host) -> str:
    """Return the path of the page that somebody wanted, or of the form they sent; "" for the first page.

    Also "" for the pages of those who are not signed in.
    """
    path = request.path if request.method == "GET" else host.addresses.path_of(request.referrer or "")
    if not path.startswith(f"{PATH}/") or path.startswith(SIGNED_OUT):
        return ""
    routes = current_app.create_url_adapter(request)
    return path if routes is not None and routes.test(path, method="GET") else ""


def add_answer(app: Flask, host: Host, rule: str, view: View) -> None:
    """Add a POST route for a page's module, which sends the CSRF token in a header."""

    def answer(**path: str) -> Response:
        visit = _visit(host)
        try:
            _check_form(host, visit, request.headers.get(TOKEN_HEADER, ""))
            with host.capacity.turns.of(visit.lane):
                made = view(visit, **path)
        except errors.ApiError as error:
            made = worded_answer(error, on_page(error)).response()
        made.headers["Cache-Control"] = "no-store"
        return made

    app.add_url_rule(rule, f"answer {rule}", on_public_origin(host, answer), methods=("POST",))


def read_form(*, foreign: bool, most: int) -> dict[str, str]:
    """Read a form that was sent; raises TooLarge, BadRequest, and UnsupportedMediaType for what is no form."""
    if request.mimetype != "application/x-www-form-urlencoded":
        raise errors.UnsupportedMediaType("Send this as a form (application/x-www-form-urlencoded).")
    request.max_content_length = most if not foreign else 512 * 1024
    text = request.get_data().decode(errors="replace")
    try:
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError:
        raise errors.BadRequest(f"A form has at most {MAX_FIELDS} fields.") from None


def _visit(host: Host) -> OperatorVisit:
    browser, session = _cookie(host, BROWSER_COOKIE), _cookie(host, SESSION_COOKIE)
    basis = host.database.basis()
    actor = None
    if session:
        waits_as = host.authenticator.last_seen_browser(session) or lane_of(request.environ)
        try:
            with host.capacity.turns.of(waits_as):
                actor = host.authenticator.browser(session, basis)
        except errors.Unauthorized:
            session = ""
    is_new = not browser
    return OperatorVisit(host, browser or secrets.token_urlsafe(24), session, basis, actor, is_new)


def _check_form(host: Host, visit: OperatorVisit, token: str) -> None:
    if not _is_of_ours(host) or visit.is_new or not hmac.compare_digest(token.encode(), visit.csrf_token.encode()):
        if visit.actor is None and _wanted_page(host):
            raise errors.Unauthorized("You are signed out.")  # which leads back to the page of the form
        raise errors.Forbidden(STALE_FORM)


def _is_of_ours(host: Host) -> bool:
    """Return whether a form comes from a page at our address, as far as the browser says."""
    origin = request.headers.get("Origin")
    try:
        return origin is None or authority_of(origin) == host.addresses.public
    except ValueError:
        return False


def _is_secure(host: Host) -> bool:
    return host.addresses.public_url.startswith("https:")


def _name(host: Host, cookie: str) -> str:
    return f"__Host-{cookie}" if _is_secure(host) else cookie


def _cookie(host: Host, cookie: str) -> str:
    value = request.cookies.get(_name(host, cookie), "")
    return value if len(value) <= LONGEST_COOKIE else ""


def _keep(host: Host, visit: OperatorVisit, answer: Response) -> None:
    fixed: dict[str, Any] = {"httponly": True, "samesite": "Lax", "secure": _is_secure(host), "path": "/"}
    if visit.is_new:
        answer.set_cookie(_name(host, BROWSER_COOKIE), visit.browser, max_age=30 * 24 * 3600, **fixed)
    if visit.begun is not None:
        value, until = visit.begun
        answer.set_cookie(_name(host, SESSION_COOKIE), value, expires=until, **fixed)
    elif visit.ended:
        answer.delete_cookie(_name(host, SESSION_COOKIE), **fixed)
