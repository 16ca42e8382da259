"""Say of each key whether it is shown whole traces."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add `api_keys.sees_traces`."""
    op.add_column(
        "api_keys", sa.Column("sees_traces", sa.Boolean, nullable=False, server_default="0")
    )


def downgrade() -> None:
    """Drop `api_keys.sees_traces`."""
    op.drop_column("api_keys", "sees_traces")
