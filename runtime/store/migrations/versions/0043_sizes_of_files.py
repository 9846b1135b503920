"""how many bytes the files of each space have, and each version of an integration"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0043'
down_revision = '0042'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('content_sizes', sa.Column('files', sa.BigInteger(), server_default='0', nullable=False))
    of_space = 'SELECT sum(size) FROM space_blobs WHERE space_blobs.space_id = content_sizes.space_id'
    op.execute(f'UPDATE content_sizes SET files = coalesce(({of_space}), 0)')
    op.execute(
        'INSERT INTO content_sizes (space_id, size, files) SELECT space_id, 0, sum(size) FROM space_blobs '
        'WHERE space_id NOT IN (SELECT space_id FROM content_sizes) GROUP BY space_id'
    )
    op.add_column('integration_versions', sa.Column('size', sa.Integer(), server_default='0', nullable=False))
    script = 'octet_length(script)' if op.get_bind().dialect.name == 'postgresql' else 'length(CAST(script AS BLOB))'
    pictures = 'SELECT sum(length(image)) FROM integration_previews WHERE version_id = integration_versions.id'
    op.execute(
        f'UPDATE integration_versions SET size = {script} + coalesce(length(icon), 0) + coalesce(({pictures}), 0)'
    )
