from dataclasses import replace
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from partbook.conduct import Conductor, Fixed, conduct
from partbook.event import Proposed, StepRetried
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.ledger import CONDUCTOR, Costs, Entry, Total, entries_of
from partbook.message import Usage
from partbook.price import FREE, Price, Tier
from partbook.step_trace import StepTrace
from partbook.trace import RoundTrace, Trace
from partbook.trace_json import trace_from_dict, trace_to_dict
from tests.fakes import Echo, Failing, Scripted, pool_of
from tests.traces import traces

PRICE = Price(
    Decimal(2),
    Decimal(8),
    Decimal("0.5"),
    tiers=(Tier(100, Price(Decimal(4), Decimal(16))),),
)
PLAN = 'model_id = [0, 1]\nsubtasks = ["a", "b"]\naccess_list = [[], [0]]'
CHAIN = FixedWorkflow("chain", "", (FixedStep("w0", "a"), FixedStep("w1", "b", (0,))))


def run(
    *steps: StepTrace,
    proposals: tuple[Proposed, ...] = (),
    at: float = 1_764_000_000.0,
    run_id: str = "r",
) -> Trace:
    rounds = (RoundTrace(proposals, steps=steps),)
    return Trace(run_id, "q", "p", ("a", "b"), at, 1.0, "answered", rounds)


def step(worker: str, usage: Usage | None, usd: str | None, **more: object) -> StepTrace:
    cost = None if usd is None else Decimal(usd)
    made = StepTrace(0, worker, (), 0.0, 1.0, "x", usage=usage, cost_usd=cost)
    return replace(made, **more)  # type: ignore[arg-type]


def tried(worker: str, usage: Usage | None, usd: str | None, calls: int = 1) -> StepRetried:
    cost = None if usd is None else Decimal(usd)
    return StepRetried(0, 0, 0, worker, "down", "overloaded", 0.0, usage, cost, calls=calls)


def text(usage: Usage | None, usd: str | None, error: str | None = None) -> Proposed:
    return Proposed(0, "t", "c-7b", usage, None if usd is None else Decimal(usd), 0.1, error)


# Entries


def test_every_call_is_an_entry_failed_ones_and_the_conductor_s_included():
    trace = run(
        step(
            "a",
            Usage(20, 6),
            "0.2",
            model="m",
            calls=3,
            attempts=(tried("a", Usage(9, 1), "0.1"), tried("a", None, None)),
            answered_by="b",
        ),
        proposals=(text(Usage(300, 80), "1", "no lists"),),
    )

    assert [(e.worker, e.model, e.calls, e.usage, e.cost_usd) for e in entries_of(trace)] == [
        (CONDUCTOR, "c-7b", 1, Usage(300, 80), Decimal(1)),
        ("a", "", 1, Usage(9, 1), Decimal("0.1")),
        ("a", "", 1, None, None),
        ("b", "m", 1, Usage(20, 6), Decimal("0.2")),
    ]


def test_a_failed_plan_is_a_call_all_the_same():
    trace = run(proposals=(text(Usage(300, 80), "1", "no lists"),))

    assert [entry.worker for entry in entries_of(trace)] == [CONDUCTOR]
    assert trace.calls == 1


@given(traces())
def test_entries_make_up_the_calls_the_tokens_and_the_cost_of_their_run(trace):
    entries = list(entries_of(trace))

    assert sum(entry.calls for entry in entries) == trace.calls
    assert sum((e.usage for e in entries if e.usage), Usage()) == trace.usage
    known = trace.cost_usd is not None
    assert known == all(entry.cost_usd is not None for entry in entries)


# Unit prices, frozen into the run


async def test_each_call_keeps_the_prices_that_it_was_computed_with():
    conductor = Scripted([PLAN], Usage(101, 10))
    pool = pool_of(Echo("a", Usage(90, 10, 20)), Echo("b"), price=PRICE)

    trace = await conduct("q", pool, Conductor(conductor, price=PRICE))

    again = list(entries_of(trace_from_dict(trace_to_dict(trace))))
    assert [entry.price for entry in again] == [PRICE, PRICE, PRICE]
    assert [entry.cost_usd for entry in again] == [
        Decimal("0.000564"),  # above its tier's start
        Decimal("0.00023"),
        Decimal("0.00006"),
    ]
    assert all(entry.agrees for entry in again)


async def test_a_call_that_failed_keeps_them_too():
    pool = pool_of(Failing(Usage(7, 0)), price=PRICE, retries=0)

    trace = await conduct("q", pool, Fixed(FixedWorkflow("single", "", (FixedStep("w0", "a"),))))

    (entry,) = entries_of(trace)
    assert (entry.price, entry.cost_usd) == (PRICE, Decimal("0.000014"))


async def test_a_cost_of_unknown_price_stays_unknown():
    trace = await conduct("q", pool_of(Echo("a"), Echo("b"), price=None), Fixed(CHAIN))

    assert [(e.price, e.cost_usd) for e in entries_of(trace)] == [(None, None)] * 2
    assert trace.cost_usd is None


