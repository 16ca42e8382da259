"""Running, stopping and going on, with systems of our own."""

import asyncio
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import pytest

from partbook.budget import Limits
from partbook.errors import ConfigError
from partbook.evaluate.running.results import RESULTS, Results
from partbook.message import Usage
from partbook.pool import AgentPool, Worker
from partbook.store import Store
from tests.evaluate.world import A_DOLLAR, Knows, alone, posed, world
from tests.fakes import Gate, pool_of


async def test_every_system_meets_every_problem_once_and_is_judged(tmp_path):
    there = world(tmp_path, Knows(["q0", "q1"]), Knows(["q2"]))

    ended, results = await there.run()

    right = Counter(cell.system for cell in results.cells.values() if cell.right)
    assert right == {"worker:w0": 2, "worker:w1": 1, "chain": 1}
    assert (ended.played, ended.missing, ended.stopped) == (12, 0, "")


async def test_a_cell_says_what_was_played_and_what_it_took(tmp_path):
    there = world(tmp_path, Knows(["q0"]), Knows(["q0"]))

    _, results = await there.run()

    cell = results.cells["chain", "t/0", 0]
    assert (cell.spent.calls, cell.spent.tokens, cell.spent.cost_usd) == (2, 2, Decimal(2))
    assert cell.spent.workers == {"w0": 1, "w1": 1}
    steps = cell.played[0].steps
    assert [(step.worker, step.subtask, step.access, step.answer) for step in steps] == [
        ("w0", "part 0", (), "yes"),
        ("w1", "part 1", (0,), "yes"),
    ]


async def test_a_second_run_asks_nobody_and_finds_the_same(tmp_path):
    models = Knows(["q0"]), Knows(["q1"])
    there = world(tmp_path, *models)
    _, first = await there.run()
    asked = len(models[0].asked)

    ended, second = await there.run()

    assert len(models[0].asked) == asked == 8
    assert ended.played == 0
    assert second.cells == first.cells


async def test_more_problems_systems_and_repeats_are_added_to_what_is_there(tmp_path):
    model = Knows(["q0"])
    there = world(tmp_path, model, count=2)
    await there.run()

    there.problems, there.repeats = posed(3, there.problems[0].pool), 2
    ended, results = await there.run()

    # 2 systems on 3 problems twice are 12 cells, 4 of which were there.
    assert ended.played == 8
    assert len(results.cells) == 12
    assert len(model.asked) == 12


async def test_a_worker_that_is_down_leaves_its_cells_not_judged_and_they_are_tried_again(tmp_path):
    well, ill = Knows(["q0", "q1", "q2", "q3"]), Knows(["q0", "q1", "q2", "q3"], down=True)
    there = world(tmp_path, well, ill)

    ended, results = await there.run()

    outcomes = Counter((cell.system, cell.outcome) for cell in results.cells.values())
    assert outcomes == {
        ("worker:w0", "right"): 4,
        ("worker:w1", "not judged"): 4,
        ("chain", "not judged"): 4,
    }
    assert ended.missing == 8
    assert "worker is down" in results.cells["chain", "t/0", 0].why

    ill.down = False
    asked = len(well.asked)
    ended, results = await there.run()

    assert ended.missing == 0
    assert all(cell.right for cell in results.cells.values())
    # What the chain's first worker had answered is not asked again.
    assert len(well.asked) == asked
    assert results.cells["chain", "t/0", 0].spent.calls == 2


async def test_cells_that_were_cut_short_go_on_with_the_calls_that_they_had_made(tmp_path):
    first, gate = Knows(["q0", "q1", "q2", "q3"]), Gate()
    there = world(tmp_path, first, gate, concurrency=1)
    there.systems = [there.systems[-1]]
    running = asyncio.create_task(there.run())
    await gate.reached.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(first.asked) == 1

    gate.opened.set()
    ended, results = await there.run()

    assert len(first.asked) == 4
    assert there.replayed == 1
    assert ended.missing == 0
    assert {cell.spent.calls for cell in results.cells.values()} == {2}


@pytest.mark.parametrize("concurrency", [1, 8])
async def test_the_limit_of_the_whole_evaluation_holds_whatever_runs_at_once(tmp_path, concurrency):
    model = Knows(["q"], usage=Usage(40, 0))
    there = world(tmp_path, model, count=20, concurrency=concurrency, usd=Decimal(1000))

    ended, results = await there.run()

    spent = sum(40 for _ in model.asked)
    assert spent <= 1000
    assert len(model.asked) > 15
    assert ended.stopped == "the limit of $1000 is reached"
    assert ended.missing > 0
    assert {cell.outcome for cell in results.cells.values()} <= {"right", "not judged"}


