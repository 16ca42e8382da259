"""Plans that no model writes: a fixed workflow, and a random one.

The random workflow is the floor. It has everything that a Conductor's workflow has but the
choice, so what a Conductor wins over it is what choosing is worth.
"""

import random
from dataclasses import dataclass

from partbook.conduct import Fixed
from partbook.evaluate.system import Sitting
from partbook.evaluate.systems.asking import Given
from partbook.evaluate.systems.wording import DEFAULT_WORDING, Wording
from partbook.fixed import FixedWorkflow
from partbook.pool import AgentPool
from partbook.workflow import MAX_STEPS, Step, Workflow

__all__ = ["FixedPlan", "RandomPlan", "random_workflow"]


@dataclass(frozen=True, slots=True)
class FixedPlan:
    """The same workflow for every question."""

    name: str
    workflow: FixedWorkflow

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; a call for each step."""
        return (await sitting.play(Fixed(self.workflow))).answer


@dataclass(frozen=True, slots=True)
class RandomPlan:
    """Another workflow for every question, drawn without looking at it."""

    name: str
    wording: Wording = DEFAULT_WORDING
    max_steps: int = MAX_STEPS

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; 1 to `max_steps` calls, (1 + max_steps) / 2 on average."""
        workflow = random_workflow(sitting.pool, self.wording, self.max_steps, sitting.rng)
        return (await sitting.play(Given(workflow, self.name))).answer


def random_workflow(
    pool: AgentPool, wording: Wording, max_steps: int, rng: random.Random
) -> Workflow:
    """Any number of steps and any workers; who reads earlier answers reads all of them.

    A step that reads nothing answers the question; one that reads answers it or goes over the
    newest answer, with even chances.
    """
    steps: list[Step] = []
    for i in range(rng.randint(1, max_steps)):
        access = rng.choice(((), tuple(range(i))))
        subtask = rng.choice((wording.answer, wording.reflect)) if access else wording.answer
        steps.append(Step(rng.randrange(len(pool)), subtask, access))
    return Workflow(tuple(steps))
