"""Signs people in by an identity provider of their organization (docs/contract/api.md, "Single sign-on").

A sign-in takes three steps, so that nobody can be signed in as somebody else without knowing: the browser that begins
it keeps a secret; the identity provider's response, which another site has the browser bring, is exchanged for a code;
and the code counts only with the secret, which browsers send along when they come back by themselves.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from pydantic import ConfigDict, TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.addresses import Addresses
from runtime.contract.invites import EmailAddress
from runtime.contract.organizations import Role
from runtime.contract.saml import read_certificate
from runtime.contract.timestamps import wire_time
from runtime.contract.url_parts import split_url
from runtime.services import quotas
from runtime.services.saml_response import A, Expected, P, ResponseRejected, SamlResponse, SignedIn
from runtime.store import locks, membership, rows, sign_ins
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.invites import EmailInviteRow
from runtime.store.tables.organizations import MemberRow, OrganizationRow, UserRow
from runtime.store.tables.saml import SamlProviderRow, SamlSignInRow
from runtime.store.tables.teams import TeamMemberRow

VALID_FOR = timedelta(minutes=10)
CODE_FOR = timedelta(minutes=2)
SESSION_FOR = timedelta(hours=12)
NO_PROVIDER = "There is no such identity provider, or it is not ready yet; ask an administrator of the organization."
OVER = "This sign-in has expired or was already used; start again."
_EMAIL: TypeAdapter[str] = TypeAdapter(EmailAddress, config=ConfigDict(defer_build=True))  # 70 ms of each start
MAIL_NAMES = (
    "email",
    "mail",
    "emailaddress",
    "urn:oid:0.9.2342.19200300.100.1.3",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
)
NAME_NAMES = (
    "displayname",
    "cn",
    "name",
    "urn:oid:2.16.840.1.113730.3.1.241",
    "http://schemas.microsoft.com/identity/claims/displayname",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name",
)


@dataclass(frozen=True, slots=True)
class Arrived:
    """A person who signed in: where, until when, and where they wanted to go."""

    user_id: str
    organization_id: str
    until: datetime
    next: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A sign-in in progress, and the identity provider whose response is awaited, as both were when it came."""

    provider_id: str
    entity_id: str
    certificate: str
    request_id: str


def digest(secret: str) -> bytes:
    """Return the SHA-256 under which a secret of a browser is stored."""
    return hashlib.sha256(secret.encode()).digest()


def begin(session: Session, at: Addresses, provider_id: str, browser: str, next_: str) -> str:
    """Begin a sign-in for the browser that holds a secret; gives where it goes. Raises NotFound."""
    provider = require_provider(session, provider_id)
    moment = now()
    request_id = f"_{secrets.token_hex(20)}"
    session.add(
        SamlSignInRow(
            id=request_id,
            provider_id=provider.id,
            browser=digest(browser),
            next=next_[:2048],
            expires_at=moment + VALID_FOR,
        )
    )
    session.flush()
    return _address(provider.sso_url, _request(at, provider, request_id, moment))


def named(session: Session, provider_id: str) -> tuple[str, str]:
    """Return the title of the organization that an identity provider signs in to, and its label; raises NotFound."""
    provider = require_provider(session, provider_id)
    organization = rows.find(session, HOST, OrganizationRow, id=provider.organization_id)
    return organization.title if organization is not None else "", provider.label


def _request(at: Addresses, provider: SamlProviderRow, request_id: str, moment: datetime) -> bytes:
    from lxml import etree  # only here: it takes megabytes, also on hosts where nobody signs in this way

    root = etree.Element(
        f"{P}AuthnRequest",
        nsmap={"samlp": P[1:-1], "saml": A[1:-1]},
        attrib={
            "ID": request_id,
            "Version": "2.0",
            "IssueInstant": wire_time(moment),
            "Destination": provider.sso_url,
            "AssertionConsumerServiceURL": at.saml(provider.id, "acs"),
            "ProtocolBinding": "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
        },
    )
    etree.SubElement(root, f"{A}Issuer").text = at.saml(provider.id)
    policy = {"Format": "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress", "AllowCreate": "true"}
    etree.SubElement(root, f"{P}NameIDPolicy", attrib=policy)
    return etree.tostring(root)


def _address(sso_url: str, request: bytes) -> str:
    """Write a request into the address of the identity provider: deflated, in base64 (bindings, section 3.4.4.1)."""
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    coded = base64.b64encode(deflater.compress(request) + deflater.flush()).decode()
    joint = "&" if split_url(sso_url).query else "?"
    return f"{sso_url}{joint}{urlencode({'SAMLRequest': coded})}"


def require_provider(session: Session, provider_id: str) -> SamlProviderRow:
    """Find an identity provider that people may sign in with; raises NotFound."""
    provider = rows.find(session, HOST, SamlProviderRow, id=provider_id)
    if provider is None or not provider.is_active:
        raise errors.NotFound(NO_PROVIDER)
    return provider


def asked(session: Session, provider_id: str, response: SamlResponse) -> Asked:
    """Find the sign-in that a response is to; raises NotFound, and ResponseRejected where there is none."""
    provider = require_provider(session, provider_id)
    begun = _begun(session, provider.id, response.in_response_to)
    return Asked(provider.id, provider.entity_id, provider.certificate, begun.id)


