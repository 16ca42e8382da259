"""Trained: how a trained Conductor is to be asked; kept with its weights, wherever they are.

In a folder it is the file `partbook.json`, in a GGUF file three keys of the metadata. Weights
without it were trained by somebody else, and are asked as any language model is.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from partbook.errors import ConfigError
from partbook.models.gguf import gguf_facts
from partbook.prompt import PromptStyle, prompt_style

__all__ = ["FACTS_FILE", "Trained", "trained_in_folder", "trained_in_gguf", "write_trained"]

FACTS_FILE = "partbook.json"

FACTS_VERSION = 1

STYLE_KEY, TOKENS_KEY, BASE_KEY = "prompt_style", "max_tokens", "base"
"""The same names in a folder's file and, behind `partbook.`, in a GGUF file."""


@dataclass(frozen=True, slots=True)
class Trained:
    """How a trained Conductor is to be asked."""

    style: PromptStyle
    max_tokens: int
    """Longest text that it wrote in training; at least 1."""
    base: str = ""
    """Of an adapter: the model that it lies over, by its name in the registry of models."""

    def to_dict(self) -> dict[str, str | int]:
        """As plain data, by the names above; what is empty is left out."""
        base = {BASE_KEY: self.base} if self.base else {}
        return {STYLE_KEY: self.style, TOKENS_KEY: self.max_tokens, **base}


def write_trained(trained: Trained, folder: Path) -> None:
    """Write it beside the weights in a folder."""
    text = json.dumps({"partbook": FACTS_VERSION, **trained.to_dict()}, indent=2)
    (folder / FACTS_FILE).write_text(f"{text}\n", encoding="utf-8")


def trained_in_folder(folder: Path) -> Trained | None:
    """What stands beside the weights in a folder; None where nothing does.

    Raises:
        ConfigError: the file is damaged, or a newer Partbook's.
    """
    path = folder / FACTS_FILE
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as err:
        raise ConfigError(f"cannot read {path}: {err}") from err
    if not isinstance(data, dict) or data.get("partbook") != FACTS_VERSION:
        raise ConfigError(f"{path} was not written by this Partbook or an older one; update it")
    return _trained(data, str(path))


def trained_in_gguf(path: Path) -> Trained | None:
    """What the metadata of a GGUF file says; None where it says nothing.

    Raises:
        ConfigError: the file cannot be read, or says something that cannot be.
    """
    found = gguf_facts(path)
    keys = (STYLE_KEY, TOKENS_KEY, BASE_KEY)
    data = {key: found[f"partbook.{key}"] for key in keys if f"partbook.{key}" in found}
    return _trained(data, str(path)) if data else None


def _trained(data: Mapping[str, object], where: str) -> Trained:
    style, tokens, base = data.get(STYLE_KEY), data.get(TOKENS_KEY), data.get(BASE_KEY, "")
    if not isinstance(style, str) or not isinstance(base, str):
        raise ConfigError(f"{where}: `{STYLE_KEY}` and `{BASE_KEY}` must be text")
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 1:
        raise ConfigError(f"{where}: `{TOKENS_KEY}` must be 1 or more, found {tokens!r}")
    try:
        return Trained(prompt_style(style), tokens, base)
    except ConfigError as err:
        raise ConfigError(f"{where}: {err}") from err
