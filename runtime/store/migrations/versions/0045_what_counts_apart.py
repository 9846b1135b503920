"""bytes of comments apart from content, of whole versions, and memberships that single sign-on made"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0045'
down_revision = '0044'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('members', sa.Column('provisioned', sa.Boolean(), server_default=sa.false(), nullable=False))
    op.execute('UPDATE members SET provisioned = sso')
    # With these, what was sent is deleted as soon as it is no longer needed.
    op.add_column('imports', sa.Column('blob_came_at', sa.DateTime(timezone=True), nullable=True))
    op.add_column('openapi_specs', sa.Column('source_blob_came_at', sa.DateTime(timezone=True), nullable=True))
    op.add_column('content_sizes', sa.Column('comments', sa.BigInteger(), server_default='0', nullable=False))
    measure = 'octet_length({})' if op.get_bind().dialect.name == 'postgresql' else 'length(CAST({} AS BLOB))'

    def size(column: str) -> str:
        return measure.format(f'CAST({column} AS TEXT)')

    # Counted anew, in bytes: 0043 counted characters, and comments into the content.
    texts = f'{size("document")} + {size("markdown")}'
    variables = f"CASE WHEN CAST(variables AS TEXT) = '{{}}' THEN 0 ELSE {size('variables')} END"
    op.execute('UPDATE content_sizes SET size = 0')
    for column, table, bytes_ in (
        ('size', 'content_pieces', 'length(content)'),
        ('size', 'document_references', 'size'),
        ('size', 'revisions', variables),
        ('comments', 'comments', texts),
        ('comments', 'comment_replies', texts),
        ('comments', 'change_requests', size('description')),
    ):
        total = f'SELECT sum({bytes_}) FROM {table} WHERE {table}.space_id = content_sizes.space_id'
        op.execute(f'UPDATE content_sizes SET {column} = {column} + coalesce(({total}), 0)')
    pictures = 'SELECT sum(length(image)) FROM integration_previews WHERE version_id = integration_versions.id'
    op.execute(
        f'UPDATE integration_versions SET size = {size("script")} + coalesce({size("published")}, 0) '
        f'+ coalesce(length(icon), 0) + coalesce(({pictures}), 0)'
    )
    # With these, adding up what an organization stores does not look at each import that is over.
    keeps = sa.text('blob IS NOT NULL')
    op.create_index(
        'imports_that_keep_blobs', 'imports', ['space_id', 'blob'], sqlite_where=keeps, postgresql_where=keeps
    )
    op.create_index('pdfs_by_size', 'pdfs', ['space_id', 'size'], sqlite_where=keeps, postgresql_where=keeps)
