import pytest

from partbook.errors import WorkflowError
from partbook.evaluate.systems.teams import Team, team_workflow
from partbook.evaluate.systems.wording import Wording

WORDING = Wording("answer", "reflect", "merge", {"solver": "solve", "critic": "criticise"})


@pytest.mark.parametrize(
    ("mode", "access"),
    [
        ("chain", [(), (0,), (1,), (2,)]),
        ("debate", [(), (), (), (0, 1, 2)]),
        ("full", [(), (0,), (0, 1), (0, 1, 2)]),
    ],
)
def test_a_mode_says_who_reads_whom(mode, access):
    roles = ("solver", "critic", "solver", "critic")
    workflow = team_workflow(Team(mode, roles, (3, 0, 1, 2)), WORDING)

    assert [step.access for step in workflow.steps] == access
    assert workflow.workers == (3, 0, 1, 2)
    assert [step.subtask for step in workflow.steps] == ["solve", "criticise"] * 2


def test_modes_of_one_agent():
    single = team_workflow(Team("single", ("critic",), (1,)), WORDING)
    reflection = team_workflow(Team("reflection", ("solver",), (1,)), WORDING)

    assert [(s.worker, s.subtask, s.access) for s in single.steps] == [(1, "criticise", ())]
    assert [(s.worker, s.subtask, s.access) for s in reflection.steps] == [
        (1, "solve", ()),
        (1, "reflect", (0,)),
    ]


def test_a_team_is_no_larger_than_a_workflow():
    with pytest.raises(WorkflowError, match="1 to 5 steps"):
        team_workflow(Team("chain", ("solver",) * 6, (0,) * 6), WORDING)
