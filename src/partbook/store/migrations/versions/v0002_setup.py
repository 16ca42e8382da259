"""Keep with each run what is needed to take it up again."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add `runs.setup`."""
    op.add_column(
        "runs",
        sa.Column("setup", sa.Text, comment="JSON of what is needed to take the run up again"),
    )


def downgrade() -> None:
    """Drop `runs.setup`."""
    op.drop_column("runs", "setup")
