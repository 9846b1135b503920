"""Answers of an identity provider: what proves who signed in, and everything that must not."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from runtime.contract.addresses import Addresses
from runtime.contract.saml import read_certificate
from runtime.services import signing_in
from runtime.services.saml_response import DRIFT, A, D, Expected, P, ResponseRejected, SamlResponse, SignedIn, _moment
from runtime.store.tables.saml import SamlProviderRow
from runtime.web.admin.signing_in import _described
from tests import identity_provider
from tests.identity_provider import ENTITY, SSO, IdentityProvider, coded

pytestmark = pytest.mark.skipif(not identity_provider.HAS_XMLSEC, reason="the identity provider signs with xmlsec1")

AT = Addresses("https://docs.example.com", "https://content.example.com")
PROVIDER = SamlProviderRow(id="provider", sso_url=SSO)
REQUEST = "_0123456789"
EXPECTED = Expected(ENTITY, AT.saml("provider"), AT.saml("provider", "acs"), REQUEST)
ADA, EVE = "ada@example.com", "eve@example.com"
Answering = Callable[..., bytes]


def address() -> str:
    """Where a browser is sent to sign in."""
    return signing_in._address(SSO, signing_in._request(AT, PROVIDER, REQUEST, datetime.now(UTC)))


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> IdentityProvider:
    return IdentityProvider(tmp_path_factory.mktemp("idp"), _described(AT, "provider").decode())


@pytest.fixture(scope="module")
def signed(provider: IdentityProvider) -> dict[str, bytes]:
    """What signs -> an answer for Ada."""
    return {
        signs: provider.answer(address(), ADA, signs=signs) for signs in ("response", "assertion", "both", "nothing")
    }


@pytest.fixture
def read(provider: IdentityProvider) -> Callable[..., SignedIn]:
    def run(content: bytes, expected: Expected = EXPECTED, pem: str = "", after: timedelta = timedelta()) -> SignedIn:
        certificate = read_certificate(pem or provider.pem)
        return SamlResponse(coded(content)).read(expected, certificate, datetime.now(UTC) + after)

    return run


@pytest.mark.parametrize("signs", ["response", "assertion", "both"])
def test_a_signed_answer_says_who_signed_in(signs: str, signed: dict[str, bytes], read: Any) -> None:
    person = read(signed[signs])
    assert person.name_id == ADA and person.attributes["givenName"] == ["Ada"]
    assert SamlResponse(coded(signed[signs])).in_response_to == REQUEST


def test_without_a_signature_nothing_is_believed(signed: dict[str, bytes], read: Any) -> None:
    with pytest.raises(ResponseRejected, match="not signed"):
        read(signed["nothing"])


@pytest.mark.parametrize("signs", ["response", "assertion", "both"])
def test_a_key_of_somebody_else(signs: str, signed: dict[str, bytes], read: Any, tmp_path: Path) -> None:
    _, _, other = identity_provider.certificate(tmp_path, "other")
    with pytest.raises(ResponseRejected, match="certificate"):
        read(signed[signs], pem=other)


def test_a_signature_with_sha1(provider: IdentityProvider, read: Any) -> None:
    with pytest.raises(ResponseRejected, match="SHA-256"):
        read(provider.answer(address(), ADA, weak=True))


def evil(element: etree._Element) -> etree._Element:
    """Give a copy of a response or an assertion that names somebody else, without its signature."""
    made = copy.deepcopy(element)
    for signature in made.findall(f"{D}Signature"):
        made.remove(signature)
    made.set("ID", "evil")
    for name in made.iter(f"{A}NameID"):
        name.text = EVE
    return made


def signature_in(root: etree._Element) -> etree._Element:
    signature = root.find(f"{D}Signature")
    assert signature is not None
    return signature


def assertion_in(root: etree._Element) -> etree._Element:
    assertion = root.find(f"{A}Assertion")
    assert assertion is not None
    return assertion


def evil_in_place_of(original: etree._Element) -> tuple[etree._Element, etree._Element]:
    """Put an assertion that names somebody else where the signed one was; gives it, and the signature taken off."""
    outer, signature = evil(original), signature_in(original)
    original.remove(signature)
    outer.insert(1, signature)
    parent = original.getparent()
    assert parent is not None
    parent.replace(original, outer)
    return outer, signature


def response_inside_its_signature(root: etree._Element) -> etree._Element:
    signature = signature_in(root)
    root.remove(signature)
    outer = evil(root)
    etree.SubElement(signature, f"{D}Object").append(root)
    outer.insert(1, signature)
    return outer


def response_beside_its_signature(root: etree._Element) -> etree._Element:
    signature = signature_in(root)
    root.remove(signature)
    outer = evil(root)
    outer.insert(1, root)
    outer.insert(2, signature)
    return outer


def assertion_before(root: etree._Element) -> etree._Element:
    original = assertion_in(root)
    root.insert(root.index(original), evil(original))
    return root


def assertion_around(root: etree._Element) -> etree._Element:
    original = assertion_in(root)
    outer = evil(original)
    root.replace(original, outer)
    outer.append(original)
    return root


def assertion_with_the_signature_of_another(root: etree._Element) -> etree._Element:
    original = assertion_in(root)
    evil_in_place_of(original)
    root.append(original)
    return root


def assertion_whose_signature_holds_the_original(root: etree._Element) -> etree._Element:
    original = assertion_in(root)
    _, signature = evil_in_place_of(original)
    signature.append(original)
    return root


def assertion_among_extensions(root: etree._Element) -> etree._Element:
    original = assertion_in(root)
    extensions = etree.Element(f"{P}Extensions")
    extensions.append(evil(original))
    root.insert(root.index(original), extensions)
    return root


def original_as_an_object_of_the_signature(root: etree._Element) -> etree._Element:
    original = assertion_in(root)
    _, signature = evil_in_place_of(original)
    etree.SubElement(signature, f"{D}Object").append(original)
    return root


WRAPPINGS = {
    response_inside_its_signature: "response",
    response_beside_its_signature: "response",
    assertion_before: "assertion",
    assertion_around: "assertion",
    assertion_with_the_signature_of_another: "assertion",
    assertion_whose_signature_holds_the_original: "assertion",
    assertion_among_extensions: "assertion",
    original_as_an_object_of_the_signature: "assertion",
}


@pytest.mark.parametrize("same_id", [False, True])
@pytest.mark.parametrize("wrap", WRAPPINGS, ids=lambda wrap: wrap.__name__)
def test_what_is_wrapped_around_a_signature(wrap: Any, same_id: bool, signed: dict[str, bytes], read: Any) -> None:
    root = etree.fromstring(signed[WRAPPINGS[wrap]])
    known = root.get("ID") if WRAPPINGS[wrap] == "response" else root.find(f"{A}Assertion").get("ID")  # type: ignore[union-attr]
    made = wrap(root)
    if same_id:
        (named,) = made.xpath("//*[@ID = 'evil']") or [made]
        named.set("ID", known)
    content = etree.tostring(made)
    assert EVE.encode() in content and ADA.encode() in content
    with pytest.raises(ResponseRejected):
        read(content)


def changed(content: bytes, was: str, now: str) -> bytes:
    assert was.encode() in content
    return content.replace(was.encode(), now.encode())


@pytest.mark.parametrize("signs", ["response", "assertion", "both"])
@pytest.mark.parametrize(
    ("was", "now"),
    [
        (f">{ADA}</ns1:NameID>", f">{EVE}</ns1:NameID>"),
        (f">{ADA}</ns1:NameID>", f">{ADA}<!-- -->.evil.example</ns1:NameID>"),
        (f">{ADA}</ns1:NameID>", f">{ADA}<?x?></ns1:NameID>"),
        (f">{ADA}</ns1:NameID>", f"><![CDATA[{ADA}]]></ns1:NameID>"),
        (f">{ADA}</ns1:NameID>", f"><b>{ADA}</b></ns1:NameID>"),
    ],
)
def test_what_was_changed_after_it_was_signed(
    was: str, now: str, signs: str, signed: dict[str, bytes], read: Any
) -> None:
    with pytest.raises(ResponseRejected):
        read(changed(signed[signs], was, now))


def test_a_comment_that_was_signed_cuts_no_name(provider: IdentityProvider, read: Any) -> None:
    """A name with a comment within is refused, even if the signature leaves comments out."""
    content = changed(provider.answer(address(), f"{ADA}.evil.example"), f"{ADA}.evil", f"{ADA}<!---->.evil")
    with pytest.raises(ResponseRejected, match="comment"):
        read(content)


BOMB = "".join(f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">' for number in range(1, 10))


@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE r SYSTEM "http://127.0.0.1:1/x.dtd">',
        f'<!DOCTYPE r [<!ENTITY l0 "lol">{BOMB}]>',
    ],
    ids=["a file", "an address", "a billion"],
)
def test_entities(declared: str, signed: dict[str, bytes], read: Any) -> None:
    text = changed(signed["both"], '<?xml version="1.0"?>', f'<?xml version="1.0"?>{declared}')
    with pytest.raises(ResponseRejected, match="document type"):
        read(changed(text, f">{ADA}</ns1:NameID>", ">&x;&l9;</ns1:NameID>"))


@pytest.mark.parametrize(
    ("after", "sentence"), [(timedelta(minutes=7), "has expired"), (timedelta(minutes=-2), "not valid yet")]
)
def test_the_time(after: timedelta, sentence: str, signed: dict[str, bytes], read: Any) -> None:
    assert timedelta(minutes=2) > DRIFT
    with pytest.raises(ResponseRejected, match=sentence):
        read(signed["both"], after=after)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"issuer": "https://other.example.com"}, "another identity provider"),
        ({"audience": "https://docs.example.com/saml/other"}, "another service"),
        ({"recipient": "https://docs.example.com/saml/other/acs"}, "another address"),
        ({"in_response_to": "_9876543210"}, "another sign-in"),
    ],
)
def test_an_answer_for_somebody_else(more: dict[str, str], sentence: str, signed: dict[str, bytes], read: Any) -> None:
    fixed = {
        "issuer": ENTITY,
        "audience": EXPECTED.audience,
        "recipient": EXPECTED.recipient,
        "in_response_to": REQUEST,
    }
    with pytest.raises(ResponseRejected, match=sentence):
        read(signed["both"], Expected(**fixed | more))


def test_only_the_assertion_says_for_whom_it_is(signed: dict[str, bytes], read: Any) -> None:
    """What is not signed may be anything: `Destination` and `InResponseTo` of the response count only against it."""
    root = etree.fromstring(signed["assertion"])
    del root.attrib["Destination"]
    assert read(etree.tostring(root)).name_id == ADA
    root.set("Destination", "https://elsewhere.example.com")
    with pytest.raises(ResponseRejected, match="another address"):
        read(etree.tostring(root))


def test_a_provider_that_lets_nobody_in(signed: dict[str, bytes], read: Any) -> None:
    content = changed(signed["assertion"], "status:Success", "status:Responder")
    with pytest.raises(ResponseRejected, match="did not let"):
        read(content)


@pytest.mark.parametrize(
    "content",
    [b"", b"x", b"<a/>", b"\xff\xfe<\x00a\x00", b"<?xml version='1.0' encoding='utf-16'?><a/>", b"<a>" * 5000],
)
def test_what_is_no_answer(content: bytes) -> None:
    with pytest.raises(ResponseRejected):
        SamlResponse(coded(content))


@pytest.mark.parametrize("text", ["%%%", "é", "A" * 300_000])
def test_what_is_not_even_base64(text: str) -> None:
    with pytest.raises(ResponseRejected):
        SamlResponse(text)


@pytest.mark.parametrize(
    "text", [None, "", "yesterday", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-13-01T00:00:00Z"]
)
def test_moments_that_are_none(text: str | None) -> None:
    with pytest.raises(ResponseRejected, match="cannot be read"):
        _moment(text)


def parts(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Give an answer without each of its parts, one after the other."""
    count = len(list(etree.fromstring(content).iter()))
    for place in range(1, count):
        root = etree.fromstring(content)
        element = list(root.iter())[place]
        parent = element.getparent()
        assert parent is not None
        parent.remove(element)
        yield str(element.tag), etree.tostring(root)


def test_an_answer_without_any_of_its_parts_is_refused_in_words(signed: dict[str, bytes], read: Any) -> None:
    """Nothing that is left out makes it crash; what neither signature covers may be missing."""
    survived = set()
    for tag, content in parts(signed["both"]):
        try:
            assert read(content).name_id == ADA
            survived.add(tag.rpartition("}")[2])
        except ResponseRejected:
            continue
    assert survived <= {"KeyInfo", "X509Data", "X509Certificate", "Signature"}
