"""Count rates of keys, and calls of workers, for all servers on the store."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def _sorted(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make `key_rates` and `gate_calls`."""
    op.create_table(
        "key_rates",
        sa.Column("key_id", _sorted(16), sa.ForeignKey("api_keys.key_id"), primary_key=True),
        sa.Column(
            "full_at",
            sa.Float(53),
            nullable=False,
            comment="when nothing is taken any more; epoch",
        ),
    )
    op.create_table(
        "gate_calls",
        sa.Column(
            "gate",
            sa.Text,
            primary_key=True,
            comment="what counts calls: a worker's slots or minute",
        ),
        sa.Column("call_id", _sorted(16), primary_key=True),
        sa.Column("until", sa.Float(53), nullable=False, comment="how long it counts; epoch"),
        sa.Column("tokens", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("gate_calls")
    op.drop_table("key_rates")
