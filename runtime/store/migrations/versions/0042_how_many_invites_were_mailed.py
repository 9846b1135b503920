"""how many invites were mailed"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0042'
down_revision = '0041'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'invite_emails',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('organization_id', sa.String(length=20), nullable=False),
        sa.Column('user_id', sa.String(length=20), nullable=True),
        sa.Column('email', sa.String(length=254), nullable=False),
        sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('invite_emails_of_organization', 'invite_emails', ['organization_id', 'expires_at'])
    op.create_index('invite_emails_of_person', 'invite_emails', ['user_id', 'expires_at'])
    op.create_index('invite_emails_over', 'invite_emails', ['expires_at'])
