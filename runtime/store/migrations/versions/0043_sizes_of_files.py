"""how many bytes the files and comments of each space have, and each version of an integration"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0043'
down_revision = '0042'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('content_sizes', sa.Column('files', sa.BigInteger(), server_default='0', nullable=False))
    op.execute(
        'INSERT INTO content_sizes (space_id, size, files) SELECT id, 0, 0 FROM spaces '
        'WHERE id NOT IN (SELECT space_id FROM content_sizes)'
    )
    texts = 'length(CAST(document AS TEXT)) + length(markdown)'
    counted = {
        'files': {'space_blobs': 'size'},
        'size': {
            'comments': texts,
            'comment_replies': texts,
            'change_requests': 'length(CAST(description AS TEXT))',
            # Written for each revision; without any, it is an empty object.
            'revisions': "CASE WHEN CAST(variables AS TEXT) = '{}' THEN 0 ELSE length(CAST(variables AS TEXT)) END",
        },
    }
    for column, tables in counted.items():
        for table, bytes_ in tables.items():
            total = f'SELECT sum({bytes_}) FROM {table} WHERE {table}.space_id = content_sizes.space_id'
            op.execute(f'UPDATE content_sizes SET {column} = {column} + coalesce(({total}), 0)')
    # What is there is not counted: it would be more than its document, which was let in without it.
    op.add_column('document_references', sa.Column('size', sa.Integer(), server_default='0', nullable=False))
    op.add_column('integration_versions', sa.Column('size', sa.Integer(), server_default='0', nullable=False))
    script = 'octet_length(script)' if op.get_bind().dialect.name == 'postgresql' else 'length(CAST(script AS BLOB))'
    pictures = 'SELECT sum(length(image)) FROM integration_previews WHERE version_id = integration_versions.id'
    op.execute(
        f'UPDATE integration_versions SET size = {script} + coalesce(length(icon), 0) + coalesce(({pictures}), 0)'
    )
    # The size is behind the script, which SQLite would have to read through to get at it.
    op.create_index('integration_versions_by_size', 'integration_versions', ['integration_id', 'size'])
