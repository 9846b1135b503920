"""settings of organizations"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0009'
down_revision = '0008'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # One by one: SQLite would rebuild the table in a batch, and dropping the old one takes along what refers to it.
    op.add_column('organizations', sa.Column('default_content', sa.JSON(), nullable=True))
    op.add_column('organizations', sa.Column('email_domains', sa.JSON(), nullable=False, server_default='[]'))
    op.add_column('organizations', sa.Column('logo', sa.String(length=2048), nullable=True))
    for name in ('sso', 'ai', 'invite_links'):
        op.add_column('organizations', sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column(
        'organizations', sa.Column('merge_rules', sa.JSON(), nullable=False, server_default='{"type": "none"}')
    )
