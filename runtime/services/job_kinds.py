"""Every kind of background job."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.background.jobs import JobKind
from runtime.services.git.job import GIT_SYNC
from runtime.services.importing import job as importing
from runtime.services.openapi_specs.processing import PROCESSING
from runtime.services.printing.making import PDF_JOB

KINDS: Sequence[JobKind] = (PROCESSING, PDF_JOB, importing.KIND, GIT_SYNC)
