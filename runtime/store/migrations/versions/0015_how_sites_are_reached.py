"""share links, redirects and looks of sites, and the key of their visitors"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

import runtime.store.database
import runtime.store.secrets


revision = '0015'
down_revision = '0014'
branch_labels = None
depends_on = None

ID = sa.String(length=20)


def upgrade() -> None:
    op.add_column('sites', sa.Column('auth_revision', sa.Integer(), nullable=False, server_default='1'))
    op.add_column('sites', sa.Column('fallback_url', sa.String(length=2048), nullable=True))
    _keep_the_oldest_proxy()
    op.create_index('sites_proxy', 'sites', ['proxy'], unique=True)
    op.create_table(
        'site_share_links',
        sa.Column('id', ID, primary_key=True),
        sa.Column('site_id', ID, sa.ForeignKey('sites.id', ondelete='CASCADE'), nullable=False),
        sa.Column('name', sa.String(length=50), nullable=False),
        sa.Column('active', sa.Boolean(), nullable=False),
        sa.Column('key', runtime.store.secrets.SealedText(), nullable=False),
        sa.Column('digest', sa.LargeBinary(length=32), nullable=False, unique=True),
        sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    )
    op.create_index('site_share_links_in_order', 'site_share_links', ['site_id', 'created_at', 'id'])
    op.create_table(
        'site_redirects',
        sa.Column('id', ID, primary_key=True),
        sa.Column('site_id', ID, sa.ForeignKey('sites.id', ondelete='CASCADE'), nullable=False),
        sa.Column('source', sa.String(length=512), nullable=False),
        sa.Column('site_section_id', ID, sa.ForeignKey('site_sections.id', ondelete='CASCADE'), nullable=True),
        sa.Column('site_space_id', ID, sa.ForeignKey('site_spaces.id', ondelete='CASCADE'), nullable=True),
        sa.Column('page_id', sa.String(length=100), nullable=True),
        sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    )
    op.create_index('ix_site_redirects_site_section_id', 'site_redirects', ['site_section_id'])
    op.create_index('ix_site_redirects_site_space_id', 'site_redirects', ['site_space_id'])
    op.create_index('site_redirects_in_order', 'site_redirects', ['site_id', 'created_at', 'id'])
    op.create_index('site_redirects_by_source', 'site_redirects', ['site_id', 'source'], unique=True)
    op.create_table(
        'site_customizations',
        sa.Column('site_id', ID, sa.ForeignKey('sites.id', ondelete='CASCADE'), primary_key=True),
        sa.Column('settings', sa.JSON(), nullable=False),
    )
    op.create_table(
        'site_space_customizations',
        sa.Column('site_space_id', ID, sa.ForeignKey('site_spaces.id', ondelete='CASCADE'), primary_key=True),
        sa.Column('overrides', sa.JSON(), nullable=False),
    )


def _keep_the_oldest_proxy() -> None:
    """Leave an address to the oldest of the sites that claim it; names of hosts are in small letters from now on."""
    connection = op.get_bind()
    op.execute(sa.text('UPDATE sites SET proxy = NULL WHERE deleted_at IS NOT NULL'))
    claimed = connection.execute(sa.text('SELECT id, proxy FROM sites WHERE proxy IS NOT NULL')).all()
    for site, proxy in claimed:
        host, slash, path = proxy.partition('/')
        if host != host.lower():
            values = {'id': site, 'proxy': host.lower() + slash + path}
            connection.execute(sa.text('UPDATE sites SET proxy = :proxy WHERE id = :id'), values)
    op.execute(sa.text("""
        UPDATE sites SET proxy = NULL WHERE proxy IS NOT NULL AND EXISTS (
            SELECT 1 FROM sites AS other WHERE other.proxy = sites.proxy AND (
                other.created_at < sites.created_at
                OR (other.created_at = sites.created_at AND other.id < sites.id)))"""))
