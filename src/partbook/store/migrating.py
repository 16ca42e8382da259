"""Brings a store's tables to the newest version, through Alembic.

It is a module of its own because importing Alembic costs half a second of CPU time that almost no
command needs: `opening.py` imports it when there is something to do.
"""

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

__all__ = ["configuration", "upgrade"]


def configuration() -> Config:
    """Alembic's configuration: the migrations that are shipped in this package."""
    config = Config()
    config.set_main_option("script_location", "partbook.store:migrations")
    return config


def upgrade(connection: Connection) -> None:
    """Run every migration that is missing, inside the connection's transaction."""
    config = configuration()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
