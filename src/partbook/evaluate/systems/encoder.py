"""Encoder: what turns a text into a vector of length 1, so that alike texts have alike vectors.

Learned routers see a question only through one. `open_encoder` gives all-MiniLM-L6-v2 where its
files are on this machine. `HashedWords` needs nothing but numpy: it knows no meaning, only which
words two texts share, which is enough where topics differ in their words.
"""

import re
import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from partbook.errors import ConfigError

__all__ = ["ENCODERS", "Encoder", "EncoderName", "HashedWords", "Vectors", "open_encoder"]

Vectors = NDArray[np.float64]
"""Floating-point arrays; here of shape (texts, dimensions), each row of length 1."""

EncoderName = Literal["minilm", "words"]

ENCODERS: tuple[EncoderName, ...] = ("minilm", "words")

_MAX_CHARS = 20_000
"""Characters of a text that are read."""


class Encoder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, in order; the same text always gives the same."""
        ...


class HashedWords:
    """Counts words and pairs of words, hashed into a fixed number of places.

    The sign of a hash decides whether a word adds or takes away, so that words that fall into one
    place cancel on average (Weinberger et al., ICML 2009).
    """

    name = "words"

    def __init__(self, dimensions: int = 512) -> None:
        if dimensions < 1:
            raise ConfigError(f"an encoder has at least 1 dimension, found {dimensions}")
        self.dimensions = dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """As `Encoder.encode`; a text without words gets the first unit vector."""
        rows = np.zeros((len(texts), self.dimensions))
        for row, text in zip(rows, texts, strict=True):
            words = re.findall(r"\w+", text[:_MAX_CHARS].casefold())
            for feature in (*words, *map(" ".join, pairwise(words))):
                code = zlib.crc32(feature.encode(errors="replace"))
                row[code // 2 % self.dimensions] += 1 if code % 2 else -1
            if not row.any():
                row[0] = 1
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def open_encoder(name: EncoderName = "minilm") -> Encoder:
    """The encoder of this name.

    Raises:
        ConfigError: there is none, or what it needs is not on this machine.
    """
    if name == "words":
        return HashedWords()
    if name != "minilm":
        raise ConfigError(f"the encoder must be one of {', '.join(ENCODERS)}; found {name!r}")
    # Imported here because it needs more of the optional packages.
    from partbook.evaluate.systems.minilm import open_minilm  # noqa: PLC0415

    return open_minilm()