async def test_a_higher_limit_goes_on_from_what_was_spent(tmp_path):
    model = Knows(["q"], usage=Usage(40, 0))
    there = world(tmp_path, model, count=5, concurrency=1, usd=Decimal(200))
    ended, _ = await there.run()
    before = len(model.asked)
    assert ended.missing

    there.usd = Decimal(10_000)
    ended, results = await there.run()

    assert ended.missing == 0
    assert 2 < before < 6
    assert len(model.asked) == 10
    assert all(cell.right for cell in results.cells.values())


async def test_a_call_that_was_lost_with_its_process_counts_against_the_limit(tmp_path):
    gate = Gate()
    there = world(tmp_path, gate, count=1, usd=Decimal(100))
    running = asyncio.create_task(there.run())
    await gate.reached.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    gate.opened.set()
    ended, _ = await there.run()

    # Two calls of up to 60 tokens may have been billed already, so no other one fits.
    assert "limit" in ended.stopped


async def test_a_systems_own_limit_is_its_own_fault(tmp_path):
    there = world(tmp_path, Knows(["q0"]), Knows(["q0"]), each=Limits(calls=1))

    ended, results = await there.run()

    assert ended.missing == 0
    chain = results.cells["chain", "t/1", 0]
    assert chain.outcome == "wrong"
    assert chain.spent.calls == 1
    assert results.cells["worker:w0", "t/0", 0].right


async def test_repeats_draw_anew_where_a_seed_can_say_so(tmp_path):
    model = Knows(["q0"])
    pool = pool_of(model, price=A_DOLLAR)
    there = world(tmp_path, model)
    spec = pool[0].spec
    local = AgentPool("test", (Worker(replace(spec, kind="local"), model),))
    there.systems, there.problems, there.repeats = [alone("w0")], posed(1, local), 3

    await there.run()

    assert sorted(model.seeds, key=lambda seed: seed or 0) == [None, 1_000_003, 2_000_006]


async def test_a_systems_draws_do_not_depend_on_the_others(tmp_path):
    class Draws:
        name = "draws"
        seen: list[float]

        async def answer(self, sitting):
            self.seen.append(sitting.rng.random())
            return "yes"

    one, both = Draws(), Draws()
    one.seen, both.seen = [], []
    there = world(tmp_path / "a", Knows())
    there.systems = [one]
    await there.run()
    there = world(tmp_path / "b", Knows(), concurrency=1)
    there.systems = [alone("w0"), both]
    await there.run()

    assert sorted(one.seen) == sorted(both.seen)


async def test_no_answer_is_wrong_and_says_so(tmp_path):
    class Silent:
        name = "silent"

        async def answer(self, sitting):
            return None

    there = world(tmp_path, Knows(), count=1)
    there.systems = [Silent()]

    _, results = await there.run()

    cell = results.cells["silent", "t/0", 0]
    assert (cell.outcome, cell.why) == ("wrong", "no answer")


async def test_traces_are_in_the_store_under_the_ids_of_their_cells(tmp_path):
    there = world(tmp_path, Knows(["q0"]))

    _, results = await there.run()

    cell = results.cells["chain", "t/0", 0]
    with Store.open(tmp_path / "runs.db") as store:
        assert store.load(cell.runs[0]).answer == "yes"
        rows = {row.run_id: row for row in store.runs()}
    row = rows[cell.runs[0]]
    assert (row.task, row.label, row.verdict) == ("t/0", "evaluation: chain", "right")


async def test_progress_says_how_far_it_is_and_what_it_cost(tmp_path):
    there = world(tmp_path, Knows(["q0"]))

    await there.run()

    last = there.progress[-1]
    assert (last.done, last.total, last.not_judged, last.calls) == (8, 8, 0, 8)
    assert last.usd == Decimal(8)
    assert last.left_s == 0


async def test_what_only_the_user_can_mend_ends_the_run_and_keeps_what_was_found(tmp_path):
    there = world(tmp_path, Knows(["q0"]), concurrency=1)
    there.systems = [alone("w0"), alone("nobody")]

    with pytest.raises(ConfigError, match="nobody"):
        await there.run()

    assert (tmp_path / RESULTS).exists()
    assert Results.read(tmp_path).begun is not None
