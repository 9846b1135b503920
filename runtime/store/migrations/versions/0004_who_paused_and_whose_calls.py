"""who paused an installation, and who waited for a call"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ('installations', 'space_installations', 'site_installations'):
        op.add_column(table, sa.Column('paused_by_person', sa.Boolean(), nullable=False, server_default=sa.false()))
        # Nobody wrote down who paused what is paused now: people may resume it, as they always may.
        op.execute(sa.text(f'UPDATE {table} SET paused_by_person = paused'))
