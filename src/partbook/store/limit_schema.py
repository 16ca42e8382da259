"""The tables in which servers on one store count together: rates of keys, and calls of workers."""

from sqlalchemy import Column, Float, ForeignKey, Integer, Table, Text

from partbook.store.schema import metadata, sorted_text

__all__ = ["gate_calls", "key_rates"]

key_rates = Table(
    "key_rates",
    metadata,
    Column("key_id", sorted_text(16), ForeignKey("api_keys.key_id"), primary_key=True),
    Column("full_at", Float(53), nullable=False, comment="when nothing is taken any more; epoch"),
)

gate_calls = Table(
    "gate_calls",
    metadata,
    Column("gate", Text, primary_key=True, comment="what counts calls: a worker's slots or minute"),
    Column("call_id", sorted_text(16), primary_key=True),
    Column("until", Float(53), nullable=False, comment="how long it counts; epoch"),
    Column("tokens", Integer, nullable=False),
)
