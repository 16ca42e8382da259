import pytest
from hypothesis import given

from partbook.plan import shape, unread_steps, waves
from partbook.workflow import Step, Workflow
from tests.traces import workflows


def reading(*access: tuple[int, ...]) -> Workflow:
    return Workflow(tuple(Step(0, f"part {i}", lists) for i, lists in enumerate(access)))


def test_steps_that_read_nothing_run_at_the_same_time():
    assert waves(reading((), (), ())) == [[0, 1, 2]]


def test_a_step_runs_one_wave_after_the_last_step_it_reads():
    assert waves(reading((), (), (0,), (0, 2), ())) == [[0, 1, 4], [2], [3]]


def test_a_chain_has_a_wave_for_each_step():
    assert waves(reading((), (0,), (1,), (2,), (3,))) == [[0], [1], [2], [3], [4]]


@given(workflows())
def test_every_step_is_in_one_wave_after_all_it_reads(workflow: Workflow):
    grouped = waves(workflow)
    wave_of = {i: w for w, group in enumerate(grouped) for i in group}

    assert sorted(i for group in grouped for i in group) == list(range(len(workflow.steps)))
    assert all(wave_of[j] < wave_of[i] for i, s in enumerate(workflow.steps) for j in s.access)
    assert all(grouped)


@pytest.mark.parametrize(
    ("access", "described"),
    [
        (((),), "1: "),
        (((), (), (0, 1)), "3: ; ; 0,1"),
        (((), (0,), (1,)), "3: ; 0; 1"),
    ],
)
def test_a_shape_is_the_number_of_steps_and_their_access_lists(access, described):
    assert shape(reading(*access)) == described


def test_a_shape_does_not_depend_on_workers_or_subtasks():
    one = Workflow((Step(0, "a"), Step(1, "b", (0,))))
    other = Workflow((Step(2, "c"), Step(2, "d", (0,))))

    assert shape(one) == shape(other)


def test_unread_steps_are_those_nobody_reads_without_the_last():
    assert unread_steps(reading((), (), (0,), (), (2,))) == [1, 3]


def test_a_single_step_is_not_unread():
    assert unread_steps(reading(())) == []
