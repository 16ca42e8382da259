"""KeptPlan: the workflow of a conversation's last turn, played again for what the user says now.

A Conductor writes subtasks for the question of its own turn. So a step is told what it was for, and
that it is to do the same for the newest message; workers, order and access stay as they were. A
tool takes its subtask for its input, so it is told nothing of the old one: it works on the answers
that it reads, and a plan with a tool that reads none is not kept. Whether a plan is kept at all is
otherwise left to `follow_up.py`.
"""

from dataclasses import dataclass, replace

from partbook.event import Planned
from partbook.pool import AgentPool
from partbook.stage import Stage
from partbook.trace import Trace
from partbook.workflow import Workflow

__all__ = ["KEPT", "KeptPlan", "plan_to_keep"]

KEPT = "(kept)"
"""The name of such a workflow in a trace; files of workflows cannot have it."""

MOST_SUBTASK_CHARS = 4000
"""A plan with more in one of its subtasks is not kept."""

_TO_A_TOOL = "Use what was answered before."


@dataclass(frozen=True, slots=True)
class KeptPlan:
    """A Proposer that asks nobody."""

    workflow: Workflow
    """As the Conductor wrote it."""

    async def propose(self, stage: Stage, round_index: int) -> Planned:
        """As `Proposer.propose`."""
        pool = stage.pool
        steps = (
            replace(step, subtask=_TO_A_TOOL)
            if pool[step.worker].spec.is_tool
            else replace(step, subtask=_once_more(step.subtask))
            for step in self.workflow.steps
        )
        return Planned(round_index, Workflow(tuple(steps)), "fixed", KEPT)

    def count_earlier(self, stage: Stage) -> None:
        """As `Proposer.count_earlier`; there are none."""


def plan_to_keep(trace: Trace, pool: AgentPool) -> Workflow | None:
    """The workflow of a run that may be played again; None: it may not.

    Args:
        trace: it was answered.
        pool: who it was played by.
    """
    rounds = [round_ for round_ in trace.rounds if round_.parent is None]
    if len(rounds) != 1 or rounds[0].workflow is None:
        return None
    only, workflow = rounds[0], rounds[0].workflow
    is_planned = only.source in ("conductor", "retry") or only.workflow_name == KEPT
    as_planned = all(
        step.error is None and step.answered_by in ("", step.worker) for step in only.steps
    )
    is_whole = only.steps[-1].finish_reason in (None, "stop")
    is_short = all(len(step.subtask) <= MOST_SUBTASK_CHARS for step in workflow.steps)
    has_input = all(step.access or not pool[step.worker].spec.is_tool for step in workflow.steps)
    may = is_planned and as_planned and is_whole and is_short and has_input
    return workflow if may else None


def _once_more(subtask: str) -> str:
    return (
        "In the turn before, this step was:\n"
        f"{subtask}\n"
        "Do the same kind of work for what the user says now."
    )
