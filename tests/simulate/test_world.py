import pytest

from partbook.simulate.world import Event, World


def test_tasks_go_on_in_the_order_of_their_moments():
    world, seen = World(), []

    def task(name, *waits_s):
        for wait_s in waits_s:
            yield wait_s
            seen.append((world.now_s, name))

    world.begin(task("a", 2.0, 2.0))
    world.begin(task("b", 1.0, 1.0))
    world.run()

    assert seen == [(1.0, "b"), (2.0, "a"), (2.0, "b"), (4.0, "a")]


def test_an_event_wakes_all_who_wait_and_those_who_come_later():
    world, seen = World(), []
    event = Event(world)

    def waits(name, first_s):
        yield first_s
        yield event
        seen.append((world.now_s, name))

    world.begin(waits("early", 1.0))
    world.begin(waits("late", 5.0))
    world.at(3.0, event.fire)
    world.run()

    assert seen == [(3.0, "early"), (5.0, "late")]


def test_a_cancelled_task_tidies_up_and_is_over_for_who_waits_for_it():
    world, seen = World(), []

    def long():
        try:
            yield 100.0
            seen.append("ended by itself")
        finally:
            seen.append("tidied up")

    task = world.begin(long())

    def waits():
        yield task.done
        seen.append(world.now_s)

    world.begin(waits())
    world.at(7.0, task.cancel)
    world.run()

    assert seen == ["tidied up", 7.0]


def test_a_run_until_a_moment_leaves_the_rest_for_later():
    world, seen = World(), []
    world.at(1.0, lambda: seen.append(1))
    world.at(9.0, lambda: seen.append(9))

    world.run(5.0)

    assert (world.now_s, seen) == (5.0, [1])
    world.run()
    assert (world.now_s, seen) == (9.0, [1, 9])


def test_what_a_task_raises_reaches_whoever_runs_the_world():
    world = World()

    def breaks():
        yield 1.0
        raise ValueError("a bug")

    world.begin(breaks())

    with pytest.raises(ValueError, match="a bug"):
        world.run()
