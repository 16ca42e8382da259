"""What the learned routers share: an optimiser, clusters, shares, and arrays in a file."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partbook.errors import ConfigError
from partbook.evaluate.encoder import Vectors

__all__ = ["Adam", "clusters", "load_arrays", "log_shares", "save_arrays"]

_ABOUT = "about"
_ROUNDS = 50


class Adam:
    """Kingma and Ba's optimiser (arXiv:1412.6980), changing arrays where they are."""

    def __init__(self, weights: Sequence[Vectors], rate: float) -> None:
        self._weights = weights
        self._rate = rate
        self._mean = [np.zeros_like(weight) for weight in weights]
        self._square = [np.zeros_like(weight) for weight in weights]
        self._steps = 0

    def step(self, gradients: Sequence[Vectors]) -> None:
        """Go one step down; one gradient for each array, of its shape."""
        self._steps += 1
        towards = zip(self._weights, gradients, self._mean, self._square, strict=True)
        for weight, gradient, mean, square in towards:
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            fair_mean = mean / (1 - 0.9**self._steps)
            fair_square = square / (1 - 0.999**self._steps)
            weight -= self._rate * fair_mean / (np.sqrt(fair_square) + 1e-8)


def clusters(points: Vectors, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Divide points into clusters: k-means, begun at points far from each other (k-means++).

    Args:
        points: shape (points, dimensions).
        count: how many clusters; fewer where there are fewer different points.
        rng: which points it begins at.

    Returns:
        The number of each point's cluster, shape (points,).
    """
    centres = points[[rng.integers(len(points))]]
    while len(centres) < count:
        distance = _squared(points, centres).min(axis=1)
        if distance.sum() < 1e-12:
            break
        drawn = rng.choice(len(points), p=distance / distance.sum())
        centres = np.vstack([centres, points[drawn]])
    found = np.full(len(points), -1)
    for _ in range(_ROUNDS):
        nearest = _squared(points, centres).argmin(axis=1)
        if (nearest == found).all():
            break
        found = nearest
        for i in np.unique(found):
            centres[i] = points[found == i].mean(axis=0)
    return found


def log_shares(scores: Vectors) -> Vectors:
    """Logarithms of the softmax over the last axis."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def save_arrays(path: Path, about: Mapping[str, object], arrays: Mapping[str, Vectors]) -> None:
    """Write arrays and what belongs to them into one `.npz` file.

    Raises:
        ConfigError: it cannot be written.
    """
    try:
        with path.open("wb") as file:
            np.savez(file, **{_ABOUT: np.array(json.dumps(about))}, **arrays)  # type: ignore[arg-type]
    except OSError as err:
        raise ConfigError(f"cannot write {path}: {err.strerror}") from err


def load_arrays(path: Path, kind: str, encoder: str) -> tuple[dict[str, Any], dict[str, Vectors]]:
    """Read what `save_arrays` wrote.

    Args:
        path: the file.
        kind: what `about["kind"]` must say.
        encoder: what `about["encoder"]` must say: vectors of another one mean nothing.

    Raises:
        ConfigError: it cannot be read, or is something else.
    """
    try:
        # Pickled objects would be programs, and are refused.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
            arrays = {name: np.asarray(data[name]) for name in data.files if name != _ABOUT}
            about = json.loads(str(data[_ABOUT]))
            found = about["kind"], about["encoder"]
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as err:
        raise ConfigError(f"cannot read the router in {path}: {err}") from err
    if found != (kind, encoder):
        raise ConfigError(
            f"{path}: a {kind} trained on the encoder {encoder!r} was expected, found a {found[0]} "
            f"trained on {found[1]!r}"
        )
    return about, arrays


def _squared(points: Vectors, centres: Vectors) -> Vectors:
    return np.asarray(((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2))
