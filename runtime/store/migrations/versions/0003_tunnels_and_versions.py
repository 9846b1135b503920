"""tunnels to developers' machines, what a version was published with, and when events ended"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

import runtime.store.database


revision = '0003'
down_revision = '0002'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('tunnels',
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('organization_id', sa.String(length=20), nullable=False),
    sa.Column('user_id', sa.String(length=20), nullable=False),
    sa.Column('name', sa.String(length=100), nullable=False),
    sa.Column('url', sa.String(length=256), nullable=False),
    sa.Column('leased_until', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('organization_id', 'user_id', 'name')
    )
    with op.batch_alter_table('tunnels', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_tunnels_organization_id'), ['organization_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_tunnels_url'), ['url'], unique=False)
        batch_op.create_index(batch_op.f('ix_tunnels_user_id'), ['user_id'], unique=False)
    op.add_column('events', sa.Column('ended_at', sa.Float(), nullable=True))
    op.add_column('events', sa.Column('body', sa.LargeBinary(), nullable=True))
    op.create_index('events_ended', 'events', ['integration_id', 'ended_at'], unique=False)
    # Versions of before hold nothing of it: they can be listed, and not gone back to.
    op.add_column('integration_versions', sa.Column('published', sa.JSON(), nullable=True))
    op.add_column('integration_versions', sa.Column('published_by', sa.String(length=20), nullable=True))
