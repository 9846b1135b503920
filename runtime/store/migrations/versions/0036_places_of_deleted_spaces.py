"""where deleted spaces stood in sites"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0036'
down_revision = '0035'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'deleted_space_places',
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('site_id', sa.String(length=20), nullable=False),
        sa.Column('place', sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ['space_id'], ['spaces.id'], name=op.f('fk_deleted_space_places_space_id_spaces'), ondelete='CASCADE'
        ),
        sa.ForeignKeyConstraint(
            ['site_id'], ['sites.id'], name=op.f('fk_deleted_space_places_site_id_sites'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('space_id', 'site_id', name=op.f('pk_deleted_space_places')),
    )
    op.create_index(op.f('ix_deleted_space_places_site_id'), 'deleted_space_places', ['site_id'])
