"""identity providers, sign-ins, and sessions that end at the border of one organization"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0012'
down_revision = '0011'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'saml_providers',
        sa.Column('id', sa.String(length=20), primary_key=True),
        sa.Column(
            'organization_id', sa.String(length=20), sa.ForeignKey('organizations.id', ondelete='CASCADE'), nullable=False
        ),
        sa.Column('label', sa.String(length=30), nullable=False),
        sa.Column('sso_url', sa.String(length=2048), nullable=False),
        sa.Column('entity_id', sa.String(length=1024), nullable=False),
        sa.Column('certificate', sa.Text(), nullable=False),
        sa.Column('default_team', sa.String(length=20), sa.ForeignKey('teams.id', ondelete='SET NULL'), nullable=True),
        sa.Column('default_role', sa.String(length=10), nullable=True),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index('saml_providers_of_organization', 'saml_providers', ['organization_id', 'created_at', 'id'])
    op.create_index('ix_saml_providers_default_team', 'saml_providers', ['default_team'])
    op.create_table(
        'saml_sign_ins',
        sa.Column('id', sa.String(length=48), primary_key=True),
        sa.Column(
            'provider_id', sa.String(length=20), sa.ForeignKey('saml_providers.id', ondelete='CASCADE'), nullable=False
        ),
        sa.Column('browser', sa.LargeBinary(length=32), nullable=False),
        sa.Column('next', sa.String(length=2048), nullable=False),
        sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('code', sa.LargeBinary(length=32), nullable=True),
        sa.Column('user_id', sa.String(length=20), sa.ForeignKey('users.id', ondelete='CASCADE'), nullable=True),
        sa.Column('signed_in_until', sa.DateTime(timezone=True), nullable=True),
    )
    op.create_index('ix_saml_sign_ins_provider_id', 'saml_sign_ins', ['provider_id'])
    op.create_index('ix_saml_sign_ins_expires_at', 'saml_sign_ins', ['expires_at'])
    op.create_index('ix_saml_sign_ins_code', 'saml_sign_ins', ['code'])
    op.create_index('ix_saml_sign_ins_user_id', 'saml_sign_ins', ['user_id'])
    with op.batch_alter_table('tokens') as batch:
        batch.add_column(sa.Column('organization_id', sa.String(length=20), nullable=True))
        batch.add_column(sa.Column('sso', sa.Boolean(), nullable=False, server_default=sa.true()))
        batch.add_column(sa.Column('parent_id', sa.String(length=20), nullable=True))
        batch.create_foreign_key('sessions_of_token', 'tokens', ['parent_id'], ['id'], ondelete='CASCADE')
        batch.create_foreign_key(
            'tokens_of_organization', 'organizations', ['organization_id'], ['id'], ondelete='CASCADE'
        )
    op.create_index('ix_tokens_parent_id', 'tokens', ['parent_id'])
    op.create_index('ix_tokens_organization_id', 'tokens', ['organization_id'])
