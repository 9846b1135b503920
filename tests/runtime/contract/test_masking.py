"""Secrets are taken out of what is kept, however they are written; everything else stays as it is."""

from __future__ import annotations

import base64
import html
import json
import re
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from runtime.contract.credentials import EVERYDAY, is_credential, of_configuration, worth_hiding
from runtime.contract.masking import BY_SHAPE, MASK, Masker


def script(text: str) -> str:
    """Write a text as JavaScript's `encodeURIComponent` does."""
    return quote(text, safe="!'()*~")


SPELLINGS = {
    "as it is": lambda text: text,
    "json": lambda text: json.dumps(text)[1:-1],
    "json in unicode": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "json of php": lambda text: json.dumps(text).replace("/", "\\/")[1:-1],
    "json for pages": lambda text: json.dumps(text)[1:-1].replace("<", "\\u003C").replace("&", "\\u0026"),
    "json in json": lambda text: json.dumps(json.dumps(text))[3:-3],
    "url": lambda text: quote(text, safe=""),
    "path": quote,
    "script": script,
    "form": quote_plus,
    "lower": lambda text: re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), quote(text, safe="")),
    "twice": lambda text: quote(quote(text, safe=""), safe=""),
    "form in url": lambda text: quote(quote_plus(text), safe=""),
    "json in url": lambda text: quote(json.dumps(text)[1:-1], safe=""),
    "url in json": lambda text: json.dumps(quote(text, safe=""))[1:-1],
    "html": html.escape,
}
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
WORDS = st.text(st.sampled_from("ab1 \\\"'/+%&<\n\tß€😀._-~="), min_size=4, max_size=24)
SECRETS = (ANY | WORDS).map(str.strip).filter(worth_hiding).filter(lambda text: text.strip("\\") == text)


@settings(deadline=None)
@example(before="", secret="000&", after="", spelling="html")
@given(before=ANY | WORDS, secret=SECRETS, after=ANY | WORDS, spelling=st.sampled_from(sorted(SPELLINGS)))
def test_a_secret_is_found_in_every_spelling_wherever_it_stands(
    before: str, secret: str, after: str, spelling: str
) -> None:
    written = SPELLINGS[spelling](secret)
    shown = Masker([secret]).text(before + written + after)
    assert MASK in shown
    # What is around it may hold it, or a part of it, too; what is left is never longer than that.
    assert len(shown.replace(MASK, "")) <= len(before) + len(after)


@settings(deadline=None)
@given(st.lists(SECRETS, max_size=5), ANY)
def test_a_text_without_secrets_stays(secrets: list[str], text: str) -> None:
    masker = Masker(secrets)
    shown = masker.text(text)
    assert (MASK in shown and MASK not in text) or shown == text
    assert Masker(["7f3e9a"]).text("nothing of it here: 7f3e9 and a\\u0041 %20") == (
        "nothing of it here: 7f3e9 and a\\u0041 %20"
    )


@given(st.text("abc", min_size=4, max_size=8), st.text("abc", min_size=4, max_size=8), st.text("abc", max_size=30))
def test_secrets_that_overlap_leave_nothing_of_each_other(one: str, other: str, text: str) -> None:
    shown = Masker([one, other]).text(text)
    for secret in (one, other):
        if worth_hiding(secret):
            assert secret not in shown


@settings(deadline=None)
@given(st.text("abcdefgh123:/+?", min_size=8, max_size=30), st.text(max_size=5), st.text(max_size=5))
def test_base64_hides_nothing(secret: str, before: str, after: str) -> None:
    written = base64.b64encode((before + secret + after).encode()).decode()
    if worth_hiding(secret):
        assert MASK in Masker([secret]).text(f"sent {written} there")
        assert Masker([]).text(f"Authorization: Basic {written}") == f"Authorization: Basic {MASK}"


@settings(deadline=None)
@given(SECRETS, st.recursive(ANY | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(ANY, inner)))
def test_payloads_lose_secrets_in_values_and_names_and_keep_their_ids(secret: str, inner: object) -> None:
    event = {"eventId": f"a{secret}", "type": "task", "task": {"seen": [secret, inner, {secret: "x"}]}}
    kept = json.loads(Masker([secret]).payload(json.dumps(event, separators=(",", ":"))))
    assert kept["eventId"] == event["eventId"]
    assert secret not in kept["task"]["seen"][0]
    assert secret not in "".join(kept["task"]["seen"][2])


@pytest.mark.parametrize("secret", ["4711", "p1n!", "a-b9", "mars"])
def test_short_secrets_are_hidden(secret: str) -> None:
    assert Masker([secret]).text(f"code {secret}, sent") == f"code {MASK}, sent"


