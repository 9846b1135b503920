"""invites, and what is known of tokens"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0011'
down_revision = '0010'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'invite_links',
        sa.Column('id', sa.String(length=20), primary_key=True),
        sa.Column(
            'organization_id', sa.String(length=20), sa.ForeignKey('organizations.id', ondelete='CASCADE'), nullable=False
        ),
        sa.Column('role', sa.String(length=10), nullable=True),
        sa.Column('invited_by', sa.String(length=20), sa.ForeignKey('users.id', ondelete='SET NULL'), nullable=True),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index('ix_invite_links_invited_by', 'invite_links', ['invited_by'])
    op.create_index('invite_links_of_organization', 'invite_links', ['organization_id', 'created_at', 'id'])
    op.create_table(
        'email_invites',
        sa.Column('id', sa.String(length=20), primary_key=True),
        sa.Column(
            'organization_id', sa.String(length=20), sa.ForeignKey('organizations.id', ondelete='CASCADE'), nullable=False
        ),
        sa.Column('email', sa.String(length=254), nullable=False),
        sa.Column('role', sa.String(length=10), nullable=True),
        sa.Column('sso', sa.Boolean(), nullable=False),
        sa.Column('invited_by', sa.String(length=20), sa.ForeignKey('users.id', ondelete='SET NULL'), nullable=True),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('attempts', sa.Integer(), nullable=False),
        sa.Column('send_at', sa.DateTime(timezone=True), nullable=True),
        sa.UniqueConstraint('organization_id', 'email', name='one_invite_for_an_address'),
    )
    op.create_index('email_invites_due', 'email_invites', ['send_at'])
    op.create_index('ix_email_invites_invited_by', 'email_invites', ['invited_by'])
    op.add_column('tokens', sa.Column('title', sa.String(length=100), nullable=True))
    op.add_column('tokens', sa.Column('expires_at', sa.DateTime(timezone=True), nullable=True))
    op.add_column('tokens', sa.Column('kind', sa.String(length=10), nullable=False, server_default='token'))
    op.create_index('ix_tokens_expires_at', 'tokens', ['expires_at'])
