"""teams, and when members were last seen"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0007'
down_revision = '0006'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('members', sa.Column('last_seen_at', sa.DateTime(timezone=True), nullable=True))
    for name in ('sso', 'disabled'):
        op.add_column('members', sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index('members_joined', 'members', ['organization_id', 'joined_at', 'user_id'])
    op.create_index('members_seen', 'members', ['organization_id', 'last_seen_at', 'user_id'])
    op.create_table(
        'teams',
        sa.Column('id', sa.String(length=20), primary_key=True),
        sa.Column('organization_id', sa.String(length=20), nullable=False),
        sa.Column('title', sa.String(length=64), nullable=False),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
    )
    op.create_index('teams_of_organization', 'teams', ['organization_id', 'created_at', 'id'])
    op.create_table(
        'team_members',
        sa.Column('team_id', sa.String(length=20), primary_key=True),
        sa.Column('user_id', sa.String(length=20), primary_key=True),
        sa.Column('organization_id', sa.String(length=20), nullable=False),
        sa.Column('role', sa.String(length=10), nullable=False),
        sa.Column('added_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['team_id'], ['teams.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(
            ['organization_id', 'user_id'], ['members.organization_id', 'members.user_id'], ondelete='CASCADE'
        ),
    )
    op.create_index('team_members_of_person', 'team_members', ['organization_id', 'user_id'])
    op.create_index('team_members_in_order', 'team_members', ['team_id', 'added_at', 'user_id'])
