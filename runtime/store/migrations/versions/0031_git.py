"""synchronization with repositories of Git"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0031'
down_revision = '0030'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'git_operations',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('direction', sa.String(length=10), nullable=False),
        sa.Column('url', sa.LargeBinary(), nullable=False),
        sa.Column('ref', sa.Text(), nullable=False),
        sa.Column('directory', sa.Text(), nullable=False),
        sa.Column('values', sa.JSON(), nullable=False),
        sa.Column('asked_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('force', sa.Boolean(), nullable=False),
        sa.Column('revision_id', sa.String(length=20), nullable=False),
        sa.Column('user_id', sa.String(length=20), nullable=True),
        sa.Column('commit_id', sa.String(length=64), nullable=True),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('git_operations_of_space', 'git_operations', ['space_id'])
    op.create_index('ix_git_operations_user_id', 'git_operations', ['user_id'])
    op.create_table(
        'git_syncs',
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('provider', sa.String(length=20), nullable=True),
        sa.Column('url', sa.Text(), nullable=True),
        sa.Column('repository', sa.Text(), nullable=True),
        sa.Column('ref', sa.Text(), nullable=True),
        sa.Column('directory', sa.Text(), nullable=True),
        sa.Column('commit_id', sa.String(length=64), nullable=True),
        sa.Column('revision_id', sa.String(length=20), nullable=True),
        sa.Column('same', sa.Boolean(), nullable=False),
        sa.Column('asked_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('direction', sa.String(length=10), nullable=True),
        sa.Column('state', sa.String(length=10), nullable=True),
        sa.Column('error', sa.Text(), nullable=True),
        sa.Column('problems', sa.JSON(), nullable=False),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('space_id'),
    )
