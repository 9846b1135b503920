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
    op.add_column('events', sa.Column('source', sa.String(length=10), nullable=True))
    for source, types in (
        ('people', ('ui_render', 'content_compute_revision', 'content_compute_document')),
        (
            'visitors',
            (
                'fetch',
                'fetch_published_script',
                'fetch_visitor_authentication',
                'site_view',
                'page_feedback',
                'site_policy_violation',
            ),
        ),
    ):
        statement = sa.text('UPDATE events SET source = :source WHERE type IN :types')
        op.execute(statement.bindparams(sa.bindparam('types', types, expanding=True), source=source))