@pytest.mark.parametrize("word", [*sorted(EVERYDAY), "True", "PRODUCTION", "", "1", "en", "yes", "0000", "----", "   "])
def test_everyday_words_are_not(word: str) -> None:
    text = f"it is {word}, and was"
    assert Masker([word]).text(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Authorization: Bearer abcdefghijkl", f"Authorization: Bearer {MASK}"),
        ("the bearer of news", "the bearer of news"),
        ("sent dk_" + "aB3-" * 10, f"sent {MASK}"),
        ("at eyJhbGciOiJIUzI1NiJ9.eyJhIjoiYiJ9.abcdefghijklmnop!", f"at {MASK}!"),
        ('got {"access_token":"xoxb-1-2","ok":true}', f'got {{"access_token":"{MASK}","ok":true}}'),
        ('got {"a": "{\\"refresh_token\\":\\"abcd\\"}"}', f'got {{"a": "{{\\"refresh_token\\":\\"{MASK}\\"}}"}}'),
        ("client_secret=abcdef&grant_type=code", f"client_secret={MASK}&grant_type=code"),
        ("GET /v1/spaces/s?shareKey=abcdefgh 404", f"GET /v1/spaces/s?shareKey={MASK} 404"),
        ("the token is old, key: value", "the token is old, key: value"),
        ("eyJ is how tokens begin. And end.", "eyJ is how tokens begin. And end."),
    ],
)
def test_what_looks_like_a_credential_goes_whoever_made_it(text: str, left: str) -> None:
    assert BY_SHAPE.text(text) == left


@pytest.mark.parametrize(
    ("url", "left"),
    [
        ("https://a.example/cb?code=x1&state=%7B%7D", f"https://a.example/cb?code={MASK}&state={MASK}"),
        ("https://a.example/map?code=DE&zoom=3", "https://a.example/map?code=DE&zoom=3"),
        ("https://a.example/?jwt_token=a.b.c#x", f"https://a.example/?jwt_token={MASK}#x"),
        ("https://a.example/#access_token=abc&a=b", f"https://a.example/#access_token={MASK}&a=b"),
        ("https://a.example/v1/spaces/s?shareKey=abcd&a=b", f"https://a.example/v1/spaces/s?shareKey={MASK}&a=b"),
        ("/p?API%5FKEY=1&q=a+b", f"/p?API%5FKEY={MASK}&q=a+b"),
        ("https://a.example/p?q=%C3%A4&empty=&=&&", "https://a.example/p?q=%C3%A4&empty=&=&&"),
    ],
)
def test_addresses_lose_the_parameters_that_are_credentials(url: str, left: str) -> None:
    assert BY_SHAPE.url(url) == left


def test_headers_and_bodies() -> None:
    headers = {"x-gitlab-token": "t", "cookie": "a=b", "x-hub-signature-256": "sha256=ab", "referer": "/x?a=b"}
    kept = {"x-gitlab-token": MASK, "cookie": MASK, "x-hub-signature-256": "sha256=ab", "referer": "/x?a=b"}
    assert BY_SHAPE.headers(headers) == kept
    assert BY_SHAPE.body('{"a": 1,  "b": "c"}') == '{"a": 1,  "b": "c"}'
    assert json.loads(BY_SHAPE.body('{"a":[{"password":"x"}]}')) == {"a": [{"password": MASK}]}
    assert BY_SHAPE.body('{"password":"x","ü":"\\ud800"}').encode() == b'{"password":"[secret]","\\u00fc":"\\ud800"}'
    assert BY_SHAPE.body("a=b&client_secret=x") == f"a=b&client_secret={MASK}"


@pytest.mark.parametrize("name", ["access_token", "accessToken", "X-Api-Key", "clientSecret", "pin", "db.password"])
def test_names_of_credentials(name: str) -> None:
    assert is_credential(name)


@pytest.mark.parametrize("name", ["spin", "max_tokens", "tokenType", "keyboard", "title", "monkey", "secretary"])
def test_other_names(name: str) -> None:
    assert not is_credential(name)


def test_configurations_tell_what_of_them_is_secret() -> None:
    configuration = {
        "oauth_credentials": {"access_token": "at-1", "refresh_token": "rt-1", "expires_at": 17, "token_type": "bot"},
        "account": [{"deep": {"accessToken": "at-2"}}],
        "door": 4711,
        "connect": {"session": "abcdefghijklmnopqrst", "team": "Acme", "site": "https://acme.example/abcdef"},
        "color": "green",
    }
    found = set(of_configuration(configuration, {"door"}, {"connect"}))
    assert found == {"at-1", "rt-1", "at-2", "4711", "abcdefghijklmnopqrst"}


def test_lines_of_a_key_are_secrets_by_themselves() -> None:
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n9w0BAQEFAASCBKcwggSj\n-----END KEY-----"
    masker = Masker([key])
    assert masker.text(key) == MASK
    assert masker.text(key.replace("\n", "\\n")) == MASK
    assert masker.text("one line: 9w0BAQEFAASCBKcwggSj") == f"one line: {MASK}"


def test_more_secrets_than_are_looked_for_leave_nothing() -> None:
    assert Masker(f"secret number {number}" for number in range(1000)).text("anything") == MASK
    assert Masker(f"odd/{number}" for number in range(100)).text("anything") == MASK


