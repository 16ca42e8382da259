"""Teams: what MasRouter chooses from, and the workflow that each choice is.

A team has a collaboration mode, a number of agents, and a role and a worker for each of them
(arXiv:2502.11133). Its modes are those of the authors' code that a workflow can hold; the last
agent's answer is the answer, where that code asks one more model for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from partbook.evaluate.systems.wording import Wording
from partbook.workflow import Step, Workflow

__all__ = ["MODES", "Mode", "Team", "team_workflow"]

Mode = Literal["single", "reflection", "chain", "debate", "full"]

MODES: tuple[Mode, ...] = ("single", "reflection", "chain", "debate", "full")
"""`single`: one agent. `reflection`: one agent that goes over its own answer. `chain`: each agent
reads the one before it. `debate`: all answer for themselves, and the last one reads all of them.
`full`: each agent reads all before it."""


@dataclass(frozen=True, slots=True)
class Team:
    """One choice."""

    mode: Mode
    roles: tuple[str, ...]
    """Names of roles of the wording, one for each agent."""
    workers: tuple[int, ...]
    """Indices into the pool, one for each agent."""


def team_workflow(team: Team, wording: Wording) -> Workflow:
    """The workflow that a team is.

    Raises:
        WorkflowError: it has more agents than a workflow has steps.
    """
    tasks = [wording.roles[role] for role in team.roles]
    if team.mode == "reflection":
        worker = team.workers[0]
        return Workflow((Step(worker, tasks[0]), Step(worker, wording.reflect, (0,))))
    agents = zip(team.workers, tasks, _reads(team.mode, len(tasks)), strict=True)
    return Workflow(tuple(Step(worker, task, access) for worker, task, access in agents))


def _reads(mode: Mode, count: int) -> Sequence[tuple[int, ...]]:
    if mode == "chain":
        return [tuple(range(max(0, i - 1), i)) for i in range(count)]
    if mode == "debate":
        return [() if i < count - 1 else tuple(range(i)) for i in range(count)]
    return [tuple(range(i)) for i in range(count)]
