"""What a hostile script can do to sites, sessions and authors from its own pages: in each kind of origins, nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
import requests

from tests.browser import hosts
from tests.browser.conditions import wait_until
from tests.browser.hosts import CONTENT, KINDS, Meeting, meeting
from tests.conftest import installed

READ = """async (address) => {
  const seen = [];
  try {
    seen.push(await (await fetch(address, { credentials: "include" })).text());
  } catch (error) {
    seen.push(`kept out: ${error.name}`);
  }
  const frame = document.createElement("iframe");
  const patience = new Promise((done) => setTimeout(done, 10000));
  const loaded = Promise.race([new Promise((done) => frame.addEventListener("load", done)), patience]);
  frame.src = address;
  document.body.append(frame);
  await loaded;
  try {
    seen.push(frame.contentDocument.body.innerText);
  } catch (error) {
    seen.push(`kept out: ${error.name}`);
  }
  return seen.join("\\n");
}"""
READ_WINDOW = """() => {
  try {
    return opened.document.body.innerText;
  } catch (error) {
    return `kept out: ${error.name}`;
  }
}"""
REGISTER = """async (scope) => {
  try {
    const script = location.pathname.replace(/page$/, "worker.js");
    const registered = await navigator.serviceWorker.register(script, { scope });
    return registered.scope;
  } catch (error) {
    return `kept out: ${error.name}`;
  }
}"""
STORED = """() => {
  try {
    return JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie]);
  } catch (error) {
    return `kept out: ${error.name}`;
  }
}"""


@pytest.fixture(scope="module", params=KINDS)
def met(request: Any, browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Meeting]:
    with meeting(request.param, browser.browser_type, tmp_path_factory.mktemp(request.param)) as origins:
        yield origins


@pytest.fixture
def visitor(met: Meeting) -> Iterator[Any]:
    context = met.visitor()
    yield context
    context.close()


def pages(met: Meeting) -> list[str]:
    """Where a hostile script runs: on a page of its own, and on a site it was installed on."""
    return [f"{met.endpoint}/page", met.hostile_site]


def test_another_organizations_site_is_not_read_as_its_visitor(met: Meeting, visitor: Any) -> None:
    for address in pages(met):
        page = visitor.new_page()
        page.goto(address)
        assert "Sign out" not in page.evaluate(READ, met.home), address
        with visitor.expect_page() as opening:
            page.evaluate("(address) => { window.opened = window.open(address); }", met.home)
        opened = opening.value
        # The visitor sees it, and who opened it does not.
        opened.get_by_role("button", name="Sign out").wait_for()
        assert "Sign out" not in page.evaluate(READ_WINDOW), address
    assert met.signed_in(visitor)


def test_nor_from_what_a_browser_might_take_for_a_page(met: Meeting, visitor: Any) -> None:
    kinds = (
        "text/html",
        "application/xhtml+xml",
        "image/svg+xml",
        "text/xml",
        "none",
        "text/html;,",
        "html",
    )
    page = visitor.new_page()
    for kind in kinds:
        page.goto(f"{met.endpoint}/as?kind={quote(kind)}")
        if page.evaluate("Boolean(document.body)"):
            assert "Sign out" not in page.evaluate(READ, met.home), kind


def test_no_service_worker_stands_before_sites(met: Meeting, visitor: Any) -> None:
    page = visitor.new_page()
    for scope in ("/", "/sites/", urlsplit(met.home).path):
        page.goto(f"{met.endpoint}/page")
        page.evaluate(REGISTER, scope)
    page.goto(met.hostile_site)
    page.evaluate(REGISTER, "/sites/")
    page.goto(met.home)
    assert "taken over" not in page.content()
    page.reload()
    assert page.get_by_role("button", name="Sign out").is_visible()


def test_no_header_signs_a_visitor_out(met: Meeting, visitor: Any) -> None:
    page = visitor.new_page()
    page.goto(f"{met.endpoint}/clear")
    assert met.signed_in(visitor)
    name, path = next(
        (cookie["name"], cookie["path"]) for cookie in visitor.cookies() if "site_visitor" in cookie["name"]
    )
    spoiled = [f"{name}=spoiled; Path={at}{domain}" for at in ("/", path) for domain in ("", f"; Domain={CONTENT}")]
    page.goto(f"{met.endpoint}/cookies?lines={quote('|'.join(spoiled))}")
    assert met.signed_in(visitor)


def test_no_other_page_signs_a_visitor_out(met: Meeting, visitor: Any) -> None:
    page = visitor.new_page()
    for address in pages(met):
        page.goto(address)
        post = """async (address) => {
          const form = document.createElement("form");
          Object.assign(form, { method: "post", action: address });
          document.body.append(form);
          form.submit();
        }"""
        with page.expect_navigation():
            page.evaluate(post, f"{met.home}-/sign-out")
        assert met.signed_in(visitor), address


def test_cookies_of_a_script_stay_with_it(met: Meeting, visitor: Any) -> None:
    domain = ".".join((urlsplit(met.endpoint).hostname or "").split(".")[1:]) or "localhost"
    lines = [
        f"wide=1; Path=/; Domain={domain}",
        f"spaced=1; Path=/;\tDOMAIN = .{domain}",
        "root=1; Path=/",
        "sites=1; Path=/sites/",
        "__Host-bound=1; Path=/; Secure",
        "=site_visitor=1; Path=/",
        "mine=1",
    ]
    page = visitor.new_page()
    before = {(cookie["name"], cookie["domain"]) for cookie in visitor.cookies()}
    page.goto(f"{met.endpoint}/cookies?lines={quote('|'.join(lines))}")
    fresh = [cookie for cookie in visitor.cookies() if (cookie["name"], cookie["domain"]) not in before]
    assert {"mine", "wide", "root"} <= {one["name"] for one in fresh}
    here = urlsplit(met.endpoint)
    for one in fresh:
        alone = here.hostname not in ("localhost", urlsplit(met.home).hostname)
        assert one["domain"] == here.hostname, one
        assert alone or one["path"].startswith(f"/v1/integrations/{met.hostile.name}"), one
    # Nor is a script told the cookies by which the host knows visitors.
    page.goto(f"{met.endpoint}/told")
    assert "site_visitor" not in page.content() and "mine=1" in page.content()


# Over plain HTTP a name below the same domain can set any cookie; nobody else's is on this machine.
@pytest.mark.kinds("domain")
def test_a_session_that_somebody_else_set_is_not_believed(met: Meeting) -> None:
    assert met.home.startswith("https:")
    mine = met.visitor()
    (own,) = (cookie for cookie in mine.cookies() if "site_visitor" in cookie["name"])
    victim = met.browser.new_context(ignore_https_errors=True)
    page = victim.new_page()
    page.goto(f"{met.endpoint}/page")
    for name in ("site_visitor", own["name"]):
        for path in ("/", urlsplit(met.home).path):
            line = f"{name}={own['value']}; Domain={CONTENT}; Path={path}; Secure"
            page.evaluate("(line) => { document.cookie = line; }", line)
    assert not met.signed_in(victim)
    mine.close()
    victim.close()


def test_an_authors_token_is_not_read(met: Meeting, visitor: Any) -> None:
    preview = f"{met.public}/preview/{met.hostile.name}/events#key={met.token}"  # it has no screens
    page = visitor.new_page()
    page.goto(preview)
    page.get_by_role("navigation", name="Pages").wait_for()
    assert met.token in page.evaluate(STORED)
    path, port = urlsplit(met.endpoint).path, urlsplit(met.public).port
    origins = {met.public, *(f"http://{name}:{met.process.port}" for name in ("127.0.0.1", "localhost"))}
    if met.public.startswith("https"):
        origins.add(f"https://{CONTENT}:{port}")
    assert page.goto(f"{met.endpoint}/page").status == 200
    page.goto(preview)
    for address in [f"{met.endpoint}/page", *(f"{origin}{path}/page" for origin in sorted(origins))]:
        answered = page.goto(address)
        if answered.status == 404:
            continue  # by the host itself: there is no page of a script that could read anything
        assert met.token not in page.evaluate(STORED), address
        with visitor.expect_page() as opening:
            page.evaluate("(address) => { window.opened = window.open(address); }", preview)
        opening.value.get_by_role("navigation", name="Pages").wait_for()
        script = "() => { try { return opened.sessionStorage['devkit-preview-key']; } catch { return 'kept out'; } }"
        assert page.evaluate(script) in ("kept out", None), address
        opening.value.close()


def test_pages_of_the_platform_are_at_its_origin_alone(met: Meeting) -> None:
    content, home = urlsplit(met.endpoint).netloc, urlsplit(met.home).netloc
    for netloc in {content, home, f"elsewhere.example:{met.process.port}", f"{CONTENT}:1"}:
        for path in (f"/preview/{met.hostile.name}", f"/preview/api/{met.hostile.name}", "/identity/authorize"):
            assert met.direct(f"http://{netloc}{path}").status_code == 404, (netloc, path)


@pytest.mark.kinds("own", "domain")
def test_each_origin_answers_for_one(met: Meeting) -> None:
    own = urlsplit(met.endpoint).netloc
    (other,) = {urlsplit(met.home).netloc} - {own}
    site = urlsplit(met.hostile_site)
    guard = met.guarded.owner.api.get(met.guarded.path).json["urls"]["publicEndpoint"]
    for netloc, path in (
        (other, urlsplit(met.endpoint).path + "/page"),
        (urlsplit(guard).netloc, urlsplit(met.endpoint).path + "/page"),
        (own, urlsplit(guard).path + "/secret"),
        (own, urlsplit(met.home).path),
        (other, site.path),
        (f"deeper.{own}", urlsplit(met.endpoint).path + "/page"),
        (f"nobody-{'a' * 20}.{own.partition('.')[2]}", urlsplit(met.endpoint).path + "/page"),
    ):
        answer = met.direct(f"http://{netloc}{path}")
        assert answer.status_code == 404, (netloc, path)
    assert met.direct(f"{met.endpoint}/page").status_code == 200


def test_tools_on_the_machine_still_reach_scripts(met: Meeting) -> None:
    path = urlsplit(met.endpoint).path
    answer = requests.get(f"{met.process.url}{path}/page", timeout=60)
    if met.public != met.process.url:
        # The host is known by another name here: it is asked by its address, as by a proxy that writes its own name.
        assert urlsplit(met.public).hostname not in met.process.url
    assert (answer.status_code, "hostile" in answer.text) == (200, True)
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    browsers = {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    page_response = met.direct(f"{met.public}{path}/page", headers=browsers)
    assert (page_response.status_code, met.endpoint.partition("/v1")[0] in page_response.text) == (404, True)


def test_a_confined_page_leads_to_one_where_visitors_sign_out(met: Meeting) -> None:
    owner = met.guarded.owner
    script = (
        hosts.GUARD + "\n\n@integration.published_script\ndef script():\n    return 'window.injected = self.origin;'\n"
    )
    integration = installed(owner, script, scopes=["site:visitor:auth", "site:script:inject"], blocks=[])
    guard = {"backend": "integration", "integration": integration.name}
    home = hosts.publish(owner, integration.site, visibility="visitor-auth", visitorAuth=guard)
    there = dataclasses.replace(met, guarded=integration, home=home)
    context = there.visitor()
    page = context.new_page()
    page.goto(home)
    wait_until(page, "window.injected")
    confined = urlsplit(met.endpoint).netloc == urlsplit(home).netloc
    assert (page.evaluate("window.injected") == "null") is confined
    if confined:
        page.get_by_role("link", name="Sign out").click()
        page.get_by_role("heading", name="Sign out?").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_load_state()
    assert not there.signed_in(context)
    context.close()
