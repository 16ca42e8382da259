import pytest

from partbook.errors import WorkflowError
from partbook.workflow import Step, Workflow


def test_a_step_may_read_any_earlier_steps():
    workflow = Workflow((Step(0, "a"), Step(1, "b"), Step(0, "c", (0, 1))))

    assert workflow.workers == (0, 1, 0)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((), "a workflow has 1 to 5 steps, this one has 0"),
        ((Step(0, "x"),) * 6, "a workflow has 1 to 5 steps, this one has 6"),
        ((Step(-1, "x"),), "step 0: worker -1 is below 0"),
        ((Step(0, " \n"),), "step 0: the subtask is blank"),
        ((Step(0, "x", (0,)),), "step 0: access 0 is not an earlier step (there is none)"),
        (
            (Step(0, "x"), Step(0, "y", (1,))),
            "step 1: access 1 is not an earlier step (0..0)",
        ),
        (
            (Step(0, "x"), Step(0, "y"), Step(0, "z", (1, 0))),
            "step 2: access [1, 0] is not ascending or names a step twice",
        ),
        (
            (Step(0, "x"), Step(0, "y", (0, 0))),
            "step 1: access [0, 0] is not ascending or names a step twice",
        ),
    ],
)
def test_a_workflow_that_breaks_a_rule_cannot_exist(steps, message):
    with pytest.raises(WorkflowError) as raised:
        Workflow(steps)

    assert str(raised.value) == message


def test_a_worker_outside_the_pool_is_refused():
    workflow = Workflow((Step(0, "x"), Step(3, "y", (0,))))

    with pytest.raises(
        WorkflowError, match=r"step 1: worker 3 does not exist, the pool has 0\.\.2"
    ):
        workflow.check_workers(3)

    workflow.check_workers(4)
