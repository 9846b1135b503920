"""Jobs that nobody needs any more: each kind knows what it is for, and whether that was deleted meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy.orm import Session

from runtime.background.jobs import Job, JobKind
from runtime.contract.identifiers import new_id
from runtime.services.git.job import GIT_SYNC
from runtime.services.importing.job import KIND as IMPORT
from runtime.services.job_kinds import KINDS
from runtime.services.openapi_specs.processing import PROCESSING
from runtime.services.printing.making import PDF_JOB
from runtime.store import secrets
from runtime.store.database import Database, now
from runtime.store.tables.imports import ImportRow
from runtime.store.tables.openapi_specs import OpenApiSpecRow
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.pdfs import PdfRow
from runtime.store.tables.spaces import SpaceRow
from tests import databases


class Made(NamedTuple):
    """What jobs are for."""

    space: SpaceRow
    pdf: PdfRow
    begun: ImportRow
    spec: OpenApiSpecRow

    def is_in_vain(self, session: Session, kind: JobKind) -> bool:
        subject = {PDF_JOB: self.pdf.id, PROCESSING: self.spec.id}.get(kind, self.space.id)
        payload = {"import": self.begun.id, "operation": new_id(), "seconds": 1}
        tools: Any = None  # nothing is done
        job = Job(new_id(), self.space.organization_id, subject, payload, {}, 1, tools, "h", time.monotonic(), kind)
        return kind.is_in_vain(session, job)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    with databases.opened(tmp_path, "sqlite") as database:
        yield database


def make(session: Session) -> Made:
    home = OrganizationRow(id=new_id(), title="Home", hostname="home")
    session.add(home)
    session.flush()
    space = SpaceRow(organization_id=home.id, title="One", emoji="1f4d8")
    session.add(space)
    session.flush()
    pdf = PdfRow(space_id=space.id, revision_id=new_id(), name="One")
    begun = ImportRow(space_id=space.id, source="website", url="https://example.com/", revision_id=new_id())
    spec = OpenApiSpecRow(organization_id=home.id, slug="one")
    session.add_all((pdf, begun, spec))
    session.flush()
    return Made(space, pdf, begun, spec)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_job_is_in_vain_once_what_it_is_for_is_gone(database: Database, kind: JobKind) -> None:
    with database.transaction(writes=True) as session:
        made = make(session)
        assert not made.is_in_vain(session, kind)
        made.space.deleted_at = now()
        session.flush()
        assert made.is_in_vain(session, kind) is (kind is not PROCESSING)  # a specification is in no space
        made.space.deleted_at = None
        session.flush()
        assert not made.is_in_vain(session, kind)
        made.begun.status = "cancelled"
        session.flush()
        assert made.is_in_vain(session, kind) is (kind is IMPORT)
        session.delete(made.spec)
        session.delete(made.pdf)
        session.flush()
        assert made.is_in_vain(session, kind) is (kind is not GIT_SYNC)
