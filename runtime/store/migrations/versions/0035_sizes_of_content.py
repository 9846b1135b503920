"""how many bytes the content of each space has"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0035'
down_revision = '0034'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'content_sizes',
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('size', sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ['space_id'], ['spaces.id'], name=op.f('fk_content_sizes_space_id_spaces'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('space_id', name=op.f('pk_content_sizes')),
    )
    op.execute(
        'INSERT INTO content_sizes (space_id, size) '
        'SELECT space_id, sum(length(content)) FROM content_pieces GROUP BY space_id'
    )