@pytest.mark.parametrize(
    ("secret", "unit"),
    [
        ('a\\\\\\\\\\\\"b', "a\\\\\\\\"), ('"""""""x', '\\"'), ("%25%25%25%25x", "%2525"), ("abcd", "eyJ"),
        ("abcd", "eyJ."),         ("abcd", "dk_"), ("abcd", "bearer "),
        ("abcd", "access_token: "), ("a a a a a b", "a+"), ("abcd", "key=&"),
    ],
)  # fmt: skip
def test_no_text_takes_more_than_its_length(secret: str, unit: str) -> None:
    """A way that is quadratic would not come to an end within the time a test has."""
    masker = Masker([secret])
    text = unit * (400_000 // len(unit))
    assert len(masker.text(text)) <= len(text) * len(MASK)
    assert masker.url("?" + text)


@pytest.mark.parametrize("quoted", ['"', "'", "/", '\\"', "\\\n", "\\😀", "\\é"])
@pytest.mark.parametrize("slashes", [1, 4, 16])
def test_what_may_be_escaped_in_many_ways_is_looked_at_in_one(quoted: str, slashes: int) -> None:
    """With two ways for each of forty, this would not end before the machine is scrap."""
    secret = quoted * 40 + "x7yq9zk"
    escaped = "".join(f"u{ord(one):04x}" for one in quoted.strip("\\").encode("utf-16-be").decode("utf-16-be"))
    almost = ("\\" * slashes + escaped) * 40 + "y x7yq9zk"
    assert Masker([secret]).text(almost) == almost
    whole = json.dumps(secret)[1:-1]
    assert Masker([secret]).text(f"<{whole}>") == f"<{MASK}>"


@pytest.mark.parametrize("spelling", sorted(SPELLINGS))
@pytest.mark.parametrize(("before", "after"), [("", ""), ("%", "41"), ("&", ";"), ("\\", "u0041"), ("%4", "%")])
def test_long_secrets_are_found_beside_whatever_stands_there(spelling: str, before: str, after: str) -> None:
    secret = '1b\n\\x=%25&amp; "ß😀' * 4 + "%2"
    written = before + SPELLINGS[spelling](secret) + after
    shown = Masker([secret]).text(f"begins {written} ends")
    assert shown.startswith("begin") and shown.endswith("ends")
    assert len(shown.replace(MASK, "")) <= len(f"begins {before}{after} ends")


def test_many_long_secrets_take_no_more_time_than_the_text() -> None:
    """Each is looked for in as many steps as the text is long, not times its own length: else this takes hours."""
    masker = Masker(f"{'!' * 4000}{number}{'?' * 20}" for number in range(200))
    text = "!" * 400_000
    assert masker.text(text) == text


def test_runs_of_backslashes_and_long_secrets_are_bounded() -> None:
    masker = Masker(["c\\Passw0rd"])
    text = "Passw0rd " + "%5c" * 60_000
    assert masker.text(text) == text
    long = "a!" * 4990 + "abcdefgh"
    assert Masker([long]).text(f"<{long}>") == f"<{MASK}>"
    json_in_json = json.dumps(json.dumps(long + '"'))
    assert "abcdefgh" not in Masker([long]).text(json_in_json)


def test_a_token_that_contains_a_secret_goes_as_a_whole() -> None:
    secret = "s3cr3t-of-a-client"
    masker = Masker([secret])
    head, tail = "eyJhbGciOiJIUzI1NiJ9", "dBjftJeZ4CVPmB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    inside = base64.b64encode(f'{{"key":"{secret}"}}'.encode()).decode().rstrip("=")
    for token in (f"{head}.{inside}.{tail}", f"ya29.{secret}.TAILTAIL0123456789abcdef"):
        for text in (f"access_token: '{token}'", f'{{"refresh_token":"{token}"}}', f"Authorization: Bearer {token}"):
            masked = masker.text(text)
            assert not any(piece in masked for piece in (secret, inside, tail, "TAIL")), masked
            assert masker.text(masked) == masked


@pytest.mark.parametrize(
    "code", ["eyJrZXkiOiJ2YWx1ZSJ9.c2lnbmF0dXJl", "4/0AfJohXnABCDEFGHIJ-qrstuv", "M.C1_BL2.2.U.a!b*c$d"]
)
@pytest.mark.parametrize(
    "line",
    [
        "handling fetch GET https://x.example/callback?code={}&state=abc",
        "state=abc&code={}",
        "code={}&grant_type=authorization_code",
        "<a href='/callback?state=abc&amp;code={}'>",
        '{{"url":"/callback?state=abc\\u0026code={}"}}',
    ],
)
def test_the_code_of_a_sign_in_goes_wherever_its_address_is_written(line: str, code: str) -> None:
    assert BY_SHAPE.text(line.format(code)) == line.format(MASK)


@pytest.mark.parametrize("text", ["/errors?code=not-found", "status code=200", "errorcode=a-long-name-of-an-error"])
def test_a_code_that_opens_nothing_stays(text: str) -> None:
    assert BY_SHAPE.text(text) == text
