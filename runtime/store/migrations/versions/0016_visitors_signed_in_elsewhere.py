"""visitors whom the owners of a site sign in themselves"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0016'
down_revision = '0015'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('visitor_sessions') as batch:
        batch.alter_column('site_installation_id', existing_type=sa.String(length=20), nullable=True)