def prove(at: Addresses, asked: Asked, response: SamlResponse) -> SignedIn:
    """Read who signed in; raises ResponseRejected for a response that is not valid. No transaction need be open."""
    provider = asked.provider_id
    expected = Expected(asked.entity_id, at.saml(provider), at.saml(provider, "acs"), asked.request_id)
    return response.read(expected, read_certificate(asked.certificate), now())


def accept(session: Session, asked: Asked, person: SignedIn) -> str:
    """Note who signed in; gives the code that the browser brings back.

    Raises NotFound for a provider that is not there any more, and ResponseRejected where the sign-in is over.
    """
    provider, moment = require_provider(session, asked.provider_id), now()
    begun = _begun(session, provider.id, asked.request_id)
    if (provider.entity_id, provider.certificate) != (asked.entity_id, asked.certificate):
        raise ResponseRejected("The identity provider was changed a moment ago; start again.")
    user_id = _member(session, provider, person, moment)
    code = secrets.token_urlsafe(32)
    until = min(person.until or moment + SESSION_FOR, moment + SESSION_FOR)
    if not sign_ins.accept(session, begun.id, digest(code), user_id, until, moment + CODE_FOR):
        raise ResponseRejected("The response was already used; start again.")
    return code


def _begun(session: Session, provider_id: str, request_id: str) -> SamlSignInRow:
    begun = rows.find(session, HOST, SamlSignInRow, id=request_id, provider_id=provider_id)
    if begun is None or begun.code is not None or begun.expires_at <= now():
        raise ResponseRejected("The response does not match a sign-in in progress here; start again.")
    return begun


def is_arriving(session: Session, code: str) -> bool:
    """Tell whether a code is one of a sign-in that is to be ended."""
    return rows.find(session, HOST, SamlSignInRow, code=digest(code)) is not None


def finish(session: Session, code: str, browser: str) -> Arrived:
    """End a sign-in in the browser that began it; raises Forbidden."""
    row = rows.find(session, HOST, SamlSignInRow, code=digest(code))
    if row is None or row.user_id is None or row.signed_in_until is None or row.expires_at <= now():
        raise errors.Forbidden(OVER)
    if not secrets.compare_digest(row.browser, digest(browser)):
        raise errors.Forbidden("This sign-in was started in another browser; start again in this one.")
    provider = rows.find(session, HOST, SamlProviderRow, id=row.provider_id)
    if provider is None or not sign_ins.use_up(session, row.id):
        raise errors.Forbidden(OVER)
    return Arrived(row.user_id, provider.organization_id, row.signed_in_until, row.next)


def _member(session: Session, provider: SamlProviderRow, person: SignedIn, moment: datetime) -> str:
    """Find the member who signed in, or make them one; gives the id of the person. Raises ResponseRejected."""
    address = _address_of(person)
    organization = rows.find(session, HOST, OrganizationRow, id=provider.organization_id)
    if organization is None:
        raise errors.NotFound(NO_PROVIDER)
    domains = [domain.lower() for domain in organization.email_domains]
    if domains and address.rpartition("@")[2] not in domains:
        raise ResponseRejected("The domain of the e-mail address is not one of this organization's domains.")
    locks.acquire(session, f"person {address}")
    user = sign_ins.person_with(session, address)
    if user is None:
        user = UserRow(display_name=_name_of(person, address), email=address)
        session.add(user)
        session.flush()
    by = {"organization_id": provider.organization_id, "user_id": user.id}
    membership.lock_membership(session, provider.organization_id, user.id)
    member = rows.find(session, HOST, MemberRow, **by)
    if member is None:
        role = _invited_role(session, provider, address, moment)
        try:
            quotas.for_members(session, provider.organization_id)
        except errors.BadRequest as full:
            raise ResponseRejected(str(full)) from full
        member = MemberRow(**by, role=role, provisioned=True)
        session.add(member)
        session.flush()
        if provider.default_team is not None:
            session.add(TeamMemberRow(team_id=provider.default_team, **by))
    member.sso = True
    member.last_seen_at = moment
    session.flush()
    return user.id


def _invited_role(session: Session, provider: SamlProviderRow, address: str, moment: datetime) -> Role | None:
    """Return the role that a new member was invited with, which uses the invite up, or the provider's own."""
    by = {"organization_id": provider.organization_id, "email": address}
    invite = rows.find(session, HOST, EmailInviteRow, **by)
    if invite is None or invite.expires_at <= moment:
        return provider.default_role
    role = invite.role
    return role if rows.remove(session, invite) else provider.default_role


def _address_of(person: SignedIn) -> str:
    """Return the e-mail address of a person, in lower case; raises ResponseRejected where the response has none."""
    known = {name.lower(): values for name, values in person.attributes.items()}
    for address in (person.name_id, *(value for name in MAIL_NAMES for value in known.get(name, [])[:1])):
        try:
            return _EMAIL.validate_python(address)
        except ValidationError:
            continue
    raise ResponseRejected("The response has no e-mail address; send it as the name id, or as the attribute `email`.")


def _name_of(person: SignedIn, address: str) -> str:
    known = {name.lower(): values for name, values in person.attributes.items()}
    names = [value for name in NAME_NAMES for value in known.get(name, [])[:1] if value]
    parts = [*known.get("givenname", [])[:1], *(known.get("sn") or known.get("surname") or [])[:1]]
    name = names[0] if names else " ".join(parts) or address.partition("@")[0]
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())[:100] or address[:100]
