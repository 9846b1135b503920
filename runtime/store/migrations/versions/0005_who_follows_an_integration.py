"""which integrations somebody follows, so that every process writes their calls down"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('follows',
    sa.Column('process', sa.String(length=20), nullable=False),
    sa.Column('integration_id', sa.String(length=20), nullable=False),
    sa.Column('until', sa.Float(), nullable=False),
    sa.PrimaryKeyConstraint('process', 'integration_id')
    )
