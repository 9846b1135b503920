"""collections, what is given on them and on spaces, and translation settings"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from runtime.store.database import UtcTime


revision = '0013'
down_revision = '0012'
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        'collections',
        sa.Column('id', sa.String(length=20), primary_key=True),
        sa.Column('organization_id', sa.String(length=20), nullable=False),
        sa.Column('parent_id', sa.String(length=20), nullable=True),
        sa.Column('title', sa.String(length=50), nullable=False),
        sa.Column('description', sa.String(length=100), nullable=True),
        sa.Column('default_level', sa.String(length=10), nullable=True),
        sa.Column('effective_level', sa.Integer(), nullable=True),
        sa.Column('position', sa.BigInteger(), nullable=False),
        sa.Column('created_at', MOMENT, nullable=False),
        sa.Column('updated_at', MOMENT, nullable=False),
        sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['parent_id'], ['collections.id'], ondelete='CASCADE'),
    )
    op.create_index('collections_of_organization', 'collections', ['organization_id', 'position', 'id'])
    op.create_index('collections_in_collection', 'collections', ['parent_id', 'position', 'id'])
    op.create_table(
        'collection_ancestors',
        sa.Column('collection_id', sa.String(length=20), primary_key=True),
        sa.Column('ancestor_id', sa.String(length=20), primary_key=True),
        sa.ForeignKeyConstraint(['collection_id'], ['collections.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['ancestor_id'], ['collections.id'], ondelete='CASCADE'),
    )
    op.create_index('ix_collection_ancestors_ancestor_id', 'collection_ancestors', ['ancestor_id'])
    _change_spaces()
    _add_grants()
    op.create_table(
        'translations',
        sa.Column('id', sa.String(length=20), primary_key=True),
        sa.Column('organization_id', sa.String(length=20), nullable=False),
        sa.Column('title', sa.String(length=100), nullable=False),
        sa.Column('languages', sa.JSON(), nullable=False),
        sa.Column('created_at', MOMENT, nullable=False),
        sa.Column('updated_at', MOMENT, nullable=False),
        sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
    )
    op.create_index('translations_of_organization', 'translations', ['organization_id', 'created_at', 'id'])


def _change_spaces() -> None:
    # As text: Alembic would add the reference in a second step, and SQLite takes it with the column only.
    op.execute(
        'ALTER TABLE spaces ADD COLUMN collection_id VARCHAR(20) REFERENCES collections (id) ON DELETE SET NULL'
    )
    op.add_column('spaces', sa.Column('position', sa.BigInteger(), nullable=False, server_default='0'))
    connection = op.get_bind()
    spaces = sa.table('spaces', sa.column('id'), sa.column('created_at', UtcTime()), sa.column('position'))
    made = connection.execute(sa.select(spaces.c.id, spaces.c.created_at)).all()
    if made:
        change = spaces.update().where(spaces.c.id == sa.bindparam('one')).values(position=sa.bindparam('at'))
        connection.execute(
            change, [{'one': one, 'at': round(moment.timestamp() * 1_000_000)} for one, moment in made]
        )
    op.create_index('spaces_in_collection', 'spaces', ['collection_id', 'position', 'id'])
    gone = sa.text('deleted_at IS NOT NULL')
    op.create_index('spaces_gone', 'spaces', ['deleted_at'], sqlite_where=gone, postgresql_where=gone)


def _add_grants() -> None:
    op.create_table(
        'grants',
        sa.Column('id', sa.String(length=20), primary_key=True),
        sa.Column('organization_id', sa.String(length=20), nullable=False),
        sa.Column('space_id', sa.String(length=20), nullable=True),
        sa.Column('collection_id', sa.String(length=20), nullable=True),
        sa.Column('user_id', sa.String(length=20), nullable=True),
        sa.Column('team_id', sa.String(length=20), nullable=True),
        sa.Column('role', sa.String(length=10), nullable=False),
        sa.Column('created_at', MOMENT, nullable=False),
        sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['collection_id'], ['collections.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['team_id'], ['teams.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(
            ['organization_id', 'user_id'], ['members.organization_id', 'members.user_id'], ondelete='CASCADE'
        ),
    )
    for who in ('person', 'team'):
        for place in ('space', 'collection'):
            columns = [f'{place}_id', 'user_id' if who == 'person' else 'team_id']
            op.create_index(f'grants_{who}_on_{place}', 'grants', columns, unique=True)
    op.create_index('ix_grants_organization_id', 'grants', ['organization_id'])
    op.create_index('ix_grants_team_id', 'grants', ['team_id'])
    op.create_index('grants_of_person', 'grants', ['user_id', 'organization_id'])
    op.create_index('grants_on_space', 'grants', ['space_id', 'created_at', 'id'])
    op.create_index('grants_on_collection', 'grants', ['collection_id', 'created_at', 'id'])
