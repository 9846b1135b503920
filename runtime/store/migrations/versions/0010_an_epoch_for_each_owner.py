"""an epoch for each organization, integration and person"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0010'
down_revision = '0009'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'epochs',
        sa.Column('owner', sa.String(length=24), primary_key=True),
        sa.Column('n', sa.BigInteger(), nullable=False),
    )
    op.execute("INSERT INTO epochs (owner, n) SELECT '*', n FROM epoch")
    for owners in ('organizations', 'integrations', 'users'):
        op.execute(f"INSERT INTO epochs (owner, n) SELECT id, 1 FROM {owners}")
    op.execute("INSERT INTO epochs (owner, n) SELECT '=' || id, 1 FROM organizations")
    op.drop_table('epoch')
