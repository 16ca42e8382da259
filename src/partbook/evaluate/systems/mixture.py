"""MixtureOfAgents: layers in which everybody answers, and an aggregator at the end.

As published by Wang et al. (arXiv:2406.04692): each agent of a layer
reads all answers of the layer before and is asked to aggregate and synthesise them; the last layer
is one aggregator. With n workers and l layers these are n (l - 1) + 1 calls. Three layers with the
strongest model at the end are the paper's MoA, two are its MoA-Lite. The Conductor's paper
compares with two layers and an aggregator drawn at random, 8 calls with 7 workers
(arXiv:2512.04388).

Simplified: the answers to read stand in the subtask instead of the system prompt, and the words of
that prompt are ours. Tools do not take part: they neither answer questions nor read answers.
"""

from dataclasses import dataclass

from partbook.errors import ConfigError
from partbook.evaluate.system import Sitting
from partbook.evaluate.systems.asking import ask, language_models, merging_step
from partbook.evaluate.systems.voting import majority
from partbook.evaluate.systems.wording import DEFAULT_WORDING, Wording
from partbook.workflow import Step

__all__ = ["MixtureOfAgents"]


@dataclass(frozen=True, slots=True)
class MixtureOfAgents:
    """Layers of proposers and an aggregator."""

    name: str
    aggregator: str | None
    """A worker's name; None: drawn anew for every question."""
    layers: int = 3
    """The aggregator's included, so at least 2."""
    wording: Wording = DEFAULT_WORDING

    def __post_init__(self) -> None:
        if self.layers < 2:
            raise ConfigError(
                f"a mixture of agents has at least 2 layers, the aggregator's included; found "
                f"{self.layers}"
            )

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; n (layers - 1) + 1 calls."""
        proposers = language_models(sitting.pool)
        steps = [Step(i, self.wording.answer) for i in proposers]
        asked: list[str] = []
        for _ in range(self.layers - 1):
            layer = await ask(sitting, steps, self.name)
            asked = layer.answers or asked
            if not layer.whole:
                return majority(asked)
            steps = [merging_step(sitting, i, asked, self.wording) for i in proposers]
        aggregator = self._aggregator(sitting, proposers)
        last = await ask(
            sitting, [merging_step(sitting, aggregator, asked, self.wording)], self.name
        )
        return last.answers[0] if last.answers else majority(asked)

    def _aggregator(self, sitting: Sitting, proposers: list[int]) -> int:
        if self.aggregator is None:
            return sitting.rng.choice(proposers)
        return sitting.pool.find(self.aggregator)
