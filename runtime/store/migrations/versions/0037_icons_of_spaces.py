"""icons of spaces, and what must hold before changes of them are merged"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0037'
down_revision = '0036'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('spaces', sa.Column('icon', sa.String(length=2048), nullable=True))
    op.add_column(
        'spaces', sa.Column('merge_rules', sa.JSON(), nullable=False, server_default='{"type": "inherit"}')
    )
