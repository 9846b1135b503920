"""change requests of a space by status, in order"""

from __future__ import annotations

from alembic import op

revision = '0033'
down_revision = '0032'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index('change_requests_by_status', 'change_requests', ['space_id', 'status', 'created_at', 'id'])
