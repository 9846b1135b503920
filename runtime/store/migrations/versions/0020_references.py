"""what documents refer to, and what spaces said a moment ago"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0020'
down_revision = '0019'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'document_references',
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('name', sa.LargeBinary(length=20), nullable=False),
        sa.Column('found', sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('space_id', 'name'),
    )
    op.add_column('spaces', sa.Column('previous_id', sa.String(length=20), nullable=True))
    op.add_column('spaces', sa.Column('revised_at', sa.DateTime(timezone=True), nullable=True))
