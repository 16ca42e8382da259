"""Where files stand that options name or leave open, and how they are written."""

from pathlib import Path

from partbook.errors import ConfigError

__all__ = ["beside_store", "write_text"]


def write_text(option: str, path: Path, text: str) -> None:
    """Write a file that an option asks for.

    Raises:
        ConfigError: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as err:
        raise ConfigError(f"{option}: cannot write {path}: {err.strerror or err}") from err


def beside_store(ending: str) -> Path:
    """A file beside the store's, or in the user's data directory: where runs have their journals.

    Args:
        ending: takes the place of the journals' own, as `.ratings.jsonl`.
    """
    from partbook.store.place import default_url, journal_folder, resolve

    return Path(journal_folder(resolve(default_url()))).with_suffix(ending)
