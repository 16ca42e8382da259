"""Ablations: workflows that are played otherwise than they are written (arXiv:2512.04388, B.8).

They say what a part of a workflow is worth: what is left where nobody gets a subtask of his own,
and where a step may read all of the earlier steps or none.
"""

from dataclasses import replace

from partbook.lab.table import WHOLE
from partbook.train.environment import Revise
from partbook.train.recipe import Ablation
from partbook.workflow import Workflow

__all__ = ["revision"]


def revision(ablation: Ablation) -> Revise | None:
    """What an ablation does to a workflow; None: nothing."""
    return {"none": None, "whole": _whole, "chain": _chain}[ablation]


def _whole(workflow: Workflow) -> Workflow:
    return Workflow(tuple(replace(step, subtask=WHOLE) for step in workflow.steps))


def _chain(workflow: Workflow) -> Workflow:
    return Workflow(
        tuple(
            replace(step, access=tuple(range(i)) if step.access else ())
            for i, step in enumerate(workflow.steps)
        )
    )