async def test_a_call_that_took_no_token_cost_nothing_at_any_price():
    pool = pool_of(Failing(Usage()), price=None, retries=0)

    trace = await conduct("q", pool, Fixed(FixedWorkflow("single", "", (FixedStep("w0", "a"),))))

    assert trace.cost_usd == 0


async def test_unknown_usage_costs_nothing_where_everything_is_free():
    trace = await conduct("q", pool_of(Echo("a", None), Echo("b", None), price=FREE), Fixed(CHAIN))

    assert trace.cost_usd == 0


def test_a_cost_that_is_not_what_its_prices_come_to_is_seen():
    right = Entry("a", "m", 1, Usage(90, 10), Decimal("0.00026"), PRICE)

    assert right.agrees
    assert not replace(right, cost_usd=Decimal("0.00027")).agrees
    assert replace(right, price=None).agrees
    assert replace(right, calls=0, cost_usd=Decimal(0)).agrees


# Sums


def test_a_sum_counts_what_is_unknown_beside_what_is_known():
    total = Total()
    total.add(Entry("a", "m", 1, Usage(10, 5, 4, 2, 3), Decimal("0.1"), None))
    total.add(Entry("a", "m", 1, Usage(1, 1), None, None))
    total.add(Entry("a", "m", 2, None, None, None))

    assert total == Total(0, 4, 11, 4, 3, 6, 2, Decimal("0.1"), 2, 3)
    assert total.cost_usd is None


def test_what_made_no_call_is_not_an_unknown_call():
    total = Total()
    total.add(Entry("a", "", 0, None, None, None))

    assert (total.calls, total.unknown_usage, total.unknown_cost) == (0, 0, 0)
    assert total.cost_usd == 0


@given(st.lists(st.decimals(0, 10**6, places=12), max_size=30))
def test_sums_are_exact(costs):
    total = Total()
    for cost in costs:
        total.add(Entry("a", "m", 1, Usage(1, 1), cost, None))

    assert total.known_usd.scaleb(12) == sum(int(cost.scaleb(12)) for cost in costs)


RUNS = (
    run(step("a", Usage(10, 5), "0.1", model="m-1"), at=1_764_028_799.0),  # 23:59:59 UTC
    run(
        step("a", Usage(20, 5), "0.2", model="m-1"),
        step("b", None, None, model=""),
        proposals=(text(Usage(7, 1), "0.4"),),
        at=1_764_028_800.0,
    ),
)


def summed(by: str) -> dict[str, tuple[int, int, int, Decimal, int]]:
    costs = Costs(by)  # type: ignore[arg-type]
    for trace, task in zip(RUNS, ("gsm8k", None), strict=True):
        costs.add(trace, task)
    return {
        key: (t.runs, t.calls, t.prompt_tokens, t.known_usd, t.unknown_cost)
        for key, t in costs.groups.items()
    }


def test_costs_are_summed_by_day_of_utc():
    assert summed("day") == {
        "2025-11-24": (1, 1, 10, Decimal("0.1"), 0),
        "2025-11-25": (1, 3, 27, Decimal("0.6"), 1),
    }


def test_costs_are_summed_by_worker_with_the_conductor_apart():
    assert summed("worker") == {
        "(conductor)": (1, 1, 7, Decimal("0.4"), 0),
        "a": (2, 2, 30, Decimal("0.3"), 0),
        "b": (1, 1, 0, Decimal(0), 1),
    }


def test_costs_are_summed_by_who_really_answered():
    assert summed("model") == {
        "": (1, 1, 0, Decimal(0), 1),
        "c-7b": (1, 1, 7, Decimal("0.4"), 0),
        "m-1": (2, 2, 30, Decimal("0.3"), 0),
    }


def test_costs_are_summed_by_task():
    assert summed("task") == {
        "": (1, 3, 27, Decimal("0.6"), 1),
        "gsm8k": (1, 1, 10, Decimal("0.1"), 0),
    }


@settings(max_examples=50, deadline=None)
@given(st.lists(traces(), max_size=2), st.sampled_from(["day", "worker", "model", "task"]))
def test_groups_add_up_to_the_whole(found, by):
    costs = Costs(by)
    for trace in found:
        costs.add(trace)

    assert sum(t.calls for t in costs.groups.values()) == costs.total.calls
    assert sum(t.prompt_tokens for t in costs.groups.values()) == costs.total.prompt_tokens
    assert sum(t.known_usd for t in costs.groups.values()) == costs.total.known_usd
    assert sum(t.unknown_cost for t in costs.groups.values()) == costs.total.unknown_cost


def test_a_run_without_a_call_belongs_to_its_day():
    costs = Costs("day")
    costs.add(run())

    assert {day: total.runs for day, total in costs.groups.items()} == {"2025-11-24": 1}
