"""What follows from a workflow's access lists alone: waves, its shape, steps that nobody reads.

Everything here is arithmetic on indices. Playing a workflow does not need it: a step starts when
what it reads is there. It is for those who draw or count workflows.
"""

from partbook.workflow import Workflow

__all__ = ["shape", "unread_steps", "waves"]


def waves(workflow: Workflow) -> list[list[int]]:
    """Group the steps by when they can run at the earliest.

    A step that reads nothing is in wave 0, any other one wave after the last step it reads.

    Returns:
        The steps of each wave, ascending; no wave is empty.

    >>> from partbook.workflow import Step
    >>> waves(Workflow((Step(0, "draft"), Step(1, "draft"), Step(2, "compare", (0, 1)))))
    [[0, 1], [2]]
    """
    of_step: list[int] = []
    for step in workflow.steps:
        of_step.append(1 + max((of_step[j] for j in step.access), default=-1))
    return [
        [i for i, wave in enumerate(of_step) if wave == wanted]
        for wanted in range(max(of_step) + 1)
    ]


def shape(workflow: Workflow) -> str:
    """Describe who reads whom, whatever the workers and subtasks: equal for equal structures.

    The number of steps, then each step's access list.

    >>> from partbook.workflow import Step
    >>> shape(Workflow((Step(0, "draft"), Step(1, "draft"), Step(2, "compare", (0, 1)))))
    '3: ; ; 0,1'
    """
    lists = "; ".join(",".join(map(str, step.access)) for step in workflow.steps)
    return f"{len(workflow.steps)}: {lists}"


def unread_steps(workflow: Workflow) -> list[int]:
    """Steps whose answer nobody reads and that are not the last: work without effect."""
    read = {j for step in workflow.steps for j in step.access}
    return [i for i in range(len(workflow.steps) - 1) if i not in read]
