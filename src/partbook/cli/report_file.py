"""Writes a report as a file of its own."""

from pathlib import Path

from partbook.errors import ConfigError

__all__ = ["write_report"]


def write_report(path: Path, page: str) -> None:
    """Write a page that `--html` asks for.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        path.write_text(page, encoding="utf-8", errors="replace")
    except OSError as err:
        raise ConfigError(f"--html: cannot write {path}: {err.strerror or err}") from err
