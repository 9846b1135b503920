"""what sites and their visitors need, and setup events that were held back"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

import runtime.store.database
import runtime.store.secrets


revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Not in batches: SQLite would rebuild the tables, and dropping the old ones would take along what refers to them.
    op.add_column('events', sa.Column('held', sa.Float(), nullable=True))
    for column in (
        sa.Column('basename', sa.String(length=100), nullable=True),
        sa.Column('proxy', sa.String(length=512), nullable=True),
        sa.Column('adaptive_content', sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column('agents_context', sa.String(length=10), nullable=False, server_default='included'),
        sa.Column('visitor_auth_backend', sa.String(length=20), nullable=True),
        sa.Column('visitor_auth_integration', sa.String(length=100), nullable=True),
    ):
        op.add_column('sites', column)

    op.create_table('site_adaptive_schemas',
    sa.Column('site_id', sa.String(length=20), nullable=False),
    sa.Column('json_schema', sa.JSON(), nullable=False),
    sa.Column('updated_at', runtime.store.database.UtcTime(), nullable=False),
    sa.ForeignKeyConstraint(['site_id'], ['sites.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('site_id')
    )
    op.create_table('visitor_sessions',
    sa.Column('digest', sa.LargeBinary(length=32), nullable=False),
    sa.Column('site_id', sa.String(length=20), nullable=False),
    sa.Column('site_installation_id', sa.String(length=20), nullable=False),
    sa.Column('claims', runtime.store.secrets.SealedJson(), nullable=False),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('expires_at', runtime.store.database.UtcTime(), nullable=False),
    sa.ForeignKeyConstraint(['site_id'], ['sites.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['site_installation_id'], ['site_installations.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('digest')
    )
    with op.batch_alter_table('visitor_sessions', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_visitor_sessions_expires_at'), ['expires_at'], unique=False)
        batch_op.create_index(batch_op.f('ix_visitor_sessions_site_id'), ['site_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_visitor_sessions_site_installation_id'), ['site_installation_id'], unique=False)
