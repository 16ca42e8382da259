"""Keep a server's keys, what each has spent, and since when what is served."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def _short(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(sa.Text(), "postgresql")


def _sorted(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create `api_keys`, `key_days` and `served`."""
    op.create_table(
        "api_keys",
        sa.Column("key_id", _sorted(16), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("hash", _short(64), nullable=False, unique=True, comment="SHA-256 of the key"),
        sa.Column("created_at", sa.Float(53), nullable=False, comment="seconds since the epoch"),
        sa.Column("revoked_at", sa.Float(53), comment="null: it is good"),
        sa.Column("usd_per_day", _short(64), comment="plain digits; null: no limit"),
        sa.Column("usd_per_month", _short(64), comment="plain digits; null: no limit"),
        sa.Column("requests_per_minute", sa.Integer, comment="null: no limit"),
        sa.Column("workers", sa.Text, comment="JSON list of names; null: all"),
    )
    op.create_table(
        "key_days",
        sa.Column("key_id", _sorted(16), sa.ForeignKey("api_keys.key_id"), primary_key=True),
        sa.Column("day", _sorted(10), primary_key=True, comment="of UTC: 2026-11-29"),
        sa.Column("usd", _short(64), nullable=False, comment="plain digits, exact"),
        sa.Column("requests", sa.Integer, nullable=False),
    )
    op.create_table(
        "served",
        sa.Column("fingerprint", _short(64), primary_key=True),
        sa.Column("first_at", sa.Float(53), nullable=False, comment="seconds since the epoch"),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("served")
    op.drop_table("key_days")
    op.drop_table("api_keys")
