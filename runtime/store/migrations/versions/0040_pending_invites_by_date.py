"""pending invites by date"""

from __future__ import annotations

from alembic import op

revision = '0040'
down_revision = '0039'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index('email_invites_of_organization', 'email_invites', ['organization_id', 'created_at', 'id'])
