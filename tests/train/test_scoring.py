import pytest

from partbook.store import Store
from partbook.train.environment import Environment, Outcome, lab_environment
from partbook.train.row import Row
from partbook.train.scoring import Keeper, Scoring, step_metrics
from partbook.workflow import Step, Workflow

ROW = Row("train-1-0", "Please find the smallest of 154, 138, 63 and 167.", ("cy", "ada"))
TEXT = (
    'model_id = [0]\nsubtasks = ["find the smallest of 154, 138, 63 and 167"]\naccess_list = [[]]'
)
LINE = ROW.to_json()


async def test_every_completion_gets_one_reward_in_its_place():
    rewards = await Scoring(lab_environment())([TEXT, "no lists"], [LINE, LINE])

    assert rewards[1] == 0.0
    assert rewards[0] in (0.5, 1.0)


async def test_chats_are_scored_by_their_last_message():
    chat = [{"role": "assistant", "content": "no lists"}]

    assert await Scoring(lab_environment())([chat], [LINE]) == [0.0]


async def test_metrics_of_the_step_are_handed_over():
    noted = {}

    await Scoring(lab_environment())([TEXT, "no lists"], [LINE, LINE], noted.__setitem__)

    assert noted["valid"] == 0.5
    assert noted["lost"] == 0.0
    assert noted["steps_per_workflow"] == 1.0


async def test_the_control_rewards_everything_alike():
    scoring = Scoring(lab_environment(), equal_rewards=True)

    assert await scoring([TEXT, "no lists"], [LINE, LINE]) == [1.0, 1.0]


async def test_kept_traces_are_found_in_the_store(tmp_path):
    with Store.open(tmp_path / "runs.db") as store:
        scoring = Scoring(lab_environment(), Keeper(store, "train seed-0", 1.0))

        await scoring([TEXT, "no lists"], [LINE, LINE])

        rows = store.runs(10)
        assert sorted(row.status for row in rows) == ["answered", "failed"]


async def test_a_store_that_cannot_be_written_does_not_end_the_run(tmp_path, caplog):
    store = Store.open(tmp_path / "runs.db")
    keeper = Keeper(store, "train", 1.0)
    store.close()
    (tmp_path / "runs.db").unlink()
    (tmp_path / "runs.db").mkdir()

    assert await Scoring(lab_environment(), keeper)(["no lists"], [LINE]) == [0.0]
    assert "traces of step 0 are lost" in caplog.text


def test_missing_rewards_are_left_out_of_the_means():
    plan = Workflow((Step(0, "x"),))
    outcomes = [
        Outcome(1.0, "right", None, plan),
        Outcome(None, "worker", None, plan),
        Outcome(0.5, "wrong", None, plan),
        Outcome(None, "bug"),
    ]

    metrics = step_metrics([ROW] * 4, outcomes)

    assert metrics["lost"] == 0.5
    assert metrics["accuracy"] == 0.5
    assert metrics["accuracy_given_valid"] == pytest.approx(0.5)


def test_a_step_without_rewards_has_no_means():
    assert step_metrics([ROW], [Outcome(None, "worker")]) == {"lost": 1.0}


async def test_a_bug_in_the_judge_neither_raises_nor_hangs():
    async def judge(row, answer):
        raise KeyError("bug")

    lab = lab_environment()

    scoring = Scoring(Environment(lab.pool_of, judge, lab.limits))
    assert await scoring([TEXT], [LINE]) == [None]


def test_an_answer_that_was_kept_is_valid_and_has_no_steps():
    plan = Workflow((Step(0, "x"),))
    outcomes = [
        Outcome(1.0, "right", kept=True),
        Outcome(1.0, "right", kept=True),
        Outcome(0.5, "wrong", None, plan),
        Outcome(0.0, "unparsed"),
    ]

    metrics = step_metrics([ROW] * 4, outcomes)

    assert (metrics["valid"], metrics["accuracy"]) == (0.75, 0.5)
    assert metrics["accuracy_given_valid"] == pytest.approx(2 / 3)
    assert metrics["steps_per_workflow"] == 1.0
