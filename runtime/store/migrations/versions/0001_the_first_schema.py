"""the first schema"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

import runtime.store.database
import runtime.store.secrets


revision = '0001'
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('events',
    sa.Column('seq', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('integration_id', sa.String(length=20), nullable=False),
    sa.Column('installation_id', sa.String(length=20), nullable=True),
    sa.Column('lane', sa.String(length=20), nullable=False),
    sa.Column('type', sa.String(length=40), nullable=False),
    sa.Column('payload', runtime.store.secrets.SealedText(), nullable=False),
    sa.Column('state', sa.String(length=10), nullable=False),
    sa.Column('attempts', sa.Integer(), nullable=False),
    sa.Column('due_at', sa.Float(), nullable=False),
    sa.Column('lease_owner', sa.String(length=20), nullable=True),
    sa.Column('lease_until', sa.Float(), nullable=True),
    sa.Column('answer', sa.Integer(), nullable=True),
    sa.Column('duration_ms', sa.Float(), nullable=True),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('trace', runtime.store.secrets.SealedText(), nullable=True),
    sa.PrimaryKeyConstraint('seq'),
    sa.UniqueConstraint('id')
    )
    with op.batch_alter_table('events', schema=None) as batch_op:
        batch_op.create_index('events_due', ['state', 'due_at'], unique=False)
        batch_op.create_index('events_in_lane', ['lane', 'state'], unique=False)
        batch_op.create_index('events_of_integration', ['integration_id', 'seq'], unique=False)
        batch_op.create_index(batch_op.f('ix_events_installation_id'), ['installation_id'], unique=False)

    op.create_table('external_ids',
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('owner_id', sa.String(length=20), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('value', sa.String(length=500), nullable=False),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('owner_id', 'position')
    )
    with op.batch_alter_table('external_ids', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_external_ids_owner_id'), ['owner_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_external_ids_value'), ['value'], unique=False)

    op.create_table('organizations',
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('title', sa.String(length=255), nullable=False),
    sa.Column('hostname', sa.String(length=32), nullable=True),
    sa.Column('type', sa.String(length=20), nullable=False),
    sa.Column('default_role', sa.String(length=10), nullable=True),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('hostname')
    )
    op.create_table('users',
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('display_name', sa.String(length=100), nullable=False),
    sa.Column('email', sa.String(length=320), nullable=False),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('email')
    )
    op.create_table('integrations',
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('name', sa.String(length=100), nullable=False),
    sa.Column('organization_id', sa.String(length=20), nullable=False),
    sa.Column('version_id', sa.String(length=20), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('visibility', sa.String(length=10), nullable=False),
    sa.Column('target', sa.String(length=20), nullable=False),
    sa.Column('title', sa.String(length=30), nullable=False),
    sa.Column('manifest', sa.JSON(), nullable=False),
    sa.Column('signing_secret', runtime.store.secrets.SealedJson(), nullable=False),
    sa.Column('tunnel_url', sa.String(length=256), nullable=True),
    sa.Column('tunnel_all', sa.Boolean(), nullable=False),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('updated_at', runtime.store.database.UtcTime(), nullable=False),
    sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('name')
    )
    with op.batch_alter_table('integrations', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_integrations_organization_id'), ['organization_id'], unique=False)

    op.create_table('members',
    sa.Column('organization_id', sa.String(length=20), nullable=False),
    sa.Column('user_id', sa.String(length=20), nullable=False),
    sa.Column('role', sa.String(length=10), nullable=True),
    sa.Column('joined_at', runtime.store.database.UtcTime(), nullable=False),
    sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('organization_id', 'user_id')
    )
    with op.batch_alter_table('members', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_members_user_id'), ['user_id'], unique=False)

    op.create_table('sites',
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('organization_id', sa.String(length=20), nullable=False),
    sa.Column('type', sa.String(length=20), nullable=False),
    sa.Column('title', sa.String(length=128), nullable=False),
    sa.Column('visibility', sa.String(length=20), nullable=False),
    sa.Column('published', sa.Boolean(), nullable=False),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('deleted_at', runtime.store.database.UtcTime(), nullable=True),
    sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('sites', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_sites_organization_id'), ['organization_id'], unique=False)

    op.create_table('spaces',
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('organization_id', sa.String(length=20), nullable=False),
    sa.Column('title', sa.String(length=50), nullable=False),
    sa.Column('emoji', sa.String(length=50), nullable=False),
    sa.Column('visibility', sa.String(length=20), nullable=False),
    sa.Column('edit_mode', sa.String(length=10), nullable=False),
    sa.Column('language', sa.String(length=10), nullable=True),
    sa.Column('revision_id', sa.String(length=20), nullable=False),
    sa.Column('default_level', sa.String(length=10), nullable=True),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('updated_at', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('deleted_at', runtime.store.database.UtcTime(), nullable=True),
    sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('spaces', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_spaces_organization_id'), ['organization_id'], unique=False)

    op.create_table('tokens',
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('user_id', sa.String(length=20), nullable=False),
    sa.Column('digest', sa.LargeBinary(length=32), nullable=False),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('digest')
    )
    with op.batch_alter_table('tokens', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_tokens_user_id'), ['user_id'], unique=False)

    op.create_table('installations',
    sa.Column('integration_id', sa.String(length=20), nullable=False),
    sa.Column('organization_id', sa.String(length=20), nullable=False),
    sa.Column('space_selection', sa.String(length=10), nullable=False),
    sa.Column('site_selection', sa.String(length=10), nullable=False),
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('status', sa.String(length=10), nullable=False),
    sa.Column('paused', sa.Boolean(), nullable=False),
    sa.Column('configuration', runtime.store.secrets.SealedJson(), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    sa.Column('signing_secret', runtime.store.secrets.SealedJson(), nullable=False),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('updated_at', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('deleted_at', runtime.store.database.UtcTime(), nullable=True),
    sa.ForeignKeyConstraint(['integration_id'], ['integrations.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['organization_id'], ['organizations.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('installations', schema=None) as batch_op:
        batch_op.create_index('installations_of_integration', ['integration_id', 'organization_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_installations_organization_id'), ['organization_id'], unique=False)

    op.create_table('integration_versions',
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('integration_id', sa.String(length=20), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('runtime', sa.String(length=10), nullable=False),
    sa.Column('entry', sa.String(length=200), nullable=False),
    sa.Column('script', sa.Text(), nullable=True),
    sa.Column('secrets', runtime.store.secrets.SealedJson(), nullable=False),
    sa.Column('report', sa.JSON(), nullable=False),
    sa.Column('icon', sa.LargeBinary(), nullable=True),
    sa.Column('previews', sa.Integer(), nullable=False),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.ForeignKeyConstraint(['integration_id'], ['integrations.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('integration_id', 'number')
    )
    with op.batch_alter_table('integration_versions', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_integration_versions_integration_id'), ['integration_id'], unique=False)

    op.create_table('site_spaces',
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('site_id', sa.String(length=20), nullable=False),
    sa.Column('space_id', sa.String(length=20), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.ForeignKeyConstraint(['site_id'], ['sites.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('site_spaces', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_site_spaces_site_id'), ['site_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_site_spaces_space_id'), ['space_id'], unique=False)

    op.create_table('integration_previews',
    sa.Column('version_id', sa.String(length=20), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('image', sa.LargeBinary(), nullable=False),
    sa.ForeignKeyConstraint(['version_id'], ['integration_versions.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('version_id', 'position')
    )
    op.create_table('site_installations',
    sa.Column('installation_id', sa.String(length=20), nullable=False),
    sa.Column('site_id', sa.String(length=20), nullable=False),
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('status', sa.String(length=10), nullable=False),
    sa.Column('paused', sa.Boolean(), nullable=False),
    sa.Column('configuration', runtime.store.secrets.SealedJson(), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    sa.Column('signing_secret', runtime.store.secrets.SealedJson(), nullable=False),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('updated_at', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('deleted_at', runtime.store.database.UtcTime(), nullable=True),
    sa.ForeignKeyConstraint(['installation_id'], ['installations.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['site_id'], ['sites.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('site_installations', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_site_installations_installation_id'), ['installation_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_site_installations_site_id'), ['site_id'], unique=False)

    op.create_table('space_installations',
    sa.Column('installation_id', sa.String(length=20), nullable=False),
    sa.Column('space_id', sa.String(length=20), nullable=False),
    sa.Column('id', sa.String(length=20), nullable=False),
    sa.Column('status', sa.String(length=10), nullable=False),
    sa.Column('paused', sa.Boolean(), nullable=False),
    sa.Column('configuration', runtime.store.secrets.SealedJson(), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    sa.Column('signing_secret', runtime.store.secrets.SealedJson(), nullable=False),
    sa.Column('created_at', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('updated_at', runtime.store.database.UtcTime(), nullable=False),
    sa.Column('deleted_at', runtime.store.database.UtcTime(), nullable=True),
    sa.ForeignKeyConstraint(['installation_id'], ['installations.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['space_id'], ['spaces.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('space_installations', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_space_installations_installation_id'), ['installation_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_space_installations_space_id'), ['space_id'], unique=False)

    op.create_table('epoch',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('n', sa.Integer(), nullable=False),
    sa.PrimaryKeyConstraint('id')
    )
    op.execute("INSERT INTO epoch (id, n) VALUES (1, 0)")


def downgrade() -> None:
    op.drop_table('epoch')
    with op.batch_alter_table('space_installations', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_space_installations_space_id'))
        batch_op.drop_index(batch_op.f('ix_space_installations_installation_id'))

    op.drop_table('space_installations')
    with op.batch_alter_table('site_installations', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_site_installations_site_id'))
        batch_op.drop_index(batch_op.f('ix_site_installations_installation_id'))

    op.drop_table('site_installations')
    op.drop_table('integration_previews')
    with op.batch_alter_table('site_spaces', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_site_spaces_space_id'))
        batch_op.drop_index(batch_op.f('ix_site_spaces_site_id'))

    op.drop_table('site_spaces')
    with op.batch_alter_table('integration_versions', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_integration_versions_integration_id'))

    op.drop_table('integration_versions')
    with op.batch_alter_table('installations', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_installations_organization_id'))
        batch_op.drop_index('installations_of_integration')

    op.drop_table('installations')
    with op.batch_alter_table('tokens', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_tokens_user_id'))

    op.drop_table('tokens')
    with op.batch_alter_table('spaces', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_spaces_organization_id'))

    op.drop_table('spaces')
    with op.batch_alter_table('sites', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_sites_organization_id'))

    op.drop_table('sites')
    with op.batch_alter_table('members', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_members_user_id'))

    op.drop_table('members')
    with op.batch_alter_table('integrations', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_integrations_organization_id'))

    op.drop_table('integrations')
    op.drop_table('users')
    op.drop_table('organizations')
    with op.batch_alter_table('external_ids', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_external_ids_value'))
        batch_op.drop_index(batch_op.f('ix_external_ids_owner_id'))

    op.drop_table('external_ids')
    with op.batch_alter_table('events', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_events_installation_id'))
        batch_op.drop_index('events_of_integration')
        batch_op.drop_index('events_in_lane')
        batch_op.drop_index('events_due')

    op.drop_table('events')
