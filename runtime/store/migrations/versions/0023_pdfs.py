"""PDFs of content"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0023'
down_revision = '0022'
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        'pdfs',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('revision_id', sa.String(length=20), nullable=False),
        sa.Column('page_id', sa.String(length=100), nullable=False),
        sa.Column('only', sa.Boolean(), nullable=False),
        sa.Column('name', sa.String(length=200), nullable=False),
        sa.Column('blob', sa.String(length=64), nullable=True),
        sa.Column('size', sa.BigInteger(), nullable=False),
        sa.Column('problem', sa.String(length=500), nullable=True),
        sa.Column('created_at', moment, nullable=False),
        sa.Column('used_at', moment, nullable=False),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('pdfs_of_what', 'pdfs', ['space_id', 'revision_id', 'page_id', 'only'], unique=True)
    op.create_index('pdfs_by_use', 'pdfs', ['used_at', 'id'])
    op.create_index('pdfs_of_blob', 'pdfs', ['blob'])
