"""hostnames of organizations that have none"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from runtime.store.organizations import free_hostname

revision = '0032'
down_revision = '0031'
branch_labels = None
depends_on = None

ORGANIZATIONS = sa.table('organizations', sa.column('id'), sa.column('title'), sa.column('hostname'))


def upgrade() -> None:
    connection = op.get_bind()
    rows = connection.execute(sa.select(ORGANIZATIONS).order_by(ORGANIZATIONS.c.id)).all()
    taken = {row.hostname for row in rows}
    for row in rows:
        if row.hostname is None:
            hostname = free_hostname(row.title, lambda name: name not in taken)
            taken.add(hostname)
            connection.execute(sa.update(ORGANIZATIONS).where(ORGANIZATIONS.c.id == row.id).values(hostname=hostname))
