"""reviews of change requests"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = '0024'
down_revision = '0023'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'change_request_reviews',
        sa.Column('id', sa.String(length=20), nullable=False),
        sa.Column('change_request_id', sa.String(length=20), nullable=False),
        sa.Column('user_id', sa.String(length=20), nullable=False),
        sa.Column('requested_by', sa.String(length=20), nullable=True),
        sa.Column('revision_id', sa.String(length=20), nullable=False),
        sa.Column('status', sa.String(length=20), nullable=False),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['change_request_id'], ['change_requests.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['requested_by'], ['users.id'], ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('reviews_of_change_request', 'change_request_reviews', ['change_request_id', 'created_at', 'id'])
    op.create_index('reviews_of_person', 'change_request_reviews', ['user_id'])
    op.create_index('reviews_asked_by', 'change_request_reviews', ['requested_by'])
    op.add_column('comments', sa.Column('review_id', sa.String(length=20), nullable=True))
    op.create_index('comments_of_review', 'comments', ['review_id'])
