"""Smoothie: the best worker without a single label, from how far the answers lie from each other.

Guha et al. (arXiv:2412.04692). The vectors of the workers' answers are taken as the
unknown true answer's plus noise that is independent between workers. Then the squared distance of
worker i's answer from the truth is, for any two others j and k,

    (d_ij + d_ik - d_jk) / 2,

where d is the mean squared distance between two workers' answers. It is averaged over all pairs;
the worker's quality is theta_i = (dimensions / 2) / that, and the worker with the highest is taken.

- independent: d over all questions; one worker for everything, asked alone.
- dependent: d over the question and its nearest neighbours; every worker is asked, because their
  answers to the question itself say most about it.

Simplified: neighbours, and all that the independent form knows, come from unlabelled answers to
problems of another split instead of the test problems themselves, so that a problem's result
depends on no other test problem. At least three workers are needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Self

import numpy as np

from partbook.errors import ConfigError
from partbook.evaluate.system import Sitting
from partbook.evaluate.systems.asking import Given, ask
from partbook.evaluate.systems.encoder import Encoder, Vectors
from partbook.evaluate.systems.measured import Measured
from partbook.evaluate.systems.wording import DEFAULT_WORDING, Wording
from partbook.workflow import Step, Workflow

__all__ = ["Smoothie", "qualities"]

_LEAST = 1e-9
"""Estimates of a squared distance can fall below 0; such a worker is as good as can be told."""


def qualities(answers: Vectors) -> Vectors:
    """theta of each worker.

    Args:
        answers: vectors, shape (questions, workers, dimensions), with 3 workers or more.

    Returns:
        Shape (workers,), each above 0.
    """
    _, workers, dimensions = answers.shape
    apart = np.zeros((workers, workers))
    for i, j in combinations(range(workers), 2):
        apart[i, j] = apart[j, i] = ((answers[:, i] - answers[:, j]) ** 2).sum(axis=1).mean()
    error = np.zeros(workers)
    for i in range(workers):
        others = [j for j in range(workers) if j != i]
        triplets = [
            (apart[i, j] + apart[i, k] - apart[j, k]) / 2 for j, k in combinations(others, 2)
        ]
        error[i] = np.mean(triplets)
    return np.asarray(dimensions / 2 / np.maximum(error, _LEAST))


@dataclass(frozen=True, slots=True)
class Smoothie:
    """The label-free router."""

    name: str
    encoder: Encoder
    workers: tuple[str, ...]
    questions: Vectors = field(repr=False)
    """Vectors of the unlabelled questions, shape (questions, dimensions)."""
    answers: Vectors = field(repr=False)
    """Vectors of the answers to them, shape (questions, workers, dimensions)."""
    dependent: bool = False
    neighbours: int = 20
    """Questions nearest to the one that is asked; how many is left open by the paper."""
    wording: Wording = DEFAULT_WORDING
    best: str = field(init=False)
    """The worker with the highest quality over all questions."""

    def __post_init__(self) -> None:
        if len(self.workers) < 3:
            raise ConfigError(
                f"Smoothie compares at least 3 workers, found {', '.join(self.workers)}"
            )
        chosen = self.workers[int(qualities(self.answers).argmax())]
        object.__setattr__(self, "best", chosen)

    @classmethod
    def fit(
        cls,
        measured: Measured,
        encoder: Encoder,
        *,
        dependent: bool = False,
        neighbours: int = 20,
        wording: Wording = DEFAULT_WORDING,
        name: str = "",
    ) -> Self:
        """Read the answers; what was right is not looked at."""
        flat = [answer for row in measured.answers for answer in row]
        shape = (len(measured.questions), len(measured.workers), -1)
        return cls(
            name or f"Smoothie, {'dependent' if dependent else 'independent'}",
            encoder,
            measured.workers,
            encoder.encode(measured.questions),
            encoder.encode(flat).reshape(shape),
            dependent,
            neighbours,
            wording,
        )

    def choose(self, question: str, answers: Sequence[str]) -> int:
        """Whose answer to take: its index.

        Args:
            question: what is asked.
            answers: one for each worker, in order.
        """
        own = self.encoder.encode(answers)[None]
        near = np.argsort(-(self.questions @ self.encoder.encode([question])[0]), kind="stable")
        around = self.answers[near[: self.neighbours]]
        return int(qualities(np.concatenate([own, around])).argmax())

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; 1 call if independent, else one for each worker."""
        pool = sitting.pool
        if not self.dependent:
            workflow = Workflow((Step(pool.find(self.best), self.wording.answer),))
            return (await sitting.play(Given(workflow, self.name))).answer
        steps = [Step(pool.find(worker), self.wording.answer) for worker in self.workers]
        asked = await ask(sitting, steps, self.name)
        if not asked.whole:
            return asked.answers[0] if asked.answers else None
        return asked.answers[self.choose(sitting.question, asked.answers)]
