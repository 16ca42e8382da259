"""RouterDC: one worker for each question, chosen by an encoder that two contrasts have trained.

Chen et al. (arXiv:2409.19886). Questions and workers are vectors, and the worker whose
vector has the highest cosine with the question's is asked. Two losses are minimised together:

- sample-LLM: for each of the K+ best workers of a question that answered it right,
  -log of its share exp(sim) / (exp(sim) + sum over the K- worst workers that failed, exp(sim));
- sample-sample: questions are divided into N clusters; for each question, -log of the share of
  another question of its cluster against H questions of other clusters. It keeps questions
  together that are alike, without which the first loss alone is unstable.

K+ = K- = H = 3, weight 1 of the second loss and batches of 64 are those of the authors' code. That
code keeps the weights of the step that routes best on the test set; here it is a fifth of the
measured problems, held out from training. Simplified: the encoder stays as it is and a linear map
on top of it is trained, with Adam and gradients derived by hand; clusters are found by k-means on
the encoder's vectors, without t-SNE before it. A question that all or none of the workers answer
teaches the second loss alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from partbook.errors import ConfigError
from partbook.evaluate.system import Sitting
from partbook.evaluate.systems.asking import Given
from partbook.evaluate.systems.encoder import Encoder, Vectors
from partbook.evaluate.systems.learning import Adam, clusters, log_shares
from partbook.evaluate.systems.measured import Measured
from partbook.evaluate.systems.wording import DEFAULT_WORDING, Wording
from partbook.workflow import Step, Workflow

__all__ = ["DualContrast", "RouterDC", "RouterDCSettings"]


_HELD_OUT = 5
"""One problem in so many is held out."""


@dataclass(frozen=True, slots=True)
class RouterDCSettings:
    """How the router is trained; the sizes of the contrasts are the authors'."""

    positives: int = 3
    """K+: best workers of a question that are drawn near."""
    negatives: int = 3
    """K-: worst workers of a question that are driven away."""
    clusters: int = 5
    others: int = 3
    """H: questions of other clusters that a question is driven away from."""
    weight: float = 1.0
    """Of the sample-sample loss."""
    batch: int = 64
    steps: int = 300
    check_every: int = 10
    """Steps between two looks at the held-out problems."""
    dimensions: int = 16
    """Of the space in which questions and workers meet."""
    rate: float = 3e-3
    """Adam's; higher than the authors' 5e-5, because no pretrained weight is moved."""
    temperature: float = 0.2
    """Cosines are divided by it. Published is 1, at which the map on a fixed encoder cannot tell a
    worker that is often right from one that was lucky (docs/systems.md)."""


class DualContrast(NamedTuple):
    """The trainable part: where questions are mapped to, and where the workers are."""

    projection: Vectors
    """Shape (encoder's dimensions, dimensions)."""
    workers: Vectors
    """Shape (workers, dimensions)."""


