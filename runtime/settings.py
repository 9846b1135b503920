"""Every setting of the host, read once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from runtime.contract.invocation import Limits
from runtime.contract.origins import Authority, authority_of, is_wildcard, read_content_origin

PREFIX = "DEVKIT_"
MOST_WORKERS = 64
LONGEST_DELAY = 30 * 86_400
"""Seconds until something is tried again, at most."""


class BadSetting(ValueError):
    """A setting cannot be read; the message names it."""


def _setting(default: Any, about: str, *, least: float | None = None, most: float | None = None) -> Any:
    """Describe a setting; every number, and every list of numbers, has bounds."""
    return field(default=default, metadata={"about": about, "least": least, "most": most})


@dataclass(frozen=True, slots=True)
class Settings:
    """The host's settings. Each is also an environment variable: `DEVKIT_` and the name in capitals."""

    data: str = _setting("", "folder for the database, the host's keys and content files; put nothing else in it")
    database_url: str = _setting("", "address of the database; empty: SQLite in the data folder")
    blob_url: str = _setting(
        "",
        "where files of the content are kept: `s3://bucket/prefix?endpoint=https://storage.example`, with credentials "
        "as boto3 finds them; empty: a folder in the data folder",
    )
    secret_key: str = _setting(
        "", "any random text of 16 characters or more; empty: a key file made in the data folder"
    )
    public_url: str = _setting("http://127.0.0.1:8080", "address under which people and scripts reach the host")
    content_url: str = _setting(
        "",
        "origin for what scripts answer: `https://*.content.example` gives each integration and each site its own; "
        "empty: the public address",
    )
    tunnel_url: str = _setting(
        "", "address of this very machine's tunnels, where several share a public one; empty: /tunnels below content"
    )
    sandbox: Literal["required", "off"] = _setting("required", "`required`, or `off` to run scripts without a sandbox")
    allow_egress: tuple[str, ...] = _setting(
        (), "private `host` or `host:port` that scripts may reach, comma-separated"
    )
    control_group: str = _setting(
        "", "folder of a control group (version 2) set aside for scripts; empty: the host's own, where it may divide it"
    )
    process_per_installation: bool = _setting(
        False, "give each installation of a JavaScript integration a process of its own"
    )
    preview: bool = _setting(False, "serve the preview pages for authors")
    author_token: str = _setting("", "token of an author, made at the start with a sample organization")
    threads: int = _setting(
        256,
        "requests one process handles at once: half may wait for scripts, an eighth follow streams",
        least=8,
        most=4096,
    )
    workers: int = _setting(1, "processes that serve on this machine", least=1, most=MOST_WORKERS)
    dispatch_threads: int = _setting(
        16,
        "events delivered at once by one process; 0: other hosts deliver them",
        least=0,
        most=1024,
    )
    job_threads: int = _setting(
        4,
        "imports, exports and other background work that one process does at once; 0: other hosts do it",
        least=0,
        most=256,
    )
    broker_url: str = _setting(
        "",
        "RabbitMQ over which the hosts of a database tell each other of work at once, "
        "`amqp://name:password@host/vhost`; empty: each looks for events twice a second, for jobs every second",
    )
    openapi_fetch_seconds: float = _setting(
        30.0, "seconds for each file that an OpenAPI specification is fetched from", least=1, most=600
    )
    lease_seconds: float = _setting(
        10.0, "seconds after which the events of a dead process are taken over", least=1, most=3600
    )
    tunnel_lease_seconds: float = _setting(
        30.0, "seconds after which a tunnel ends that its developer's machine does not renew", least=1, most=3600
    )
    retry_seconds: tuple[float, ...] = _setting(
        (2.0, 10.0, 60.0, 300.0, 1800.0, 7200.0),
        "delays before each further attempt, comma-separated",
        least=0,
        most=LONGEST_DELAY,
    )
    keep_events: int = _setting(
        2000,
        "ended events kept for each integration, and as many that were given up; each source is counted apart",
        least=1,
        most=10_000_000,
    )
    record_renders: int = _setting(
        50,
        "successful renders of one integration that are written into its event log each second, on this machine; the "
        "others are counted",
        least=0,
        most=1_000_000,
    )
    organization_storage: float = _setting(
        50.0,
        "GB that one organization may store, including earlier revisions and versions; 0: no limit",
        least=0,
        most=1_000_000,
    )
    keep_versions: int = _setting(20, "published versions kept for each integration", least=1, most=10_000)
    render_cache_bytes: int = _setting(64 * 1024 * 1024, "memory for cached renders", least=0, most=2**40)
    smtp_url: str = _setting(
        "",
        "mail server for invites, `smtp://name:password@host:587` or `smtps://…`; empty: administrators hand on links",
    )
    mail_from: str = _setting("", "address that e-mails come from")
    mail_retry_seconds: tuple[float, ...] = _setting(
        (30.0, 120.0, 600.0, 3600.0, 21600.0, 86400.0),
        "delays before an e-mail is tried again, comma-separated",
        least=0,
        most=LONGEST_DELAY,
    )
    ask_url: str = _setting(
        "",
        "OpenAI-compatible server that words answers of Ask, `https://api.example.com/v1`; empty: answers are the "
        "passages themselves",
    )
    ask_key: str = _setting("", "key that this server wants")
    ask_model: str = _setting("", "model of this server")
    ask_seconds: float = _setting(60.0, "longest time until the whole answer of the model", least=1, most=3600)
    wall_seconds: float = _setting(Limits().wall, "longest time until a script's answer", least=1, most=86_400)
    cpu_seconds: float = _setting(Limits().cpu, "longest computing time of one call", least=1, most=86_400)
    memory_bytes: int = _setting(Limits().memory, "most memory of one script's process", least=2**24, most=2**40)

    @property
    def limits(self) -> Limits:
        """The limits of one call."""
        return Limits(wall=self.wall_seconds, cpu=self.cpu_seconds, memory=self.memory_bytes)

    @property
    def alone(self) -> bool:
        """Whether no other process serves from the same database."""
        return self.workers == 1 and not self.database_url

    @property
    def content_origin(self) -> str:
        """The origin for what scripts answer; raises BadSetting.

        Pages that hold an author's token never share theirs with scripts: on a machine itself, where browsers know
        every name below `localhost`, the preview runs without the setting.
        """
        public = _public(self.public_url)
        if not self.content_url and self.preview and public.is_loopback and public.name != "localhost":
            return f"http://*.localhost:{public.port}"
        if not self.content_url:
            content = self.public_url.rstrip("/")
        else:
            try:
                content = read_content_origin(self.content_url)
            except ValueError as error:
                raise BadSetting(f"{PREFIX}CONTENT_URL={self.content_url!r}: {error}") from error
        at = authority_of(content.replace("*.", "", 1))
        if self.preview and at == public:
            raise BadSetting(
                f"the preview cannot share the origin {content} with what scripts answer; set {PREFIX}CONTENT_URL to "
                "another one, for example https://*.content.example"
            )
        if is_wildcard(content) and (public.name == at.name or public.name.endswith(f".{at.name}")):
            raise BadSetting(
                f"{PREFIX}PUBLIC_URL={self.public_url!r} is within {PREFIX}CONTENT_URL={self.content_url!r}: scripts "
                f"could set cookies for it; give one of the two a domain of its own"
            )
        return content

    @property
    def blob_address(self) -> str:
        """Where blobs are kept: an address, or an absolute folder."""
        if self.blob_url:
            if not self.blob_url.startswith("s3://"):  # which is not repeated: it may hold a password
                raise BadSetting(
                    f"{PREFIX}BLOB_URL: it must look like s3://bucket/prefix?endpoint=https://storage.example"
                )
            return self.blob_url
        if not self.data:
            raise BadSetting(f"give a data folder (--data DIR) or object storage ({PREFIX}BLOB_URL) for files")
        return str(Path(self.data).absolute() / "blobs")

    @property
    def database_address(self) -> str:
        """The address of the database, whichever setting gave it."""
        if self.database_url:
            return self.database_url
        if not self.data:
            raise BadSetting("give a data folder (--data DIR) or a database (--database-url URL)")
        return f"sqlite:///{Path(self.data).absolute() / 'host.sqlite'}"


