"""imports of content"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0030'
down_revision = '0024'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'imports',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('change_request_id', sa.String(length=20), nullable=True),
        sa.Column('page_id', sa.String(length=40), nullable=True),
        sa.Column('user_id', sa.String(length=20), nullable=True),
        sa.Column('source', sa.String(length=20), nullable=False),
        sa.Column('url', sa.Text(), nullable=True),
        sa.Column('blob', sa.String(length=64), nullable=True),
        sa.Column('name', sa.Text(), nullable=False),
        sa.Column('status', sa.String(length=20), nullable=False),
        sa.Column('imported', sa.Integer(), nullable=False),
        sa.Column('total', sa.Integer(), nullable=False),
        sa.Column('problems', sa.JSON(), nullable=False),
        sa.Column('error', sa.Text(), nullable=True),
        sa.Column('revision_id', sa.String(length=20), nullable=False),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('finished_at', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['change_request_id'], ['change_requests.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('imports_of_space', 'imports', ['space_id', 'created_at', 'id'])
    op.create_index('imports_of_change_request', 'imports', ['change_request_id'])
    op.create_index('imports_with_blob', 'imports', ['blob'])
    op.create_index('ix_imports_user_id', 'imports', ['user_id'])
