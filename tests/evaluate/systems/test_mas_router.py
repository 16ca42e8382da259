import pytest

np = pytest.importorskip("numpy", reason="needs pip install 'partbook[eval]'")

from partbook.errors import ConfigError  # noqa: E402
from partbook.evaluate.systems.encoder import HashedWords  # noqa: E402
from partbook.evaluate.systems.learning import log_shares  # noqa: E402
from partbook.evaluate.systems.mas_router import Controller, MasRouter, MasRouterSettings  # noqa: E402
from partbook.evaluate.systems.measured import Tried  # noqa: E402
from partbook.evaluate.systems.teams import MODES  # noqa: E402
from tests.evaluate.sittings import calls_of, sitting  # noqa: E402
from tests.evaluate.topics import asked, last_worker_is_right, pool, share_right  # noqa: E402

ROWS = asked(60, seed=0)


async def fit(trial, **settings):
    how = MasRouterSettings(**{"epochs": 6, "rate": 0.1, **settings})
    return await MasRouter.fit(
        [text for text, _ in ROWS], pool(), trial, HashedWords(128), settings=how
    )


async def test_the_worker_who_knows_the_topic_has_the_last_word_where_a_fixed_one_gets_half():
    router = await fit(last_worker_is_right(ROWS))
    rows = asked(100, seed=7)
    teams = [router.team(text, pool()) for text, _ in rows]
    last = [f"w{team.workers[-1]}" for team in teams]

    assert share_right(last, rows) >= 0.9
    assert share_right(["w0"] * 100, rows) == 0.5


async def test_a_dear_call_makes_it_ask_one_agent():
    dear = await fit(last_worker_is_right(ROWS, call_usd=0.05))
    teams = [dear.team(text, pool()) for text, _ in asked(50, seed=7)]

    assert {team.mode for team in teams} == {"single"}


async def test_of_workers_that_are_always_right_it_asks_the_cheap_one():
    async def trial(index, workflow):
        return Tried(True, sum(0.03 if worker == 0 else 0.001 for worker in workflow.workers))

    router = await fit(trial)
    teams = [router.team(text, pool()) for text, _ in asked(50, seed=7)]

    assert {worker for team in teams for worker in team.workers} == {1}


async def test_where_one_agent_is_never_right_it_learns_to_ask_several():
    async def trial(index, workflow):
        return Tried(len(workflow.steps) > 1, 0.0001 * len(workflow.steps))

    router = await fit(trial, epochs=4)
    teams = [router.team(text, pool()) for text, _ in asked(50, seed=7)]

    assert "single" not in {team.mode for team in teams}


async def test_what_was_not_judged_teaches_nothing():
    async def trial(index, workflow):
        return Tried(None, 0.5)

    router = await fit(trial, epochs=1)

    assert not any(weights.any() for weights in router.controller.arrays().values())


async def test_the_same_seed_gives_the_same_router():
    one, other = [await fit(last_worker_is_right(ROWS), epochs=1) for _ in range(2)]

    assert (one.controller.worker == other.controller.worker).all()


async def test_it_makes_a_call_for_each_agent():
    router = await fit(last_worker_is_right(ROWS), epochs=2)

    for text, _ in asked(10, seed=3):
        team = router.team(text, pool())
        sat = sitting(pool(), text)
        await router.answer(sat)
        assert calls_of(sat) == len(team.workers) + (team.mode == "reflection")


def test_the_gradients_are_those_of_the_log_probability_of_what_was_chosen():
    rng = np.random.default_rng(0)
    controller = Controller.new(4, 2, 3, 4)
    for weights in controller.arrays().values():
        weights += rng.normal(size=weights.shape)
    question = rng.normal(size=4)
    found, made = next(
        drawn
        for drawn in iter(lambda: controller.choose(question, rng), None)
        if MODES[drawn[0][0]] == "chain"
    )

    def log_probability() -> float:
        stages = controller.arrays()
        return sum(float(log_shares(one.seen @ stages[one.stage])[one.chosen]) for one in made)

    gradients = controller.gradients([(2.0, made)])

    assert len(found) == 1 + 2 * sum(one.stage == "role" for one in made)
    for stage, weights in controller.arrays().items():
        for place in np.ndindex(weights.shape):
            before = weights[place]
            weights[place] = before + 1e-6
            above = log_probability()
            weights[place] = before - 1e-6
            below = log_probability()
            weights[place] = before
            assert gradients[stage][place] == pytest.approx((above - below) / 1e-6, abs=1e-6)


def test_settings_say_what_training_takes():
    assert MasRouterSettings(epochs=2, teams=3, max_agents=4).calls(10) == (60, 240)
    with pytest.raises(ConfigError, match="at least 2 teams"):
        MasRouterSettings(teams=1)
    with pytest.raises(ConfigError, match="2 to 5 agents"):
        MasRouterSettings(max_agents=6)
