"""Which store is meant where none is named: the environment's, else the user's own."""

import os

from platformdirs import user_data_path

__all__ = ["STORE_VARIABLE", "default_url"]

STORE_VARIABLE = "PARTBOOK_STORE"
"""Environment variable with the path or URL of the store to use."""


def default_url() -> str:
    """The path or URL in `PARTBOOK_STORE`, else `runs.db` in the user's data directory."""
    named = os.environ.get(STORE_VARIABLE, "").strip()
    return named or str(user_data_path("partbook", appauthor=False) / "runs.db")
