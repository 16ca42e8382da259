from concurrent.futures import Future

import pytest

from partbook.train.group_queue import Clock, GroupQueue, InFlight

WRITE_S, LEARN_S = 1.0, 2.0


class Watch(Clock):
    """Time that passes only when somebody waits or works; groups are over as it was written."""

    def __init__(self):
        self.time = 0.0
        self.ends = []

    def now(self):
        return self.time

    def pass_by(self, seconds):
        until = self.time + seconds
        for end, future, result in sorted(self.ends, key=lambda one: one[0]):
            if end <= until and not future.done():
                self.time = max(self.time, end)
                future.set_result(result)
        self.time = until

    def wait(self, futures, timeout_s):
        ends = [end for end, future, _ in self.ends if future in futures and not future.done()]
        next_end = min(ends, default=float("inf"))
        until = min(next_end, self.time + (float("inf") if timeout_s is None else timeout_s))
        assert until < float("inf"), "nothing will ever happen"
        self.pass_by(until - self.time)


def begun(clock, index, step, seconds, **more):
    future = Future()
    if seconds is not None:
        clock.ends.append((clock.time + seconds, future, f"played {index}"))
    return InFlight(index, step, f"group {index}", future, **more)


def run(ahead, play_s, steps=4, size=2):
    """A run whose groups take turns in how long they are played: what it took, what it waited for,
    and what each step learned from."""
    clock = Watch()
    queue = GroupQueue(size, ahead, steps * size, clock=clock)
    learned = []
    for step in range(steps):
        due = queue.due(step)
        for start in range(due.start, due.stop, size):
            clock.pass_by(WRITE_S)
            for index in range(start, min(start + size, due.stop)):
                queue.put(begun(clock, index, step, play_s[index % len(play_s)]))
        learned.append([(one.index, step - one.step) for one in queue.take(step)])
        clock.pass_by(LEARN_S)
    return clock.time, queue.waited_s, learned


def test_without_groups_ahead_every_step_waits_for_its_slowest_group():
    took, waited, learned = run(0, [6.0, 2.0])

    assert (took, waited) == (36.0, 24.0)
    assert learned == [[(0, 0), (1, 0)], [(2, 0), (3, 0)], [(4, 0), (5, 0)], [(6, 0), (7, 0)]]


def test_with_a_step_ahead_groups_are_played_while_others_are_learned_from():
    took, waited, learned = run(2, [6.0, 2.0])

    assert (took, waited) == (21.0, 9.0)
    assert learned == [[(0, 0), (1, 0)], [(2, 1), (3, 1)], [(4, 1), (5, 1)], [(6, 1), (7, 1)]]


def test_with_one_group_ahead_the_slower_of_two_stays_in_flight():
    took, waited, learned = run(1, [6.0, 2.0])

    assert (took, waited) == (24.0, 11.0)
    assert learned == [[(0, 0), (1, 0)], [(2, 1), (3, 0)], [(4, 1), (5, 0)], [(6, 1), (7, 0)]]


@pytest.mark.parametrize("ahead", [0, 1, 2, 3])
def test_every_group_is_learned_from_once_and_none_is_older_than_one_update(ahead):
    _, _, learned = run(ahead, [9.0, 1.0, 4.0, 7.0, 2.0], steps=7, size=3)

    taken = [index for step in learned for index, _ in step]
    assert sorted(taken) == list(range(21))
    assert [len(step) for step in learned] == [3] * 7
    assert max(age for step in learned for _, age in step) == (1 if ahead else 0)


def test_patience_that_is_over_cuts_off_what_is_needed_and_nothing_else():
    clock, cut = Watch(), []
    queue = GroupQueue(2, 1, 6, patience_s=5.0, clock=clock)
    queue.put(begun(clock, 0, 0, 100.0, cut=lambda: cut.append(0)))
    queue.put(begun(clock, 1, 0, 3.0))
    queue.put(begun(clock, 2, 0, 200.0, cut=lambda: cut.append(2)))

    taken = queue.take(0)

    assert [(one.index, one.result, one.late) for one in taken] == [
        (0, None, True),
        (1, "played 1", False),
    ]
    assert cut == [0]
    assert [one.index for one in queue.flying] == [2]
    assert queue.waited_s == 5.0


def test_a_group_that_is_cut_off_still_says_what_it_has_spent():
    clock = Watch()
    queue = GroupQueue(1, 0, 1, patience_s=5.0, clock=clock)
    group = begun(clock, 0, 0, None)
    group.cut = lambda: clock.ends.append((clock.time + 0.2, group.result, "spent"))
    queue.put(group)

    (taken,) = queue.take(0)

    assert (taken.result, taken.late) == ("spent", True)


def test_a_group_that_is_over_its_own_time_is_not_waited_for_any_longer():
    clock = Watch()
    queue = GroupQueue(1, 0, 1, clock=clock)
    queue.put(begun(clock, 0, 0, None, until=30.0))

    (taken,) = queue.take(0)

    assert taken.late
    assert queue.waited_s == 30.0


def test_a_group_that_was_over_just_now_comes_before_one_that_is_not():
    clock, cut = Watch(), []
    queue = GroupQueue(1, 0, 2, clock=clock)
    slow, quick = (
        InFlight(i, 0, f"group {i}", Future(), cut=lambda i=i: cut.append(i)) for i in (0, 1)
    )
    queue.flying = [slow, quick]
    quick.result.set_result("played 1")  # the thread that plays has not noted its place yet

    (taken,) = queue.take(0)

    assert (taken.index, taken.result, cut) == (1, "played 1", [])


def test_a_checkpoint_waits_for_what_is_in_flight_and_takes_nothing():
    clock = Watch()
    queue = GroupQueue(1, 1, 3, clock=clock)
    queue.put(begun(clock, 0, 0, 1.0))
    queue.put(begun(clock, 1, 0, 8.0))
    queue.take(0)

    queue.settle()

    assert [one.result.result() for one in queue.flying] == ["played 1"]
    assert clock.time == 8.0


def test_a_step_that_is_left_out_is_refused():
    clock = Watch()
    queue = GroupQueue(1, 1, 3, clock=clock)
    queue.put(begun(clock, 0, 0, 1.0))

    with pytest.raises(ValueError, match="older than one update"):
        queue.take(2)


def test_what_is_closed_is_cut_off():
    clock, cut = Watch(), []
    queue = GroupQueue(1, 1, 3, clock=clock)
    queue.put(begun(clock, 0, 0, 50.0, cut=lambda: cut.append(0)))

    queue.close()

    assert (cut, queue.flying) == ([0], [])


def test_the_clock_on_the_wall_waits_for_the_first_that_is_over():
    done, never = Future(), Future()
    done.set_result(1)

    Clock().wait([done, never], 60.0)
    Clock().wait([never], 0.01)

    assert not never.done()
