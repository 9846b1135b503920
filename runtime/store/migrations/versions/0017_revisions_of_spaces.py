"""revisions of spaces, the pieces that they share, and change requests"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0017'
down_revision = '0016'
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        'revisions',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('type', sa.String(length=10), nullable=False),
        sa.Column('parents', sa.JSON(), nullable=False),
        sa.Column('user_id', sa.String(length=20), nullable=True),
        sa.Column('pages', sa.LargeBinary(), nullable=False),
        sa.Column('files', sa.LargeBinary(), nullable=False),
        sa.Column('reusable_contents', sa.LargeBinary(), nullable=False),
        sa.Column('variables', sa.JSON(), nullable=False),
        sa.Column('git', sa.JSON(), nullable=True),
        sa.Column('merged_from', sa.String(length=20), nullable=True),
        sa.Column('created_at', moment, nullable=False),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('revisions_of_space', 'revisions', ['space_id', 'created_at', 'id'])
    op.create_index('ix_revisions_user_id', 'revisions', ['user_id'])
    op.create_table(
        'content_pieces',
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('name', sa.LargeBinary(length=20), nullable=False),
        sa.Column('content', sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('space_id', 'name'),
    )
    op.create_table(
        'change_requests',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('status', sa.String(length=10), nullable=False),
        sa.Column('subject', sa.String(length=100), nullable=False),
        sa.Column('description', sa.JSON(), nullable=True),
        sa.Column('user_id', sa.String(length=20), nullable=False),
        sa.Column('revision_id', sa.String(length=20), nullable=False),
        sa.Column('initial_id', sa.String(length=20), nullable=False),
        sa.Column('ancestor_id', sa.String(length=20), nullable=False),
        sa.Column('merged_ancestor_id', sa.String(length=20), nullable=True),
        sa.Column('merged_id', sa.String(length=20), nullable=True),
        sa.Column('contributors', sa.JSON(), nullable=False),
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('change_requests_of_space', 'change_requests', ['space_id', 'created_at', 'id'])
    op.create_index('change_requests_by_number', 'change_requests', ['space_id', 'number'], unique=True)
    op.create_index('ix_change_requests_user_id', 'change_requests', ['user_id'])
    op.create_table(
        'requested_reviewers',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('change_request_id', sa.String(length=20), nullable=False),
        sa.Column('user_id', sa.String(length=20), nullable=False),
        sa.Column('requested_by', sa.String(length=20), nullable=False),
        sa.Column('revision_id', sa.String(length=20), nullable=False),
        sa.Column('created_at', moment, nullable=False),
        sa.ForeignKeyConstraint(['change_request_id'], ['change_requests.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['requested_by'], ['users.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('requested_reviewers_in_order', 'requested_reviewers', ['change_request_id', 'created_at', 'id'])
    op.create_index('requested_reviewers_once', 'requested_reviewers', ['change_request_id', 'user_id'], unique=True)
    op.create_index('ix_requested_reviewers_user_id', 'requested_reviewers', ['user_id'])
    op.create_index('ix_requested_reviewers_requested_by', 'requested_reviewers', ['requested_by'])
    # Every space has had a revision by its id; now there is one, with nothing in it.
    spaces, revisions = sa.table('spaces', *map(sa.column, ('id', 'revision_id', 'created_at'))), sa.table(
        'revisions',
        *map(sa.column, ('id', 'space_id', 'type', 'created_at')),
        sa.column('parents', sa.JSON()),
        sa.column('variables', sa.JSON()),
        *(sa.column(name, sa.LargeBinary()) for name in ('pages', 'files', 'reusable_contents')),
    )
    empty = [sa.literal(b'', sa.LargeBinary())] * 3
    nothing = [sa.literal([], sa.JSON()), sa.literal({}, sa.JSON())]
    columns = ['id', 'space_id', 'created_at', 'type', 'parents', 'variables', 'pages', 'files', 'reusable_contents']
    query = sa.select(spaces.c.revision_id, spaces.c.id, spaces.c.created_at, sa.literal('edits'), *nothing, *empty)
    op.execute(revisions.insert().from_select(columns, query))
