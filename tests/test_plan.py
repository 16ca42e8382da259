from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.plan import critical_path, shape, unread_steps, waves
from partbook.workflow import Step, Workflow


def reading(*access: tuple[int, ...]) -> Workflow:
    return Workflow(tuple(Step(0, f"part {i}", lists) for i, lists in enumerate(access)))


@st.composite
def workflows(draw: st.DrawFn) -> Workflow:
    size = draw(st.integers(1, 5))
    lists = [draw(st.sets(st.integers(0, i - 1))) if i else set() for i in range(size)]
    return reading(*(tuple(sorted(access)) for access in lists))


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


def test_the_critical_path_goes_through_the_slower_branch():
    workflow = reading((), (), (0,), (1,), (2, 3))

    assert critical_path(workflow, [1.0, 2.0, 5.0, 1.0, 0.5]) == (6.5, [0, 2, 4])


def test_the_critical_path_may_end_in_a_step_that_nobody_reads():
    assert critical_path(reading((), (), (1,)), [9.0, 1.0, 1.0]) == (9.0, [0])


def test_of_equally_long_chains_the_one_through_the_lower_steps_is_named():
    assert critical_path(reading((), (), (0, 1)), [1.0, 1.0, 1.0]) == (2.0, [0, 2])


def test_a_critical_path_needs_one_figure_per_step():
    with pytest.raises(ValueError, match="2 steps, but 1 figures"):
        critical_path(reading((), ()), [1.0])


@given(workflows(), st.data())
def test_the_critical_path_is_a_chain_of_reads_and_no_step_ends_later(
    workflow: Workflow, data: st.DataObject
):
    size = len(workflow.steps)
    seconds = data.draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))

    total, chain = critical_path(workflow, seconds)

    assert total == sum(seconds[i] for i in chain)
    assert all(a in workflow.steps[b].access for a, b in pairwise(chain))
    ends: list[int] = []
    for i, step in enumerate(workflow.steps):
        ends.append(seconds[i] + max((ends[j] for j in step.access), default=0))
    assert total == max(ends)


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
