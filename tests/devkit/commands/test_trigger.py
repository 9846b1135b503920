"""`devkit trigger`: every type of event, and signed requests to the public endpoint."""

from __future__ import annotations

import base64
import hashlib
import hmac
import importlib.util
import json
from pathlib import Path

import pytest

from devkit.events import payloads
from devkit.events.signing import SIGNERS
from runtime.contract import event_examples
from runtime.contract.events import EVENTS
from tests.conftest import Installed, Tenant, wait_for
from tests.devkit.commands.editor import editor
from tests.devkit.commands.listener import listener
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import SAMPLES

SECRET = "a secret nobody should see"


@pytest.fixture(scope="module")
def hears(alpha: Tenant) -> Installed:
    return listener(alpha)


def test_every_type_has_a_fixture_that_is_of_its_type() -> None:
    assert set(event_examples.EVENTS) == set(EVENTS)
    for kind in EVENTS:
        created = payloads.parse(json.dumps(event_examples.payload(kind)), kind)
        assert payloads.check(created) == []


@pytest.mark.parametrize("kind", [kind for kind in EVENTS if kind != "fetch"])
def test_every_type_reaches_the_script(kind: str, logged_in: Shell, hears: Installed) -> None:
    sent = logged_in("trigger", kind, "--integration", hears.name, "--json")
    assert sent.code == 0, sent.err
    (event,) = sent.json["events"]
    assert ("answer" in sent.json) is EVENTS[kind].waits
    path = f"{hears.path}/events/{event}"

    def ended() -> object:
        hears.owner.api.get(f"{hears.path}/events", limit=1)
        return (body := hears.owner.api.get(path)).status == 200 and "trace" in body.json and body.json

    message = wait_for(ended, 60)
    assert message["event"]["payload"]["type"] == kind
    assert message["event"]["status"] == "success", message


def test_a_render_shows_its_answer(logged_in: Shell, hears: Installed) -> None:
    sent = logged_in("trigger", "ui_render", "--set", "props.a=1", "--integration", hears.name, "--json")
    output = json.loads(sent.json["answer"]["body"])
    assert output["element"]["children"][0]["children"] == ['drawn {"a": 1}']
    missing = logged_in("trigger", "ui_render", "--set", "componentId=nothing", "--integration", hears.name)
    assert (missing.code, missing.err.count("\n")) == (1, 1)
    assert "the script answered 404" in missing.err


def test_an_event_goes_to_one_installation_or_none(logged_in: Shell, hears: Installed) -> None:
    named = ("--integration", hears.name)
    sent = logged_in("trigger", "installation_setup", "--installation", hears.installation, *named, "--count", "2")
    assert sent.code == 0, sent.err
    done = logged_in("trigger", "installation_setup", "--installation", "nobody", *named)
    assert (done.code, "event.installationId: the owner has no such installation" in done.err) == (1, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "visitor: {anonymousId: a, cookies: {}, userAgent: u, ip: i}\nreferrer: ''\nurl: 5\n",
            "body.yaml:3:1: url: must be a text",
        ),
        ("url: [\n", "body.yaml:2:1: is not JSON or YAML"),
        ("- a\n", "must contain a JSON object"),
        ("visitor: 2026-01-01\n", "body.yaml:1:1: visitor"),
        ("visitor: !!binary aGk=\n", "that JSON can express"),
    ],
)
def test_faults_of_a_file_name_their_place(
    text: str, words: str, logged_in: Shell, hears: Installed, tmp_path: Path
) -> None:
    (tmp_path / "body.yaml").write_text(text)
    done = logged_in("trigger", "site_view", "--body", "body.yaml", "--integration", hears.name)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert words in done.err


def test_an_edited_payload_is_checked(logged_in: Shell, hears: Installed, tmp_path: Path) -> None:
    named = ("trigger", "space_visibility_updated", "--edit", "--integration", hears.name, "--json")
    good = logged_in(*named, EDITOR=editor(tmp_path, "visibility: public", "visibility: unlisted"), VISUAL="")
    assert good.code == 0, good.err
    event = good.json["events"][0]
    events = wait_for(
        lambda: (entry := hears.owner.api.get(f"{hears.path}/events/{event}")).status == 200 and entry.json
    )
    assert events["event"]["payload"]["visibility"] == "unlisted"
    bad = logged_in(*named, EDITOR=editor(tmp_path, "visibility: public", "visibility: dim"), TMPDIR=str(tmp_path))
    assert (bad.code, bad.err.count("\n")) == (1, 1)
    assert ".yaml:4:1: visibility: must be" in bad.err
    none = logged_in(*named, EDITOR="false", VISUAL="")
    assert (none.code, none.out, none.err.count("\n")) == (1, "", 1)
    assert "set EDITOR" in none.err
    (file,) = tmp_path.glob("space_visibility_updated-*.yaml")
    assert f"--body {file}" in bad.err
    assert "visibility: dim" in file.read_text()


