"""who turned development mode on"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0038'
down_revision = '0037'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('integrations', sa.Column('tunnel_by', sa.String(length=20), nullable=True))