@dataclass(frozen=True, slots=True)
class RouterDC:
    """The fitted router."""

    name: str
    encoder: Encoder
    workers: tuple[str, ...]
    weights: DualContrast
    wording: Wording = DEFAULT_WORDING

    @classmethod
    def fit(
        cls,
        measured: Measured,
        encoder: Encoder,
        *,
        seed: int = 0,
        settings: RouterDCSettings | None = None,
        wording: Wording = DEFAULT_WORDING,
        name: str = "RouterDC",
    ) -> Self:
        """Train on every worker's right and wrong answers; the same seed gives the same router.

        What was not judged counts as wrong for nobody: it is neither near nor far.
        """
        how = settings or RouterDCSettings()
        rng = np.random.default_rng(seed)
        questions = encoder.encode(measured.questions)
        weights = _train(questions, _scores(measured), how, rng)
        return cls(name, encoder, measured.workers, weights, wording)

    def similarities(self, questions: Sequence[str]) -> Vectors:
        """Cosines, shape (questions, workers)."""
        mapped = self.encoder.encode(questions) @ self.weights.projection
        return _unit(mapped) @ _unit(self.weights.workers).T

    def route(self, question: str) -> str:
        """The worker that is asked."""
        return self.workers[int(self.similarities([question])[0].argmax())]

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; 1 call."""
        chosen = sitting.pool.find(self.route(sitting.question))
        workflow = Workflow((Step(chosen, self.wording.answer),))
        return (await sitting.play(Given(workflow, self.name))).answer


def _scores(measured: Measured) -> Vectors:
    return np.array(
        [[np.nan if right is None else float(right) for right in row] for row in measured.right]
    )


def _train(
    questions: Vectors, scores: Vectors, how: RouterDCSettings, rng: np.random.Generator
) -> DualContrast:
    """The weights of the step that did best on the held-out problems; the first of the best."""
    count, size = questions.shape
    if count < 2:
        raise ConfigError(f"RouterDC learns from at least 2 problems, found {count}")
    order = rng.permutation(count)
    held, rest = order[: count // _HELD_OUT], order[count // _HELD_OUT :]
    groups = clusters(questions[rest], how.clusters, rng)
    weights = DualContrast(
        rng.normal(0, size**-0.5, (size, how.dimensions)),
        rng.normal(0, how.dimensions**-0.5, (scores.shape[1], how.dimensions)),
    )
    adam = Adam(weights, how.rate)
    best, kept = -1.0, weights
    for step in range(1, how.steps + 1):
        drawn = rng.choice(len(rest), min(how.batch, len(rest)), replace=False)
        rows = rest[drawn]
        adam.step(_gradients(weights, questions[rows], scores[rows], groups[drawn], how, rng))
        if step % how.check_every == 0 or step == how.steps:
            reached = _accuracy(weights, questions[held], scores[held]) if len(held) else step
            if reached > best:
                best, kept = reached, DualContrast(*(array.copy() for array in weights))
    return kept


def _gradients(
    weights: DualContrast,
    questions: Vectors,
    scores: Vectors,
    groups: NDArray[np.int64],
    how: RouterDCSettings,
    rng: np.random.Generator,
) -> DualContrast:
    """Gradients of both losses on one batch."""
    mapped = questions @ weights.projection
    near, far = _unit(mapped), _unit(weights.workers)
    drawn = _sample_llm(near @ far.T / how.temperature, scores, how, rng) / how.temperature
    by_question = drawn @ far + how.weight * _sample_sample(near, groups, how, rng)
    return DualContrast(
        questions.T @ _through_unit(by_question, near, mapped),
        _through_unit(drawn.T @ near, far, weights.workers),
    )


def _accuracy(weights: DualContrast, questions: Vectors, scores: Vectors) -> float:
    """Share of right answers of the workers that are chosen; what was not judged counts as none."""
    chosen = (_unit(questions @ weights.projection) @ _unit(weights.workers).T).argmax(axis=1)
    return float(np.nan_to_num(scores[np.arange(len(scores)), chosen]).mean())


def _sample_llm(
    similarities: Vectors, scores: Vectors, how: RouterDCSettings, rng: np.random.Generator
) -> Vectors:
    """Gradient of the sample-LLM loss by the similarities, shape (batch, workers).

    Scores are 0 and 1, so most workers are tied; ties are broken anew in every batch.
    """
    gradient = np.zeros_like(similarities)
    for i, row in enumerate(scores):
        order = rng.permutation(len(row))
        near = [j for j in order if row[j] > 0][: how.positives]
        far = [j for j in order if row[j] == 0][: how.negatives]
        if not far:
            continue
        for j in near:
            among = [j, *far]
            share = np.exp(log_shares(similarities[i, among]))
            gradient[i, among] += share
            gradient[i, j] -= 1
    return gradient / len(scores)


def _sample_sample(
    near: Vectors, groups: NDArray[np.int64], how: RouterDCSettings, rng: np.random.Generator
) -> Vectors:
    """Gradient of the sample-sample loss by the questions' unit vectors, (batch, dimensions)."""
    gradient = np.zeros_like(near)
    for i, group in enumerate(groups):
        alike = np.flatnonzero((groups == group) & (np.arange(len(groups)) != i))
        unlike = np.flatnonzero(groups != group)
        if not len(alike) or len(unlike) < how.others:
            continue
        chosen = [rng.choice(alike), *rng.choice(unlike, how.others, replace=False)]
        share = np.exp(log_shares(near[chosen] @ near[i] / how.temperature))
        share[0] -= 1
        gradient[i] += share @ near[chosen] / how.temperature
        gradient[chosen] += np.outer(share, near[i]) / how.temperature
    return gradient / len(near)


def _unit(rows: Vectors) -> Vectors:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def _through_unit(gradient: Vectors, unit: Vectors, rows: Vectors) -> Vectors:
    """The gradient by rows whose unit vectors have this gradient."""
    length = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    along = (gradient * unit).sum(axis=1, keepdims=True)
    return np.asarray((gradient - along * unit) / length)
