"""Reads Parquet files through `datasets`; imported late, because it is an optional package."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from partbook.errors import ConfigError

try:
    import datasets
except ImportError as err:
    raise ConfigError(
        "Parquet files need the package `datasets`: install `partbook[eval]`, or give the data as "
        ".jsonl"
    ) from err

__all__ = ["read_parquet"]


def read_parquet(path: Path) -> Iterator[Mapping[str, object]]:
    """The rows of a file, streamed: no second copy is written to the cache of `datasets`.

    Raises:
        ConfigError: it is missing or no Parquet file.
    """
    if not path.is_file():
        raise ConfigError(f"cannot read {path}: there is no such file")
    try:
        yield from datasets.load_dataset(
            "parquet", data_files=str(path), split="train", streaming=True
        )
    except (ValueError, OSError, datasets.exceptions.DatasetsError) as err:
        raise ConfigError(f"{path}: not a Parquet file: {err}") from err
