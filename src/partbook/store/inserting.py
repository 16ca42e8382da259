"""Insert: the statement for rows of which one may be there already.

SQLite and PostgreSQL write `ON CONFLICT` alike, but SQLAlchemy has a construct for each.
"""

from sqlalchemy import Engine, Table
from sqlalchemy.dialects import postgresql, sqlite

__all__ = ["insert_into", "replacing"]


def insert_into(engine: Engine, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that can say what happens where a row is there, in the engine's language."""
    is_postgres = engine.dialect.name == "postgresql"
    return postgresql.insert(table) if is_postgres else sqlite.insert(table)


def replacing(engine: Engine, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that takes the place of the row with the same primary key."""
    insert = insert_into(engine, table)
    keys = [column.name for column in table.primary_key]
    others = {column.name: column for column in insert.excluded if column.name not in keys}
    return insert.on_conflict_do_update(index_elements=keys, set_=others)
