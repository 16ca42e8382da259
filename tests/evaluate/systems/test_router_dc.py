import random
from dataclasses import replace

import pytest

np = pytest.importorskip("numpy", reason="needs pip install 'partbook[eval]'")

from partbook.errors import ConfigError  # noqa: E402
from partbook.evaluate.systems.encoder import HashedWords  # noqa: E402
from partbook.evaluate.systems.learning import log_shares  # noqa: E402
from partbook.evaluate.systems.measured import Measured  # noqa: E402
from partbook.evaluate.systems.router_dc import (  # noqa: E402
    DualContrast,
    RouterDC,
    RouterDCSettings,
    _gradients,
)
from tests.evaluate.sittings import calls_of, sitting  # noqa: E402
from tests.evaluate.topics import asked, measured, pool, share_right  # noqa: E402

QUICK = RouterDCSettings(steps=80, batch=32)


@pytest.fixture(scope="module")
def router():
    return RouterDC.fit(measured(), HashedWords(128), settings=QUICK)


def test_it_asks_the_worker_who_knows_the_topic_where_a_fixed_choice_gets_half(router):
    rows = asked(100, seed=7)

    assert share_right([router.route(text) for text, _ in rows], rows) >= 0.9
    assert share_right(["w0"] * 100, rows) == 0.5


def test_the_same_seed_gives_the_same_router(router):
    again = RouterDC.fit(measured(), HashedWords(128), settings=QUICK)
    other = RouterDC.fit(measured(), HashedWords(128), settings=QUICK, seed=1)

    assert (again.weights.projection == router.weights.projection).all()
    assert (other.weights.projection != router.weights.projection).any()


def test_it_learns_nothing_from_labels_that_have_nothing_to_do_with_the_question():
    rng = random.Random(3)
    flips = [rng.random() < 0.5 for _ in range(60)]
    noise = replace(measured(), right=tuple((flip, not flip) for flip in flips))
    router = RouterDC.fit(noise, HashedWords(128), settings=QUICK)
    rows = asked(100, seed=7)

    assert share_right([router.route(text) for text, _ in rows], rows) < 0.8


async def test_it_makes_one_call(router):
    question, _ = asked(2, seed=9)[1]
    sat = sitting(pool(), question)

    answer = await router.answer(sat)

    assert answer == "maths(Answer the question.)"
    assert calls_of(sat) == 1


def test_what_was_not_judged_teaches_nothing():
    blank = replace(measured(), right=tuple((None, None) for _ in range(60)))
    how = replace(QUICK, weight=0.0)
    router = RouterDC.fit(blank, HashedWords(128), settings=how)
    fresh = RouterDC.fit(blank, HashedWords(128), settings=replace(how, steps=1))

    assert (router.weights.workers == fresh.weights.workers).all()


def test_one_problem_is_too_few():
    one = Measured(("a", "b"), ("q",), ((True, False),), ((0.0, 0.0),), (("", ""),))

    with pytest.raises(ConfigError, match="at least 2 problems"):
        RouterDC.fit(one, HashedWords(128))


def test_the_gradients_are_those_of_the_two_losses():
    """Against finite differences; with one choice each, nothing about the losses is drawn."""
    rng = np.random.default_rng(0)
    questions = rng.normal(size=(4, 5))
    scores = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    groups = np.array([0, 0, 1, 1])
    how = RouterDCSettings(positives=1, negatives=1, others=2, weight=0.7, temperature=0.5)
    weights = DualContrast(rng.normal(size=(5, 3)), rng.normal(size=(2, 3)))

    def loss() -> float:
        near = questions @ weights.projection
        near = near / np.linalg.norm(near, axis=1, keepdims=True)
        far = weights.workers / np.linalg.norm(weights.workers, axis=1, keepdims=True)
        total = 0.0
        for i, row in enumerate(scores):
            right, wrong = int(row.argmax()), int(row.argmin())
            total -= log_shares((far @ near[i] / 0.5)[[right, wrong]])[0]
            alike = [j for j in range(4) if j != i and groups[j] == groups[i]]
            unlike = [j for j in range(4) if groups[j] != groups[i]]
            total -= 0.7 * log_shares((near @ near[i] / 0.5)[alike + unlike])[0]
        return total / 4

    found = _gradients(weights, questions, scores, groups, how, np.random.default_rng(1))

    for array, gradient in zip(weights, found, strict=True):
        for place in np.ndindex(array.shape):
            before = array[place]
            array[place] = before + 1e-6
            above = loss()
            array[place] = before - 1e-6
            below = loss()
            array[place] = before
            assert gradient[place] == pytest.approx((above - below) / 2e-6, abs=1e-6)
