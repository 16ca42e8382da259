"""Where runs are kept: a SQLite file or a PostgreSQL database, through SQLAlchemy Core.

`Store` writes and reads whole traces; `BatchWriter` writes them from an event loop without holding
it up. While a run goes on, a `Journal` keeps what it has done so far. `ApiKeys` has the keys of a
server. SQLAlchemy is imported with this package, so the command line imports the package late.
"""

from partbook.store.api_keys import ApiKey, ApiKeys
from partbook.store.journal import Journal
from partbook.store.listing import RunRow
from partbook.store.place import default_url
from partbook.store.schema import Tags
from partbook.store.store import Reopened, Store
from partbook.store.writer import BatchWriter

__all__ = [
    "ApiKey",
    "ApiKeys",
    "BatchWriter",
    "Journal",
    "Reopened",
    "RunRow",
    "Store",
    "Tags",
    "default_url",
]
