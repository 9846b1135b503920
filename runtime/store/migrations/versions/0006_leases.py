"""for how many seconds a tunnel was leased"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0006'
down_revision = '0005'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('tunnels', sa.Column('lease_seconds', sa.Float(), nullable=False, server_default='0'))
