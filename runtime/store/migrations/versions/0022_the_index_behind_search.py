"""the index behind search, which the host fills by itself"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0022'
down_revision = '0021'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index('spaces_by_change', 'spaces', ['updated_at'])
    op.create_table(
        'search_spaces',
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('revision_id', sa.String(length=20), nullable=True),
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('generation', sa.Integer(), nullable=False),
        sa.Column('pages', sa.Integer(), nullable=False),
        sa.Column('leased_until', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('space_id'),
    )
    op.create_table(
        'search_pages',
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('page_id', sa.String(length=100), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('fingerprint', sa.LargeBinary(length=16), nullable=False),
        sa.Column('drawn', sa.LargeBinary(length=16), nullable=True),
        sa.Column('listed', sa.Boolean(), nullable=False),
        sa.Column('title', sa.Text(), nullable=False),
        sa.Column('path', sa.Text(), nullable=False),
        sa.Column('content', sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('space_id', 'page_id'),
    )
    op.create_index('search_pages_by_number', 'search_pages', ['space_id', 'number'], unique=True)
    unlisted = sa.text('NOT listed')
    op.create_index(
        'search_pages_unlisted',
        'search_pages',
        ['space_id', 'number'],
        sqlite_where=unlisted,
        postgresql_where=unlisted,
    )
    op.create_table(
        'search_words',
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('word', sa.LargeBinary(length=160), nullable=False),
        sa.Column('backward', sa.LargeBinary(length=160), nullable=False),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('space_id', 'word'),
        sqlite_with_rowid=False,
    )
    op.create_index('search_words_backward', 'search_words', ['space_id', 'backward'])
    op.create_table(
        'search_postings',
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('word', sa.LargeBinary(length=160), nullable=False),
        sa.Column('chunk', sa.Integer(), nullable=False),
        sa.Column('entries', sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('space_id', 'word', 'chunk'),
        sqlite_with_rowid=False,
    )
