"""API specifications of organizations"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0021'
down_revision = '0020'
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        'openapi_specs',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('organization_id', sa.String(length=20), nullable=False),
        sa.Column('slug', sa.String(length=100), nullable=False),
        sa.Column('source_url', sa.String(length=2048), nullable=True),
        sa.Column('source_blob', sa.String(length=64), nullable=True),
        sa.Column('revision', sa.Integer(), nullable=False),
        sa.Column('state', sa.String(length=10), nullable=False),
        sa.Column('error_code', sa.String(length=20), nullable=True),
        sa.Column('errors', sa.JSON(), nullable=False),
        sa.Column('last_version', sa.String(length=20), nullable=True),
        sa.Column('last_processed_at', moment, nullable=True),
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('openapi_specs_by_slug', 'openapi_specs', ['organization_id', 'slug'], unique=True)
    op.create_index('openapi_specs_of_organization', 'openapi_specs', ['organization_id', 'created_at', 'id'])
    op.create_index('openapi_specs_of_blob', 'openapi_specs', ['source_blob'])
    op.create_table(
        'openapi_spec_versions',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('spec_id', sa.String(length=20), nullable=False),
        sa.Column('blob', sa.String(length=64), nullable=False),
        sa.Column('size', sa.BigInteger(), nullable=False),
        sa.Column('created_at', moment, nullable=False),
        sa.ForeignKeyConstraint(['spec_id'], ['openapi_specs.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('openapi_versions_of_spec', 'openapi_spec_versions', ['spec_id', 'created_at', 'id'])
    op.create_index('openapi_versions_of_blob', 'openapi_spec_versions', ['blob'])
