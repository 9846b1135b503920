"""work that goes on in the background, and blobs"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0019'
down_revision = '0018'
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        'jobs',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('organization_id', sa.String(length=20), nullable=False),
        sa.Column('subject', sa.String(length=100), nullable=False),
        sa.Column('payload', sa.JSON(), nullable=False),
        sa.Column('progress', sa.JSON(), nullable=False),
        sa.Column('attempts', sa.Integer(), nullable=False),
        sa.Column('due_at', moment, nullable=False),
        sa.Column('holder', sa.String(length=20), nullable=True),
        sa.Column('leased_until', moment, nullable=True),
        sa.Column('created_at', moment, nullable=False),
        sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('jobs_due', 'jobs', ['due_at', 'id'])
    op.create_index('jobs_of_subject', 'jobs', ['kind', 'subject'])
    op.create_index('jobs_of_organization', 'jobs', ['organization_id'])
    op.create_table(
        'blobs',
        sa.Column('name', sa.String(length=64), nullable=False),
        sa.Column('size', sa.BigInteger(), nullable=False),
        sa.Column('touched_at', moment, nullable=False),
        sa.PrimaryKeyConstraint('name'),
    )
    op.create_index('blobs_touched', 'blobs', ['touched_at', 'name'])
    op.create_table(
        'space_blobs',
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('name', sa.String(length=64), nullable=False),
        sa.Column('size', sa.BigInteger(), nullable=False),
        sa.Column('added_at', moment, nullable=False),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('space_id', 'name'),
    )
    op.create_index('space_blobs_of_blob', 'space_blobs', ['name'])
