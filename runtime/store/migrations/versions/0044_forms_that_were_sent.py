"""forms that were sent"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0044'
down_revision = '0043'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'sent_forms',
        sa.Column('session_id', sa.String(length=20), nullable=False),
        sa.Column('key', sa.String(length=30), nullable=False),
        sa.Column('about', sa.String(length=300), nullable=False),
        sa.ForeignKeyConstraint(['session_id'], ['tokens.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('session_id', 'key'),
    )
