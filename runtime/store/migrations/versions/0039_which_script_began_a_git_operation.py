"""which script began a git operation"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0039'
down_revision = '0038'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('git_operations', sa.Column('integration_id', sa.String(length=20), nullable=True))
    op.add_column('git_operations', sa.Column('installation_id', sa.String(length=20), nullable=True))
