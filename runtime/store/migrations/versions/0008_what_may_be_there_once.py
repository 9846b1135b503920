"""what may be there once, and an index for each order that is asked for"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

import runtime.store.database


revision = '0008'
down_revision = '0007'
branch_labels = None
depends_on = None

PARTS = (('space_installations', 'space_id'), ('site_installations', 'site_id'))
ORDERED = (
    ('installations', 'integration_id', 'installations_of_integration', 'installations_of_integration'),
    ('installations', 'organization_id', 'installations_of_organization', 'ix_installations_organization_id'),
    ('space_installations', 'installation_id', 'space_installations_of_installation',
     'ix_space_installations_installation_id'),
    ('site_installations', 'installation_id', 'site_installations_of_installation',
     'ix_site_installations_installation_id'),
    ('integrations', 'organization_id', 'integrations_of_organization', 'ix_integrations_organization_id'),
    ('sites', 'organization_id', 'sites_of_organization', 'ix_sites_organization_id'),
    ('spaces', 'organization_id', 'spaces_of_organization', 'ix_spaces_organization_id'),
)


def upgrade() -> None:
    _keep_the_oldest()
    for table, column, name, replaced in ORDERED:
        op.drop_index(replaced, table_name=table)
        op.create_index(name, table, [column, 'created_at', 'id'])
    for table, columns in (
        ('installations', ['integration_id', 'organization_id']),
        *((table, ['installation_id', content]) for table, content in PARTS),
    ):
        _partial(f'{table}_live', table, columns, 'deleted_at IS NULL', unique=True)
        _partial(f'{table}_gone', table, ['deleted_at'], 'deleted_at IS NOT NULL')
    op.create_index('site_spaces_once', 'site_spaces', ['site_id', 'space_id'], unique=True)
    op.create_index('integrations_listed', 'integrations', ['created_at', 'id'])
    _partial('integrations_tunneled', 'integrations', ['tunnel_url'], 'tunnel_url IS NOT NULL')
    op.create_index('external_ids_by_value', 'external_ids', ['value', 'owner_id'])
    for table, name in (
        ('external_ids', 'ix_external_ids_value'),
        ('external_ids', 'ix_external_ids_owner_id'),  # as all of these: what must be unique begins with it
        ('site_spaces', 'ix_site_spaces_site_id'),
        ('integration_versions', 'ix_integration_versions_integration_id'),
        ('tunnels', 'ix_tunnels_organization_id'),
        ('events', 'events_in_lane'),
        ('events', 'events_ended'),
    ):
        op.drop_index(name, table_name=table)
    op.create_index('events_ended', 'events', ['integration_id', 'ended_at', 'seq'])
    _partial('events_standing', 'events', ['seq'], "state IN ('pending', 'failed', 'claimed')")
    _partial('events_held', 'events', ['installation_id', 'due_at'], 'held IS NOT NULL')


def _partial(name: str, table: str, columns: list[str], where: str, *, unique: bool = False) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition)


def _keep_the_oldest() -> None:
    """Leave the oldest of what requests that came at the same time made twice; the others count as uninstalled."""
    moment = sa.bindparam('moment', runtime.store.database.now(), runtime.store.database.UtcTime())
    # What the younger installations had on spaces and sites stays: it belongs to the oldest one from now on.
    younger = _younger('installations', 'integration_id', 'organization_id')
    for table, _ in PARTS:
        op.execute(sa.text(f"""
            UPDATE {table} SET installation_id = (
                SELECT oldest.id FROM installations AS mine JOIN installations AS oldest
                ON oldest.integration_id = mine.integration_id AND oldest.organization_id = mine.organization_id
                WHERE mine.id = {table}.installation_id AND oldest.deleted_at IS NULL
                ORDER BY oldest.created_at, oldest.id LIMIT 1
            ) WHERE deleted_at IS NULL AND installation_id IN (SELECT id FROM installations WHERE {younger})"""))
    for table, columns in (
        ('installations', ('integration_id', 'organization_id')),
        *((table, ('installation_id', content)) for table, content in PARTS),
    ):
        doubles = sa.text(f'UPDATE {table} SET deleted_at = :moment WHERE {_younger(table, *columns)}')
        op.execute(doubles.bindparams(moment))
    op.execute(sa.text("""
        DELETE FROM site_spaces WHERE EXISTS (
            SELECT 1 FROM site_spaces AS other
            WHERE other.site_id = site_spaces.site_id AND other.space_id = site_spaces.space_id AND (
                other.position < site_spaces.position
                OR (other.position = site_spaces.position AND other.id < site_spaces.id)))"""))
    op.execute(sa.text('UPDATE epoch SET n = n + 1'))  # another host may be serving meanwhile


def _younger(table: str, *columns: str) -> str:
    """Match the live rows that have the same values as an older live one."""
    same = ' AND '.join(f'older.{column} = {table}.{column}' for column in columns)
    return f"""{table}.deleted_at IS NULL AND EXISTS (
        SELECT 1 FROM {table} AS older WHERE {same} AND older.deleted_at IS NULL AND (
            older.created_at < {table}.created_at
            OR (older.created_at = {table}.created_at AND older.id < {table}.id)))"""
