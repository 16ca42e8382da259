"""The tables of a server: its keys, what each has spent, and since when what is served."""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Integer, Table, Text

from partbook.store.schema import metadata, short, sorted_text

__all__ = ["api_keys", "key_days", "served"]

api_keys = Table(
    "api_keys",
    metadata,
    Column("key_id", sorted_text(16), primary_key=True),
    Column("name", Text, nullable=False),
    Column("hash", short(64), nullable=False, unique=True, comment="SHA-256 of the key"),
    Column("created_at", Float(53), nullable=False, comment="seconds since the epoch"),
    Column("revoked_at", Float(53), comment="null: it is good"),
    Column("usd_per_day", short(64), comment="plain digits; null: no limit"),
    Column("usd_per_month", short(64), comment="plain digits; null: no limit"),
    Column("requests_per_minute", Integer, comment="null: no limit"),
    Column("workers", Text, comment="JSON list of names; null: all"),
    Column("sees_traces", Boolean, nullable=False, server_default="0"),
)

key_days = Table(
    "key_days",
    metadata,
    Column("key_id", sorted_text(16), ForeignKey("api_keys.key_id"), primary_key=True),
    Column("day", sorted_text(10), primary_key=True, comment="of UTC: 2026-11-29"),
    Column("usd", short(64), nullable=False, comment="plain digits, exact"),
    Column("requests", Integer, nullable=False),
)

served = Table(
    "served",
    metadata,
    Column("fingerprint", short(64), primary_key=True),
    Column("first_at", Float(53), nullable=False, comment="seconds since the epoch"),
)
