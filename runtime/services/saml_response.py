"""Reads the response of an identity provider (SAML 2.0, web browser single sign-on): what is not proved is refused.

The signature is checked by signxml, and whatever is read afterwards is read from what it says was signed, never from
the document as it came. Of what SAML allows, only what this one exchange needs passes: one assertion, not encrypted,
signed itself or with the whole response, in answer to a request that began here.
Source: SAML core 2.0 (sections 2 and 5), profiles 2.0 (section 4.1), bindings 2.0 (section 3.5).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from cryptography import x509

# Imported in the functions that parse and verify, which takes 5 MB: most hosts never see a response.
if TYPE_CHECKING:
    from lxml import etree

LARGEST = 256 * 1024
"""Characters of a response, in base64."""
DRIFT = timedelta(seconds=90)
"""How far the clocks of host and identity provider may be apart."""
P = "{urn:oasis:names:tc:SAML:2.0:protocol}"
A = "{urn:oasis:names:tc:SAML:2.0:assertion}"
D = "{http://www.w3.org/2000/09/xmldsig#}"
SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success"
BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
TRANSFORMS = {
    "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
    "http://www.w3.org/2001/10/xml-exc-c14n#",
}
LONGEST_VALUE = 1000
BAD_SIGNATURE = "The signature does not match the certificate of the identity provider, or is weaker than SHA-256."


class ResponseRejected(Exception):
    """A response proves nothing; the message says why, for whoever runs the identity provider."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a response must say: who it is from, for whom, and to which request."""

    issuer: str
    audience: str
    recipient: str
    in_response_to: str


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Who an identity provider vouches for; `until` is when they must sign in again, where it says so."""

    name_id: str
    attributes: dict[str, list[str]]
    until: datetime | None


class SamlResponse:
    """A response whose form alone was checked: `in_response_to` may be read, to find the request, and nothing else."""

    def __init__(self, coded: str) -> None:
        """Parse what a browser brought; raises ResponseRejected."""
        if len(coded) > LARGEST:
            raise ResponseRejected("The response is too large.")
        try:
            content = base64.b64decode("".join(coded.split()), validate=True)
        except (ValueError, binascii.Error):
            raise ResponseRejected("The response is not in base64.") from None
        self._root = _parse(content)
        if self._root.tag != f"{P}Response" or self._root.get("Version") != "2.0":
            raise ResponseRejected("The response is not a SAML 2.0 response.")
        _check_shape(self._root)
        self.in_response_to = self._root.get("InResponseTo") or ""

    def read(self, expected: Expected, certificate: x509.Certificate, now: datetime) -> SignedIn:
        """Say who signed in; raises ResponseRejected for whatever is not proved."""
        assertion = self._signed_assertion(certificate)
        _check_response(self._root, expected)
        if _text(assertion, "Issuer") != expected.issuer:
            raise ResponseRejected("The response is from another identity provider.")
        subject = _only(assertion, f"{A}Subject")
        _check_confirmation(subject, expected, now)
        _check_conditions(_only(assertion, f"{A}Conditions"), expected, now)
        statements = assertion.findall(f"{A}AuthnStatement")
        if not statements:
            raise ResponseRejected("The response does not say that somebody signed in.")
        ends = [_moment(one.get("SessionNotOnOrAfter")) for one in statements if one.get("SessionNotOnOrAfter")]
        if any(end <= now for end in ends):
            raise ResponseRejected("The sign-in has already expired.")
        name_id = _text(subject, "NameID")
        if not name_id:
            raise ResponseRejected("The response has no name id.")
        return SignedIn(name_id, dict(_attributes(assertion)), min(ends, default=None))

    def _signed_assertion(self, certificate: x509.Certificate) -> etree._Element:
        """Return the signed assertion, alone or within the response; every signature in the response must be valid."""
        assertion = _only(self._root, f"{A}Assertion")
        signed: etree._Element | None = None
        if self._root.find(f"{D}Signature") is not None:
            whole = _verified(self._root, "./", self._root, certificate)
            signed = _only(whole, f"{A}Assertion")
        if assertion.find(f"{D}Signature") is not None:
            signed = _verified(self._root, f"./{A}Assertion/", assertion, certificate)
        if signed is None:
            raise ResponseRejected("The response is not signed.")
        return signed


def _parse(content: bytes) -> etree._Element:
    """Parse XML without declarations of types, comments or instructions: nothing may look other than it was signed."""
    if b"<!" in content or content.count(b"<?") > content.startswith(b"<?xml"):
        raise ResponseRejected(
            "The response holds a document type, a comment or an instruction, which are not allowed."
        )
    if not content.isascii() and not _is_utf8(content):
        raise ResponseRejected("The response is not in UTF-8.")
    from lxml import etree

    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, remove_pis=False
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise ResponseRejected("The response is not XML.") from None
    if any(not isinstance(node.tag, str) for node in root.iter()):
        raise ResponseRejected("The response holds a comment or an instruction, which are not allowed.")
    return root


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _check_shape(root: etree._Element) -> None:
    """Refuse whatever could be meant in two ways: second assertions, ids that are there twice, stray signatures."""
    if next(root.iter(f"{A}EncryptedAssertion"), None) is not None:
        raise ResponseRejected("The assertion is encrypted; turn encryption off at the identity provider.")
    assertions = list(root.iter(f"{A}Assertion"))
    if len(assertions) != 1 or assertions[0].getparent() is not root:
        raise ResponseRejected("The response must contain exactly one assertion, directly inside it.")
    named = [value for node in root.iter() for name, value in node.items() if name.lower() in ("id", "assertionid")]
    if len(named) != len(set(named)):
        raise ResponseRejected("Two parts of the response have the same id.")
    for signature in root.iter(f"{D}Signature"):
        parent = signature.getparent()
        if parent is None or parent not in (root, assertions[0]) or len(parent.findall(f"{D}Signature")) != 1:
            raise ResponseRejected("The response has a signature where none is allowed.")


def _verified(
    root: etree._Element, location: str, element: etree._Element, certificate: x509.Certificate
) -> etree._Element:
    """Return an element as its signature covers it; raises ResponseRejected."""
    from lxml import etree
    from signxml.exceptions import SignXMLException
    from signxml.verifier import SignatureConfiguration, XMLVerifier

    signature = _only(element, f"{D}Signature")
    info = _only(signature, f"{D}SignedInfo")
    reference = _only(info, f"{D}Reference")
    transforms = [one.get("Algorithm") for one in reference.iterfind(f"{D}Transforms/{D}Transform")]
    if not element.get("ID") or reference.get("URI") != f"#{element.get('ID')}" or not {*transforms} <= TRANSFORMS:
        raise ResponseRejected("A signature in the response does not cover the part that it is in.")
    try:
        result = XMLVerifier().verify(
            root,
            x509_cert=certificate,
            id_attribute="ID",
            expect_config=SignatureConfiguration(location=location, expect_references=1),
        )
    except (SignXMLException, etree.XMLSyntaxError, etree.DocumentInvalid, ValueError, KeyError, TypeError) as error:
        raise ResponseRejected(BAD_SIGNATURE) from error
    assert not isinstance(result, list)
    signed = result.signed_xml
    if signed is None or signed.tag != element.tag or signed.get("ID") != element.get("ID"):
        raise ResponseRejected("A signature in the response does not cover the part that it is in.")
    return signed


def _check_response(root: etree._Element, expected: Expected) -> None:
    status = root.find(f"{P}Status/{P}StatusCode")
    if status is None or status.get("Value") != SUCCESS:
        raise ResponseRejected("The identity provider did not let the person in.")
    if root.get("Destination") not in (None, expected.recipient):
        raise ResponseRejected("The response is meant for another address.")
    if root.get("InResponseTo") != expected.in_response_to:
        raise ResponseRejected("The response is to another sign-in.")
    issuer = root.find(f"{A}Issuer")
    if issuer is not None and (issuer.text or "").strip() != expected.issuer:
        raise ResponseRejected("The response is from another identity provider.")


def _check_confirmation(subject: etree._Element, expected: Expected, now: datetime) -> None:
    """One confirmation must say that whoever brings the assertion here, now, for this request, is who it names."""
    for confirmation in subject.findall(f"{A}SubjectConfirmation"):
        data = confirmation.find(f"{A}SubjectConfirmationData")
        if confirmation.get("Method") != BEARER or data is None:
            continue
        if data.get("Recipient") != expected.recipient:
            raise ResponseRejected("The assertion is meant for another address.")
        if data.get("InResponseTo") != expected.in_response_to:
            raise ResponseRejected("The assertion is to another sign-in.")
        if data.get("NotBefore") is not None:
            raise ResponseRejected(
                "SubjectConfirmationData must not have NotBefore; remove it at the identity provider."
            )
        if _moment(data.get("NotOnOrAfter")) <= now - DRIFT:
            raise ResponseRejected("The assertion has expired; compare the clocks of host and identity provider.")
        return
    raise ResponseRejected("The assertion has no bearer SubjectConfirmation with data.")


def _check_conditions(conditions: etree._Element, expected: Expected, now: datetime) -> None:
    begins, ends = conditions.get("NotBefore"), conditions.get("NotOnOrAfter")
    if begins is not None and _moment(begins) > now + DRIFT:
        raise ResponseRejected("The assertion is not valid yet; compare the clocks of host and identity provider.")
    if ends is not None and _moment(ends) <= now - DRIFT:
        raise ResponseRejected("The assertion has expired; compare the clocks of host and identity provider.")
    restrictions = conditions.findall(f"{A}AudienceRestriction")
    for restriction in restrictions:
        if expected.audience not in [(one.text or "").strip() for one in restriction.findall(f"{A}Audience")]:
            raise ResponseRejected("The assertion is for another service.")
    if not restrictions:
        raise ResponseRejected("The assertion does not say for which service it is.")


def _attributes(assertion: etree._Element) -> Iterator[tuple[str, list[str]]]:
    for attribute in assertion.iterfind(f"{A}AttributeStatement/{A}Attribute"):
        values = [(value.text or "").strip()[:LONGEST_VALUE] for value in attribute.findall(f"{A}AttributeValue")]
        for name in {attribute.get("Name"), attribute.get("FriendlyName")} - {None}:
            yield str(name), values


def _only(parent: etree._Element, tag: str) -> etree._Element:
    found = parent.findall(tag)
    if len(found) != 1:
        raise ResponseRejected(f"The response holds {len(found)} of `{tag.rpartition('}')[2]}` where one is required.")
    return found[0]


def _text(parent: etree._Element, name: str) -> str:
    element = _only(parent, A + name)
    if len(element):
        raise ResponseRejected(f"`{name}` contains more than text.")
    return (element.text or "").strip()


def _moment(text: str | None) -> datetime:
    """Read a moment of XML, in UTC; raises ResponseRejected."""
    try:
        moment = datetime.fromisoformat(text or "")
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ResponseRejected("A timestamp in the response cannot be read.") from None
