"""Where runs are kept: a SQLite file, through SQLAlchemy Core, with migrations.

`Store` writes and reads whole traces; `BatchWriter` writes them from an event loop without holding
it up. SQLAlchemy is imported with this package, so the command line imports the package late.
"""

from partbook.store.place import default_url
from partbook.store.schema import Tags
from partbook.store.store import RunRow, Store
from partbook.store.writer import BatchWriter

__all__ = ["BatchWriter", "RunRow", "Store", "Tags", "default_url"]
