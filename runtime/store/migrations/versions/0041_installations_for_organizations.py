"""installations for organizations"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0041'
down_revision = '0040'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        'installations', sa.Column('for_organization', sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.execute(
        "UPDATE installations SET for_organization = true"
        " WHERE integration_id IN (SELECT id FROM integrations WHERE target = 'organization')"
    )
