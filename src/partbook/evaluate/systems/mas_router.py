"""MasRouter: a cascade of choices for each question, trained by what the chosen team achieves.

Yue et al. (arXiv:2502.11133): a controller chooses the collaboration mode from the
question, the number of agents from question and mode, each agent's role from these and the roles
before it, and each agent's model from question, mode and role. The product of these probabilities
is the policy, and the gradient of

    E[ U - lambda * C ]

is followed, where U is 1 if the team's answer is right and C what it cost in dollars.

Simplified: every stage is one linear layer on the encoder's vector of the question and on what was
chosen before, so modes, roles and models have learned weights instead of vectors of their
descriptions, and a new model needs new training; the mode's latent variable is its mean, without
the variational term; the number of agents is drawn from a categorical distribution instead of
rounded from a difficulty. The mean utility of the teams drawn for the same question is taken off
as a baseline, which changes the gradient's noise and not its mean. After training, the likeliest
choice is taken at every stage.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from partbook.errors import ConfigError
from partbook.evaluate.system import Sitting
from partbook.evaluate.systems.asking import Given, language_models
from partbook.evaluate.systems.encoder import Encoder, Vectors
from partbook.evaluate.systems.learning import Adam, log_shares
from partbook.evaluate.systems.measured import Trial
from partbook.evaluate.systems.teams import MODES, Team, team_workflow
from partbook.evaluate.systems.wording import DEFAULT_WORDING, Wording
from partbook.pool import AgentPool
from partbook.workflow import MAX_STEPS

__all__ = ["Controller", "MasRouter", "MasRouterSettings"]


@dataclass(frozen=True, slots=True)
class MasRouterSettings:
    """How the controller is trained."""

    cost_weight: float = 10.0
    """lambda: how many right answers a dollar is worth; 10 in the authors' code."""
    epochs: int = 10
    """Times that every problem is played."""
    teams: int = 4
    """Teams that are drawn for a problem each time; at least 2, as each is the others' baseline."""
    batch: int = 16
    """Problems in a step."""
    rate: float = 0.03
    """Adam's; 0.01 in the authors' code, for weights that are shared by all options."""
    max_agents: int = 4
    """2 to `MAX_STEPS`; 6 in the authors' code."""

    def __post_init__(self) -> None:
        if self.teams < 2 or not 2 <= self.max_agents <= MAX_STEPS:
            raise ConfigError(
                f"at least 2 teams a problem and 2 to {MAX_STEPS} agents were expected, found "
                f"{self.teams} and {self.max_agents}"
            )

    def calls(self, problems: int) -> tuple[int, int]:
        """Fewest and most calls that training makes."""
        plays = self.epochs * self.teams * problems
        return plays, plays * self.max_agents


class _Choice(NamedTuple):
    """One choice of the cascade: enough to follow its gradient."""

    stage: str
    seen: Vectors
    """What it was made from, shape (features,)."""
    shares: Vectors
    """Probabilities, shape (options,)."""
    chosen: int


@dataclass(frozen=True, slots=True)
class Controller:
    """The cascade's weights, one matrix (features, options) a stage."""

    mode: Vectors
    count: Vectors
    role: Vectors
    worker: Vectors

    @classmethod
    def new(cls, dimensions: int, roles: int, workers: int, max_agents: int) -> Self:
        """A controller for which all choices are alike."""
        base, modes = dimensions + 1, len(MODES)
        return cls(
            np.zeros((base, modes)),
            np.zeros((base + modes, max_agents - 1)),
            np.zeros((base + modes + roles, roles)),
            np.zeros((base + modes + roles, workers)),
        )

    def choose(
        self, question: Vectors, rng: np.random.Generator | None
    ) -> tuple[list[int], list[_Choice]]:
        """Go through the cascade for one question.

        Args:
            question: its vector, shape (dimensions,).
            rng: draws each choice; None: the likeliest is taken.

        Returns:
            Mode, then role and worker of each agent in turn, as indices; and the choices made.
        """
        made: list[_Choice] = []

        def decide(stage: str, weights: Vectors, seen: Vectors) -> int:
            shares = np.exp(log_shares(seen @ weights))
            likeliest = int(shares.argmax())
            chosen = likeliest if rng is None else int(rng.choice(len(shares), p=shares))
            made.append(_Choice(stage, seen, shares, chosen))
            return chosen

        base = np.append(question, 1.0)
        mode = decide("mode", self.mode, base)
        base = np.concatenate([base, np.eye(len(MODES))[mode]])
        alone = MODES[mode] in ("single", "reflection")
        agents = 1 if alone else 2 + decide("count", self.count, base)
        options = self.role.shape[1]
        before = np.zeros(options)
        found = [mode]
        for _ in range(agents):
            role = decide("role", self.role, np.concatenate([base, before]))
            own = np.eye(options)[role]
            found += [role, decide("worker", self.worker, np.concatenate([base, own]))]
            before = before + own
        return found, made

    def gradients(self, weighted: Sequence[tuple[float, Sequence[_Choice]]]) -> dict[str, Vectors]:
        """Gradient of the sum of advantage times log-probability, for each stage."""
        sums = {stage: np.zeros_like(weights) for stage, weights in self.arrays().items()}
        for advantage, made in weighted:
            for choice in made:
                off = -choice.shares
                off[choice.chosen] += 1
                sums[choice.stage] += advantage * np.outer(choice.seen, off)
        return sums

    def arrays(self) -> dict[str, Vectors]:
        """The weights by stage."""
        return {"mode": self.mode, "count": self.count, "role": self.role, "worker": self.worker}


