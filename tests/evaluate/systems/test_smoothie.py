import random

import pytest

np = pytest.importorskip("numpy", reason="needs pip install 'partbook[eval]'")

from partbook.errors import ConfigError  # noqa: E402
from partbook.evaluate.systems.encoder import HashedWords  # noqa: E402
from partbook.evaluate.systems.measured import Measured  # noqa: E402
from partbook.evaluate.systems.smoothie import Smoothie, qualities  # noqa: E402
from tests.evaluate.sittings import calls_of, sitting  # noqa: E402
from tests.evaluate.topics import asked  # noqa: E402
from tests.fakes import Scripted, pool_of  # noqa: E402

NAMES = ("w0", "w1", "w2", "w3")


def unlabelled(good_of_topic: dict[str, int]) -> Measured:
    """Answers without labels: one worker is always right, the others are in two cases of five.

    They are right and wrong independently of each other.
    """
    rows = asked(60, seed=0)
    rng = random.Random(1)
    answers = []

    def said() -> str:
        """Three words that hardly anybody says by accident."""
        return " ".join(f"word{rng.randrange(10_000)}" for _ in range(3))

    for _, topic in rows:
        truth = said()
        row = [truth if rng.random() < 0.4 else said() for _ in NAMES]
        row[good_of_topic[topic]] = truth
        answers.append(tuple(row))
    wrong = tuple(tuple(False for _ in NAMES) for _ in rows)
    costs = tuple(tuple(0.0 for _ in NAMES) for _ in rows)
    return Measured(NAMES, tuple(text for text, _ in rows), wrong, costs, tuple(answers))


def test_the_quality_is_half_the_dimensions_by_the_squared_error():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(4000, 1, 8))
    errors = np.array([0.5, 1.0, 2.0])
    noise = rng.normal(size=(4000, 3, 8)) * np.sqrt(errors / 8)[None, :, None]

    assert qualities(truth + noise) == pytest.approx(4 / errors, rel=0.05)


def test_a_worker_that_cannot_be_told_from_the_truth_is_the_best():
    answers = np.zeros((10, 3, 4))
    answers[:, 1, 0], answers[:, 2, 1] = 1, 1

    assert qualities(answers).argmax() == 0


def test_the_better_worker_is_found_without_labels():
    smoothie = Smoothie.fit(unlabelled({"maths": 1, "garden": 1}), HashedWords())

    assert smoothie.best == "w1"


async def test_the_independent_form_asks_the_best_worker_alone():
    smoothie = Smoothie.fit(unlabelled({"maths": 1, "garden": 1}), HashedWords())
    sat = sitting(pool_of(*(Scripted([f"a{i}"]) for i in range(4))), "please add")

    assert await smoothie.answer(sat) == "a1"
    assert calls_of(sat) == 1


async def test_the_dependent_form_takes_the_better_worker_of_the_topic():
    smoothie = Smoothie.fit(
        unlabelled({"maths": 0, "garden": 2}), HashedWords(), dependent=True, neighbours=15
    )
    taken = []
    rows = asked(40, seed=5)
    for text, topic in rows:
        answers = [f"{topic} by {name}" for name in NAMES]
        sat = sitting(pool_of(*(Scripted([answer]) for answer in answers)), text)
        answer = await smoothie.answer(sat)
        taken.append(NAMES[answers.index(answer)] == ("w0" if topic == "maths" else "w2"))
        assert calls_of(sat) == 4

    assert sum(taken) / len(taken) >= 0.9


def test_a_question_of_its_own_is_settled_by_whose_answers_agree():
    smoothie = Smoothie.fit(
        unlabelled({"maths": 0, "garden": 2}), HashedWords(), dependent=True, neighbours=0
    )

    chosen = smoothie.choose(
        "why", ["two apples", "five pears now", "two apples", "no idea at all"]
    )

    assert chosen in (0, 2)


def test_two_workers_are_too_few():
    two = Measured(("a", "b"), ("q",), ((True, False),), ((0.0, 0.0),), (("x", "y"),))

    with pytest.raises(ConfigError, match="at least 3 workers"):
        Smoothie.fit(two, HashedWords())
