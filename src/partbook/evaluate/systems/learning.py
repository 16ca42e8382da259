"""What the learned routers share: an optimiser, clusters, and shares."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from partbook.evaluate.systems.encoder import Vectors

__all__ = ["Adam", "clusters", "log_shares"]

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


def _squared(points: Vectors, centres: Vectors) -> Vectors:
    return np.asarray(((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2))
