"""Begin: one table with a row for each run."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _short(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(sa.Text(), "postgresql")


def _sorted(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create `runs`."""
    op.create_table(
        "runs",
        sa.Column("run_id", _sorted(64), primary_key=True),
        sa.Column("started_at", sa.Float(53), nullable=False, comment="seconds since the epoch"),
        sa.Column("seconds", sa.Float(53), nullable=False),
        sa.Column("status", _short(16), nullable=False),
        sa.Column("reason", _short(16)),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("answer", sa.Text),
        sa.Column("pool", sa.Text, nullable=False),
        sa.Column(
            "workers", sa.Text, nullable=False, comment="names called, each between newlines"
        ),
        sa.Column("source", _short(16), comment="where the last workflow came from"),
        sa.Column("workflow_name", sa.Text, nullable=False),
        sa.Column("calls", sa.Integer, nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger, nullable=False),
        sa.Column("completion_tokens", sa.BigInteger, nullable=False),
        sa.Column("cost_usd", _short(64), comment="plain digits, exact; null where unknown"),
        sa.Column("task", sa.Text),
        sa.Column("label", sa.Text),
        sa.Column("verdict", _short(16)),
        sa.Column("trace", sa.Text, nullable=False, comment="JSON, pure ASCII"),
    )
    op.create_index("ix_runs_started_at", "runs", ["started_at", "run_id"])


def downgrade() -> None:
    """Drop `runs`, and with it every run."""
    op.drop_table("runs")
