"""comments on spaces and change requests, their replies and reactions"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0018'
down_revision = '0017'
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        'comments',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('place_id', sa.String(length=20), nullable=False),
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('change_request_id', sa.String(length=20), nullable=True),
        sa.Column('user_id', sa.String(length=20), nullable=False),
        sa.Column('revision_id', sa.String(length=20), nullable=False),
        sa.Column('page_id', sa.String(length=100), nullable=True),
        sa.Column('node_id', sa.String(length=100), nullable=True),
        sa.Column('record_id', sa.String(length=100), nullable=True),
        sa.Column('definition_id', sa.String(length=100), nullable=True),
        sa.Column('document_id', sa.String(length=40), nullable=True),
        sa.Column('node_digest', sa.String(length=40), nullable=True),
        sa.Column('posted_at', moment, nullable=False),
        sa.Column('edited_at', moment, nullable=True),
        sa.Column('resolved_at', moment, nullable=True),
        sa.Column('resolved_by_id', sa.String(length=20), nullable=True),
        sa.Column('node_preview', sa.Text(), nullable=True),
        sa.Column('page', sa.JSON(), nullable=True),
        sa.Column('document', sa.JSON(), nullable=False),
        sa.Column('markdown', sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['change_request_id'], ['change_requests.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['resolved_by_id'], ['users.id'], ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('comments_of_place', 'comments', ['place_id', 'posted_at', 'id'])
    op.create_index('comments_of_space', 'comments', ['space_id'])
    op.create_index('comments_of_change_request', 'comments', ['change_request_id'])
    op.create_index('comments_of_user', 'comments', ['user_id'])
    op.create_index('comments_of_resolver', 'comments', ['resolved_by_id'])
    unresolved = sa.text('resolved_by_id IS NULL')
    op.create_index(
        'comments_open', 'comments', ['place_id'], sqlite_where=unresolved, postgresql_where=unresolved
    )
    op.create_table(
        'comment_replies',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('comment_id', sa.String(length=20), nullable=False),
        sa.Column('space_id', sa.String(length=20), nullable=False),
        sa.Column('user_id', sa.String(length=20), nullable=False),
        sa.Column('posted_at', moment, nullable=False),
        sa.Column('edited_at', moment, nullable=True),
        sa.Column('document', sa.JSON(), nullable=False),
        sa.Column('markdown', sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(['comment_id'], ['comments.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('replies_of_comment', 'comment_replies', ['comment_id', 'posted_at', 'id'])
    op.create_index('replies_of_space', 'comment_replies', ['space_id'])
    op.create_index('replies_of_user', 'comment_replies', ['user_id'])
    op.create_table(
        'comment_reactions',
        sa.Column('on_id', sa.String(length=20), nullable=False),
        sa.Column('emoji', sa.String(length=100), nullable=False),
        sa.Column('user_id', sa.String(length=20), nullable=False),
        sa.Column('comment_id', sa.String(length=20), nullable=False),
        sa.Column('reply_id', sa.String(length=20), nullable=True),
        sa.Column('reacted_at', moment, nullable=False),
        sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['comment_id'], ['comments.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['reply_id'], ['comment_replies.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('on_id', 'emoji', 'user_id'),
    )
    op.create_index('reactions_of_comment', 'comment_reactions', ['comment_id'])
    op.create_index('reactions_of_reply', 'comment_reactions', ['reply_id'])
    op.create_index('reactions_of_user', 'comment_reactions', ['user_id'])
