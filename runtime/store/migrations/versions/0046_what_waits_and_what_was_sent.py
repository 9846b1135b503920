"""bytes of events that wait, of long configurations, and of the files that an organization sent lately"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0046'
down_revision = '0045'
branch_labels = None
depends_on = None

STANDING = sa.text("state IN ('pending', 'failed', 'claimed')")
OVER = sa.text("state IN ('delivered', 'given-up')")
LARGE = sa.text('size > 0')
OWNERS = {
    'installations': 'organization_id',
    'space_installations': 'installation_id',
    'site_installations': 'installation_id',
}


def upgrade() -> None:
    op.add_column('events', sa.Column('size', sa.Integer(), nullable=True))
    op.execute(f'UPDATE events SET size = length(payload) WHERE {STANDING}')
    op.drop_index('events_waiting', 'events')
    op.create_index(
        'events_waiting', 'events', ['integration_id', 'size'], sqlite_where=STANDING, postgresql_where=STANDING
    )
    op.create_index(
        'events_over', 'events', ['integration_id', 'state', 'source', 'seq'],
        sqlite_where=OVER, postgresql_where=OVER,
    )  # fmt: skip
    for table, owner in OWNERS.items():
        op.add_column(table, sa.Column('size', sa.Integer(), server_default='0', nullable=False))
        # Sealed: about as long as what is in it.
        op.execute(f'UPDATE {table} SET size = length(configuration) WHERE length(configuration) > 4096')
        op.create_index(f'{table}_large', table, [owner, 'size'], sqlite_where=LARGE, postgresql_where=LARGE)
    op.add_column('blobs', sa.Column('organization_id', sa.String(20), nullable=True))
    op.add_column('blobs', sa.Column('sent_at', sa.DateTime(timezone=True), nullable=True))
    op.create_index('blobs_of_organization', 'blobs', ['organization_id', 'sent_at', 'size'])