def read_settings(environ: dict[str, str] | None = None, **given: Any) -> Settings:
    """Read the settings: what is `given` wins over the environment; raises BadSetting."""
    environ = dict(os.environ) if environ is None else environ
    values: dict[str, Any] = {}
    for entry in fields(Settings):
        text = environ.get(PREFIX + entry.name.upper())
        if text is not None:
            values[entry.name] = _read(entry.name, text, entry.default)
    values |= {name: value for name, value in given.items() if value is not None}
    settings = Settings(**values)
    if settings.sandbox not in ("required", "off"):
        raise BadSetting(f"{PREFIX}SANDBOX={settings.sandbox}: must be `required` or `off`")
    for entry in fields(Settings):
        _check(entry.name, getattr(settings, entry.name), entry.metadata["least"], entry.metadata["most"])
    for name in ("dispatch_threads", "job_threads"):
        if getattr(settings, name) == 0 and (not settings.database_url or settings.database_url.startswith("sqlite")):
            raise BadSetting(
                f"{PREFIX}{name.upper()}=0 leaves this work to other hosts, which must share a PostgreSQL database: "
                f"give it with --database-url or {PREFIX}DATABASE_URL"
            )
    _ = settings.content_origin  # refused now, and not by the first request
    return settings


def _public(url: str) -> Authority:
    try:
        authority = authority_of(url) if urlsplit(url).scheme in ("http", "https") else Authority("", 0)
    except ValueError:
        authority = Authority("", 0)
    if not authority.name:
        raise BadSetting(f"{PREFIX}PUBLIC_URL={url!r} is not an address: write `https://docs.example`")
    return authority


def _check(name: str, value: Any, least: float | None, most: float | None) -> None:
    """Raise BadSetting for a number outside its bounds; NaN is outside of all."""
    if least is None or most is None:
        return
    for one in value if isinstance(value, tuple) else (value,):
        if not least <= one <= most:
            raise BadSetting(f"{PREFIX}{name.upper()}={one}: must be from {least} to {most}")


def _read(name: str, text: str, default: Any) -> Any:
    try:
        if isinstance(default, bool):
            return {"1": True, "true": True, "0": False, "false": False}[text.lower()]
        if isinstance(default, tuple):
            parts = [part.strip() for part in text.split(",") if part.strip()]
            return tuple(float(part) for part in parts) if name.endswith("retry_seconds") else tuple(parts)
        return type(default)(text)
    except (ValueError, KeyError) as error:
        raise BadSetting(f"{PREFIX}{name.upper()}={text!r} cannot be read as {type(default).__name__}") from error
