"""sections and section groups of sites, and the places of spaces in them"""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op


revision = '0014'
down_revision = '0013'
branch_labels = None
depends_on = None

ID = sa.String(length=20)


def upgrade() -> None:
    _groups_and_sections()
    # SQLite builds the table again for this; nothing refers to it yet.
    with op.batch_alter_table('site_spaces') as batch:
        batch.add_column(sa.Column('section_id', ID, nullable=True))
        batch.create_foreign_key(
            'site_spaces_section_id_fkey', 'site_sections', ['section_id'], ['id'], ondelete='CASCADE'
        )
    for name, length in (('holder_id', 20), ('path', 100)):
        op.add_column('site_spaces', sa.Column(name, sa.String(length=length), nullable=False, server_default=''))
    op.add_column('site_spaces', sa.Column('condition', sa.String(length=1024), nullable=True))
    op.add_column('site_spaces', sa.Column('default_of', ID, nullable=True))
    _place_spaces()
    op.create_index('ix_site_spaces_section_id', 'site_spaces', ['section_id'])
    op.create_index('site_spaces_in_order', 'site_spaces', ['site_id', 'position', 'id'])
    op.create_index('site_spaces_by_path', 'site_spaces', ['holder_id', 'path'], unique=True)
    op.create_index('site_spaces_default', 'site_spaces', ['default_of'], unique=True)


def _groups_and_sections() -> None:
    site = sa.Column('site_id', ID, sa.ForeignKey('sites.id', ondelete='CASCADE'), nullable=False)
    op.create_table(
        'site_section_groups',
        sa.Column('id', ID, primary_key=True),
        site,
        sa.Column('parent_id', ID, sa.ForeignKey('site_section_groups.id', ondelete='SET NULL'), nullable=True),
        sa.Column('title', sa.String(length=100), nullable=False),
        sa.Column('icon', sa.String(length=50), nullable=True),
        sa.Column('position', sa.Integer(), nullable=False),
    )
    op.create_index('ix_site_section_groups_parent_id', 'site_section_groups', ['parent_id'])
    op.create_index('site_section_groups_in_order', 'site_section_groups', ['site_id', 'position', 'id'])
    op.create_table(
        'site_sections',
        sa.Column('id', ID, primary_key=True),
        sa.Column('site_id', ID, sa.ForeignKey('sites.id', ondelete='CASCADE'), nullable=False),
        sa.Column('group_id', ID, sa.ForeignKey('site_section_groups.id', ondelete='SET NULL'), nullable=True),
        sa.Column('title', sa.String(length=128), nullable=False),
        sa.Column('description', sa.String(length=256), nullable=True),
        sa.Column('path', sa.String(length=100), nullable=False),
        sa.Column('icon', sa.String(length=50), nullable=True),
        sa.Column('condition', sa.String(length=1024), nullable=True),
        sa.Column('default_of', ID, nullable=True),
        sa.Column('position', sa.Integer(), nullable=False),
    )
    op.create_index('ix_site_sections_group_id', 'site_sections', ['group_id'])
    op.create_index('site_sections_in_order', 'site_sections', ['site_id', 'position', 'id'])
    op.create_index('site_sections_by_path', 'site_sections', ['site_id', 'path'], unique=True)
    op.create_index('site_sections_default', 'site_sections', ['default_of'], unique=True)


def _place_spaces() -> None:
    """Give each space of a site a path of its title, and make the first of each site its default."""
    connection = op.get_bind()
    found = connection.execute(sa.text(
        'SELECT site_spaces.id, site_id, title FROM site_spaces JOIN spaces ON spaces.id = space_id '
        'ORDER BY site_id, site_spaces.position, site_spaces.id'
    )).all()
    paths: dict[str, list[str]] = {}
    for site_space, site, title in found:
        known = paths.setdefault(site, [])
        first = re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-') or 'space'
        path, number = first, 1
        while path in known:
            number += 1
            path = f'{first}-{number}'
        place = {'id': site_space, 'site': site, 'path': path, 'first': site if not known else None, 'n': len(known)}
        connection.execute(sa.text(
            'UPDATE site_spaces SET holder_id = :site, path = :path, default_of = :first, position = :n WHERE id = :id'
        ), place)
        known.append(path)
