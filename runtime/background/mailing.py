"""Sends invites by e-mail.

The e-mail is not stored: it is generated from the invite when it is due, and not sent if the invite was accepted or
replaced meanwhile. Processes that share a database may all have a mailer. The one that sends an e-mail first postpones
its due time, so the others skip it, and it is sent again if the process dies before it was sent.
"""

from __future__ import annotations

import logging
import smtplib
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import unquote

from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.origins import Authority
from runtime.contract.url_parts import split_url
from runtime.engines.threads import RepeatingThread
from runtime.store import invites, rows
from runtime.store.database import Database, now
from runtime.store.rows import HOST
from runtime.store.tables.invites import EmailInviteRow
from runtime.store.tables.organizations import OrganizationRow, UserRow

log = logging.getLogger(__name__)

EVERY = 15.0
AT_ONCE = 20
"""E-mails that are looked at for one that no other process sends."""
TIMEOUT = 20.0
"""Timeout, in seconds, of each answer of the SMTP server."""
LEASE = timedelta(minutes=10)
"""More than a server takes that is as slow as it may be with each of the dozen answers of one e-mail."""


class BadMailServer(ValueError):
    """The address of a mail server cannot be read; the message says what it should look like."""


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where e-mails go: `smtp://name:password@host:587`, encrypted by STARTTLS, or `smtps://` from the first byte.

    Unencrypted connections are allowed only to this machine.
    """

    host: str
    port: int
    user: str | None
    password: str | None
    secure: bool
    sender: str

    @classmethod
    def read(cls, url: str, sender: str) -> MailServer:
        """Parse its address; raises BadMailServer."""
        try:
            parts = split_url(url)
            port = parts.port
        except ValueError:
            raise BadMailServer("its port must be a number") from None
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
            raise BadMailServer("it must look like smtp://name:password@mail.example.com:587, or begin with smtps://")
        if "@" not in sender or any(character in sender for character in "\r\n<>"):
            raise BadMailServer("e-mails need a sender: set DEVKIT_MAIL_FROM to an address of yours")
        user = unquote(parts.username) if parts.username else None
        password = unquote(parts.password) if parts.password else None
        secure = parts.scheme == "smtps"
        return cls(parts.hostname, port or (465 if secure else 587), user, password, secure, sender)

    def send(self, message: EmailMessage) -> None:
        """Send one e-mail; raises OSError or smtplib.SMTPException."""
        context = ssl.create_default_context()
        if self.secure:
            with smtplib.SMTP_SSL(self.host, self.port, timeout=TIMEOUT, context=context) as server:
                self._hand_over(server, message)
            return
        with smtplib.SMTP(self.host, self.port, timeout=TIMEOUT) as server:
            server.ehlo()
            if server.has_extn("starttls"):
                server.starttls(context=context)
                server.ehlo()
            elif not Authority(self.host, self.port).is_loopback:
                raise smtplib.SMTPNotSupportedError("the mail server offers no encryption")
            self._hand_over(server, message)

    def _hand_over(self, server: smtplib.SMTP, message: EmailMessage) -> None:
        if self.user is not None:
            server.login(self.user, self.password or "")
        server.send_message(message)


@dataclass(frozen=True, slots=True)
class _Due:
    """An invite to send, with the number of the attempt; read when it was claimed."""

    invite: str
    attempt: int
    claimed_until: datetime
    to: str
    title: str
    inviter: str
    link: str


class Mailer:
    """The thread that sends e-mails.

    A failed e-mail is retried after each delay of `schedule`, in seconds; after the last one, the invite has to be
    created again.
    """

    def __init__(self, database: Database, server: MailServer, addresses: Addresses, schedule: Sequence[float]) -> None:
        self._database, self._server, self._addresses = database, server, addresses
        self._schedule = schedule
        self._pause = min((EVERY, *schedule))
        self._thread = RepeatingThread(
            "mailing", self._round, log=log, failed="due e-mails could not be sent; trying again", retry=self._pause
        )

    def start(self) -> None:
        """Start, with a first check at once."""
        self._thread.start()

    def wake(self) -> None:
        """Check now: an e-mail that is due was committed."""
        self._thread.wake()

    def close(self) -> None:
        """Stop after the current e-mail."""
        self._thread.close(TIMEOUT)

    def _round(self) -> float:
        self.send_due()
        return self._pause

    def send_due(self) -> int:
        """Send what is due; returns how many e-mails were sent."""
        sent = 0
        while not self._thread.stopping.is_set():
            with self._database.transaction(writes=False) as session:
                if not invites.due(session, now(), 1):
                    break
            mail = self._claim()
            if mail is None:
                break  # another process is at it
            sent += self._send(mail)
        return sent

    def _claim(self) -> _Due | None:
        """Claim one e-mail, just before it is sent: its lease lasts longer than that, and the invite still stands."""
        with self._database.transaction(writes=True) as session:
            moment = now()
            for row in invites.due(session, moment, AT_ONCE):
                if invites.claim(session, row, moment + LEASE):
                    return self._due(session, row, moment + LEASE)
        return None

    def _send(self, mail: _Due) -> bool:
        again = None
        try:
            message = invitation(self._server.sender, mail.to, mail.title, mail.inviter, mail.link)
        except ValueError:
            log.warning("the e-mail of invite %s cannot be written; giving up", mail.invite)
            with self._database.transaction(writes=True) as session:
                invites.note_sent(session, mail.invite, mail.claimed_until, None)
            return False
        try:
            self._server.send(message)
        except (OSError, smtplib.SMTPException) as error:
            # The reason may contain the address, which does not belong in a log.
            kind = type(error).__name__
            code = getattr(error, "smtp_code", None)
            reason = f"{kind} {code}" if code else kind
            delay = self._schedule[mail.attempt - 1] if mail.attempt <= len(self._schedule) else None
            again = now() + timedelta(seconds=delay) if delay is not None else None
            then = "trying again" if again else "giving up"
            log.warning("the e-mail of invite %s was not sent (%s); %s", mail.invite, reason, then)
            sent = False
        else:
            sent = True
        with self._database.transaction(writes=True) as session:
            invites.note_sent(session, mail.invite, mail.claimed_until, again)
        return sent

    def _due(self, session: Session, row: EmailInviteRow, claimed_until: datetime) -> _Due:
        organization = rows.find(session, HOST, OrganizationRow, id=row.organization_id)
        inviter = rows.find(session, HOST, UserRow, id=row.invited_by) if row.invited_by else None
        title = one_line(organization.title if organization is not None else "")
        link = self._addresses.app("join", row.organization_id, row.id)
        name = one_line(inviter.display_name) if inviter else ""
        return _Due(row.id, row.attempts, claimed_until, row.email, title, name, link)


def invitation(sender: str, to: str, title: str, inviter: str, link: str) -> EmailMessage:
    """Return the e-mail of an invite; raises ValueError for values that are not valid in a header."""
    message = EmailMessage()
    message["Subject"] = f"You are invited to {title}"
    message["From"] = Address(title, addr_spec=sender)
    message["To"] = Address(addr_spec=to)
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    message["Auto-Submitted"] = "auto-generated"
    who = f"{inviter} invites you" if inviter else "You are invited"
    message.set_content(
        f"{who} to join {title}.\n\nOpen this address to accept. It is valid for 14 days, and only for "
        f"you:\n\n{link}\n\n"
        "If you did not expect this, you can ignore it.\n"
    )
    return message


def one_line(text: str) -> str:
    """Return a text that people wrote as one line without control characters, for a header of an e-mail."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    # The start of an encoded word (RFC 2047) would be decoded on its way into a header.
    return " ".join(printable.replace("=?", "= ?").split())[:200]
