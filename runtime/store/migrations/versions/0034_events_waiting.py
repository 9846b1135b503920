"""events that wait, by integration"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0034'
down_revision = '0033'
branch_labels = None
depends_on = None

STANDING = sa.text("state IN ('pending', 'failed', 'claimed')")


def upgrade() -> None:
    op.create_index(
        'events_waiting', 'events', ['integration_id'], sqlite_where=STANDING, postgresql_where=STANDING
    )
