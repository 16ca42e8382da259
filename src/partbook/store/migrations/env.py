"""Runs the migrations on the connection that `opening.migrate` hands over.

The connection is already inside a transaction, so a migration happens whole or not at all.
"""

from alembic import context

from partbook.store.schema import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transactional_ddl=True,
)
context.run_migrations()