def verified(kind: str, headers: dict[str, str], body: str) -> bool:
    """Verify a signature as the receiver's side of each sender's documentation says."""
    if kind == "github":
        digest = hmac.new(SECRET.encode(), body.encode("latin-1"), "sha256").hexdigest()
        return headers["x-hub-signature-256"] == f"sha256={digest}"
    if kind == "slack":
        text = b":".join([b"v0", headers["x-slack-request-timestamp"].encode(), body.encode("latin-1")])
        return headers["x-slack-signature"] == "v0=" + hmac.new(SECRET.encode(), text, "sha256").hexdigest()
    if kind == "stripe":
        parts = dict(part.split("=", 1) for part in headers["stripe-signature"].split(","))
        text = parts["t"].encode() + b"." + body.encode("latin-1")
        return parts["v1"] == hmac.new(SECRET.encode(), text, hashlib.sha256).hexdigest()
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body.encode("latin-1")
    key = base64.b64decode(base64.b64encode(SECRET.encode()))
    digest = base64.b64encode(hmac.new(key, text, "sha256").digest()).decode()
    return headers["webhook-signature"] == f"v1,{digest}"


@pytest.mark.parametrize("kind", SIGNERS)
def test_signed_requests_arrive_as_their_senders_sign_them(
    kind: str, logged_in: Shell, hears: Installed, tmp_path: Path
) -> None:
    body = tmp_path / "body"
    body.write_bytes("payload=%7B%7D&text=grüß".encode())
    secret = SECRET if kind != "standard-webhooks" else "whsec_" + base64.b64encode(SECRET.encode()).decode()
    common = ("trigger", "fetch", "--path", "/hook?a=1", "--body", "body", "--sign", kind, "--integration", hears.name)
    sent = logged_in(*common, "--json", DEVKIT_SIGNING_SECRET=secret)
    assert sent.code == 0, sent.err
    content = json.loads(sent.json["body"])
    assert content["url"].endswith("/integration/hook?a=1")
    assert content["headers"]["content-type"] == "application/x-www-form-urlencoded"
    assert content["body"].encode("latin-1") == body.read_bytes()
    assert verified(kind, content["headers"], content["body"])
    assert "authorization" not in content["headers"]
    assert secret not in sent.out + sent.err
    text = logged_in(*common, "--secret", secret)
    assert (text.code, secret in text.out + text.err) == (0, False)


def test_signatures_are_those_of_published_examples() -> None:
    github = SIGNERS["github"]("It's a Secret to Everybody", b"Hello, World!", 0, "")
    assert github["X-Hub-Signature-256"] == "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
        b"&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
        b"&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
        b"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    slack = SIGNERS["slack"]("8f742231b10e8888abcd99yyyzzz85a5", body, 1531420618, "")
    assert slack["X-Slack-Signature"] == "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    message = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    standard = SIGNERS["standard-webhooks"](
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}', 1614265330, message
    )
    assert standard["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_standard_webhooks_agree_with_the_sample_that_sends_them() -> None:
    spec = importlib.util.spec_from_file_location("webhook_sample", SAMPLES / "webhook" / "integration.py")
    assert spec is not None
    assert spec.loader is not None
    sample = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sample)
    secret = "whsec_" + base64.b64encode(b"0123456789").decode()
    assert SIGNERS["standard-webhooks"](secret, b"{}", 5, "m")["webhook-signature"] == sample.signature(
        secret, "m", 5, "{}"
    )


def test_requests_go_to_each_level(logged_in: Shell, hears: Installed) -> None:
    named = ("--method", "patch", "--integration", hears.name, "--json")
    installation_options = ("--installation", hears.installation)
    for more, tail in (
        ((), "/integration/"),
        (installation_options, f"/installation/{hears.installation}/"),
        ((*installation_options, "--space", hears.space), f"/space-installation/{hears.installation}/{hears.space}/"),
        ((*installation_options, "--site", hears.site), f"/site-installation/{hears.installation}/{hears.site}/"),
    ):
        sent = logged_in("trigger", "fetch", *more, *named)
        assert sent.code == 0, sent.err
        assert sent.json["method"] == "PATCH"
        assert json.loads(sent.json["body"])["url"].endswith(tail)
    options = logged_in("trigger", "fetch", "--method", "options", *named[2:])
    assert (options.json["method"], options.json["status"]) == ("OPTIONS", 200)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("site_view", "--path", "/x"), 2, "are for `fetch`"),
        (("fetch", "--sign", "slack"), 2, "--sign needs --secret"),
        (("fetch", "--sign", "standard-webhooks", "--secret", "no base64!"), 2, "uses base64"),
        (("fetch", "--header", "nothing"), 2, "--header nothing: write `Name: value`"),
        (("fetch", "--edit"), 2, "edit the file"),
        (("fetch", "--space", "0aB3dE5fG7hJ9kL1mN3p"), 2, "give it with --installation"),
        (("fetch", "--installation", "x", "--space", "No such space"), 1, "there is no space `No such space`"),
        (("fetch", "--body", "plain", "--set", "a=1"), 1, "needs a JSON object"),
        (("site_view", "--to", "local"), 1, "no `devkit dev` is running"),
    ],
)
def test_what_cannot_be_sent_is_reported(
    arguments: tuple[str, ...], code: int, words: str, logged_in: Shell, hears: Installed, tmp_path: Path
) -> None:
    (tmp_path / "plain").write_text("hello")
    done = logged_in("trigger", *arguments, "--integration", hears.name)
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1)
    assert words in done.err
    assert "no base64!" not in done.err