@dataclass(frozen=True, slots=True)
class MasRouter:
    """The fitted router."""

    name: str
    encoder: Encoder
    workers: tuple[str, ...]
    controller: Controller
    wording: Wording = DEFAULT_WORDING

    @classmethod
    async def fit(
        cls,
        questions: Sequence[str],
        pool: AgentPool,
        trial: Trial,
        encoder: Encoder,
        *,
        seed: int = 0,
        settings: MasRouterSettings | None = None,
        wording: Wording = DEFAULT_WORDING,
        name: str = "MasRouter",
    ) -> Self:
        """Train by playing teams; see `MasRouterSettings.calls` for what that takes.

        With a trial whose results depend on nothing but problem and workflow, the same seed gives
        the same router.

        Args:
            questions: of the problems that the trial knows by these indices.
            pool: whom the trial plays on; its tools take no part.
            trial: plays and judges a workflow.
            encoder: the question's vector.
            seed: of what is drawn.
            settings: how it is trained.
            wording: what the roles are told.
            name: what tables call the system.
        """
        how = settings or MasRouterSettings()
        workers = tuple(pool.names[i] for i in language_models(pool))
        vectors = encoder.encode(questions)
        controller = Controller.new(
            vectors.shape[1], len(wording.roles), len(workers), how.max_agents
        )
        router = cls(name, encoder, workers, controller, wording)
        adam = Adam(list(controller.arrays().values()), how.rate)
        rng = np.random.default_rng(seed)
        for _ in range(how.epochs):
            order = rng.permutation(len(questions))
            for start in range(0, len(order), how.batch):
                rows = [int(row) for row in order[start : start + how.batch]]
                weighted = await router._played(rows, vectors, pool, trial, how, rng)
                ascent = controller.gradients(weighted).values()
                adam.step([-gradient / max(1, len(weighted)) for gradient in ascent])
        return router

    async def _played(
        self,
        rows: Sequence[int],
        vectors: Vectors,
        pool: AgentPool,
        trial: Trial,
        how: MasRouterSettings,
        rng: np.random.Generator,
    ) -> list[tuple[float, Sequence[_Choice]]]:
        """Advantage and choices of every team that was drawn and judged."""
        drawn = [
            (row, *self.controller.choose(vectors[row], rng))
            for row in rows
            for _ in range(how.teams)
        ]
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(trial(row, team_workflow(self._team(found, pool), self.wording)))
                for row, found, _ in drawn
            ]
        utility: dict[int, list[tuple[float, Sequence[_Choice]]]] = {}
        for (row, _, made), task in zip(drawn, tasks, strict=True):
            tried = task.result()
            if tried.right is not None:
                worth = float(tried.right) - how.cost_weight * tried.cost_usd
                utility.setdefault(row, []).append((worth, made))
        return [
            (worth - sum(other for other, _ in teams) / len(teams), made)
            for teams in utility.values()
            if len(teams) > 1
            for worth, made in teams
        ]

    def team(self, question: str, pool: AgentPool) -> Team:
        """The likeliest team for a question."""
        found, _ = self.controller.choose(self.encoder.encode([question])[0], None)
        return self._team(found, pool)

    def _team(self, found: Sequence[int], pool: AgentPool) -> Team:
        roles = list(self.wording.roles)
        return Team(
            MODES[found[0]],
            tuple(roles[i] for i in found[1::2]),
            tuple(pool.find(self.workers[i]) for i in found[2::2]),
        )

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; a call for each agent, and one more in the mode `reflection`."""
        workflow = team_workflow(self.team(sitting.question, sitting.pool), self.wording)
        return (await sitting.play(Given(workflow, self.name))).answer
