import asyncio
import json
import math
from concurrent.futures import Future
from dataclasses import replace

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

import torch

from partbook.budget import Limits
from partbook.errors import ConfigError
from partbook.lab import lab_pool
from partbook.train.environment import Environment, Outcome, lab_environment, lab_judge
from partbook.train.grpo import build_trainer, newest_checkpoint
from partbook.train.overlap import Overlap, Prompt
from partbook.train.playing_loop import playing_loop
from partbook.train.policy import new_net
from partbook.train.preset import load_preset
from partbook.train.row import lab_rows
from partbook.train.scoring import Scoring
from tests.train.lab_case import RIGHT, ROW, WRONG
from tests.train.test_grpo import SMALL, StopAt, weights

# The libraries warn about each other's coming versions.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


class Policy:
    """Writes what it is told, in tokens that are letters; its probabilities are its updates."""

    def __init__(self, *texts):
        self.texts, self.asked, self.updates = list(texts), [], 0

    def write(self, prompts):
        self.asked.append(len(prompts))
        return [
            [ord(c) for c in self.texts[i % len(self.texts)]] for i in range(len(prompts))
        ], None

    def read(self, completions):
        return ["".join(map(chr, ids)) for ids in completions]

    def weigh(self, prompts, completions):
        return [[-float(self.updates)] * len(ids) for ids in completions]


class Counted:
    """The lab's pools, counted by problem; those of some problems are handed over late."""

    def __init__(self, slow=()):
        self.played, self.slow, self.free = [], set(slow), Future()

    def __call__(self, row):
        self.played.append(row.problem)
        pool = lab_pool(row.world, row.order)
        if row.problem not in self.slow:
            return pool
        return replace(
            pool,
            workers=tuple(replace(one, model=Held(one.model, self.free)) for one in pool.workers),
        )


class Held:
    """A worker that answers when it is let, and lets others answer meanwhile."""

    def __init__(self, model, free):
        self.model, self.free = model, free

    async def chat(self, messages, sampling, on_text=None):
        await asyncio.shield(asyncio.wrap_future(self.free))
        return await self.model.chat(messages, sampling, on_text)


def environment(playing, pools, timeout_s=30.0):
    return Environment(pools, lab_judge, Limits(timeout_s=timeout_s), loop=playing.loop)


def overlap(playing, pools, problems=2, ahead=1, steps=3, patience_s=0.0):
    changes = [f"grpo.problems={problems}", f"grpo.overlap={ahead}", f"grpo.steps={steps}"]
    changes += ["grpo.rollouts=2", f"grpo.patience_s={patience_s}"]
    rows = [replace(ROW, problem=f"train-2-{i}") for i in range(problems * steps)]
    prompts = [Prompt(row, row.problem, (i,)) for i, row in enumerate(rows)]
    scoring = Scoring(environment(playing, pools))
    return Overlap(scoring, load_preset("tiny", changes).grpo, prompts)


async def rewards(found, noted):
    return await found((), (), noted.__setitem__)


def problems(prompts):
    return [prompt.row.problem for prompt in prompts]


async def test_a_step_does_not_wait_for_the_slow_group_that_may_stay_in_flight():
    pools, policy, noted = Counted(slow=["train-2-0"]), Policy(RIGHT, WRONG), {}
    with playing_loop() as playing:
        found = overlap(playing, pools)

        first = found.begin(0, policy)
        policy.updates = 1
        earned = await rewards(found, noted)
        pools.free.set_result(None)
        second = found.begin(1, policy)
        found.close()

    assert problems(first) == ["train-2-1", "train-2-1", "train-2-2", "train-2-2"]
    assert problems(second)[:2] == ["train-2-0", "train-2-0"]
    assert len(earned) == 4
    assert noted["stale"] == 0.0
    assert policy.asked == [4, 2, 4]  # a step's worth at a time


async def test_a_completion_is_weighed_by_the_policy_that_wrote_it():
    pools, policy = Counted(), Policy(RIGHT, WRONG)
    with playing_loop() as playing:
        found = overlap(playing, pools, ahead=2)

        found.begin(0, policy)
        policy.updates = 1
        found.begin(1, policy)
        second = found.rollouts([], None)
        policy.updates, noted = 2, {}
        found.begin(2, policy)
        await rewards(found, noted)

    assert {logps[0] for logps in second["logprobs"]} == {0.0}
    assert {logps[0] for logps in found.rollouts([], None)["logprobs"]} == {-1.0}
    assert [len(ids) for ids in second["completion_ids"][:2]] == [len(RIGHT), len(WRONG)]
    assert noted["stale"] == 1.0


async def test_a_straggler_is_dropped_as_by_an_outage_and_its_calls_are_counted():
    pools, policy, noted = Counted(slow=["train-2-0"]), Policy(RIGHT), {}
    with playing_loop() as playing:
        found = overlap(playing, pools, problems=1, ahead=1, patience_s=0.3)

        asked = found.begin(0, policy)
        earned = await rewards(found, noted)
        found.close()

    assert problems(asked) == ["train-2-0", "train-2-0"]
    assert earned == [None, None]
    assert (noted["lost"], noted["late"]) == (1.0, 1.0)
    # The one call of each that was begun; nobody knows what it cost.
    assert "usd_per_rollout" not in noted or noted["usd_per_rollout"] > 0
    assert found.waited_s >= 0.3


async def test_a_checkpoint_holds_what_is_in_flight_and_nothing_of_it_is_played_again(tmp_path):
    before, after, policy = Counted(), Counted(), Policy(RIGHT, WRONG)
    with playing_loop() as playing:
        first = overlap(playing, before, ahead=2)
        first.begin(0, policy)
        first.save(tmp_path)
        first.close()
        policy.updates = 1
        second, noted = overlap(playing, after, ahead=2), {}
        second.load(tmp_path)

        asked = second.begin(1, policy)
        earned = await rewards(second, noted)
        second.begin(2, policy)

    assert problems(asked) == ["train-2-2"] * 2 + ["train-2-3"] * 2
    assert len(earned) == 4
    assert noted["calls_per_rollout"] == 2.0
    assert sorted(set(before.played)) == [f"train-2-{i}" for i in range(4)]
    assert sorted(set(after.played)) == ["train-2-4", "train-2-5"]
    assert len(before.played) + len(after.played) == 12


def test_a_checkpoint_without_its_groups_in_flight_is_refused(tmp_path):
    (tmp_path / "in-flight-0.json").write_text('{"next": 2, "groups": [{}]}')
    with playing_loop() as playing:
        found = overlap(playing, Counted())

        with pytest.raises(ConfigError, match="cannot read the groups in flight"):
            found.load(tmp_path)
        with pytest.raises(ConfigError, match="cannot read the groups in flight"):
            found.load(tmp_path / "nothing")


def test_nothing_is_overlapped_without_a_loop_that_plays():
    with pytest.raises(ConfigError, match="a loop of its own"):
        Overlap(Scoring(lab_environment()), load_preset("tiny", ["grpo.overlap=3"]).grpo, [])


async def test_two_processes_share_out_the_groups_of_every_step():
    asked = []
    with playing_loop() as playing:
        for rank in (0, 1):
            changes = ["grpo.problems=4", "grpo.overlap=4", "grpo.steps=2", "grpo.rollouts=2"]
            rows = [replace(ROW, problem=f"train-2-{i}") for i in range(8)]
            prompts = [Prompt(row, row.problem, (0,)) for row in rows]
            scoring = Scoring(environment(playing, Counted()))
            found = Overlap(scoring, load_preset("tiny", changes).grpo, prompts, rank, 2)
            policy = Policy(RIGHT)
            asked.append([problems(found.begin(step, policy))[::2] for step in (0, 1)])

    assert asked[0] == [["train-2-0", "train-2-1"], ["train-2-4", "train-2-5"]]
    assert asked[1] == [["train-2-2", "train-2-3"], ["train-2-6", "train-2-7"]]


class ByText(Environment):
    """Judges texts by their first letter, so that an untrained net earns different rewards."""

    async def score(self, rows, texts, before=None, cut=None):
        for row in rows:
            self.pool_of(row)
        right = [text[:1] < "k" for text in texts]
        return [Outcome(1.0 if one else 0.5, "right" if one else "wrong") for one in right]


def trained(folder, playing, pools, *changes, checkpoint=None, stop_at=None):
    torch.set_num_threads(1)
    preset = load_preset("tiny", [*SMALL, *changes])
    scoring = Scoring(ByText(pools, lab_judge, Limits(timeout_s=30.0), loop=playing.loop))
    logs, rows = [], lab_rows(preset.grpo.steps * preset.grpo.problems)
    built, _ = build_trainer(
        preset,
        new_net(preset.policy, 0),
        rows,
        scoring,
        folder,
        0,
        lambda step, one: logs.append(one),
    )
    del pools.played[:]  # prompts needed the pools, too
    if stop_at is not None:
        built.add_callback(StopAt(stop_at))
    built.train(resume_from_checkpoint=checkpoint and str(checkpoint))
    return built, logs


def test_a_trainer_learns_from_every_completion_once(tmp_path):
    pools = Counted()
    with playing_loop() as playing:
        built, logs = trained(tmp_path, playing, pools, "grpo.overlap=2")

    assert [one["stale"] for one in logs] == [0.0, 1.0, 1.0, 1.0]
    assert {pools.played.count(problem) for problem in pools.played} == {4}
    assert len(pools.played) == 4 * 2 * 4
    assert all(0 <= one["waited"] <= 1 for one in logs)
    (batch,) = built._buffered_inputs
    tokens = [
        [ids[mask.bool()].tolist() for ids, mask in zip(batch[name], batch[which], strict=True)]
        for name, which in (("prompt_ids", "prompt_mask"), ("completion_ids", "completion_mask"))
    ]
    now = built.weigh(*tokens)
    # The newest update has moved the policy away from the one that wrote the last batch.
    assert batch["old_per_token_logps"][0][0].item() != pytest.approx(now[0][0], abs=1e-4)


def test_without_overlap_the_trainer_is_as_it_was(tmp_path):
    pools = Counted()
    with playing_loop() as playing:
        built, logs = trained(tmp_path, playing, pools)

    assert "stale" not in logs[0]
    assert "old_per_token_logps" not in built._buffered_inputs[0]
    assert not list(tmp_path.rglob("in-flight-*"))


def test_a_resumed_run_is_the_unbroken_run_and_pays_for_nothing_twice(tmp_path):
    whole, broken, resumed = Counted(), Counted(), Counted()
    with playing_loop() as playing:
        unbroken, logs = trained(tmp_path / "a", playing, whole, "grpo.overlap=2")
        trained(tmp_path / "b", playing, broken, "grpo.overlap=2", stop_at=2)
        checkpoint = tmp_path / "b" / "checkpoint-2"
        second, again = trained(
            tmp_path / "b", playing, resumed, "grpo.overlap=2", checkpoint=checkpoint
        )

    assert sorted(broken.played + resumed.played) == sorted(whole.played)
    assert [one["reward"] for one in again] == [one["reward"] for one in logs[2:]]
    assert torch.equal(weights(unbroken), weights(second))
    assert newest_checkpoint(tmp_path / "b") == tmp_path / "b" / "checkpoint-4"
    held = json.loads((checkpoint / "in-flight-0.json").read_text())
    assert [group["index"] for group in held["groups"]] == [4, 5]


def test_the_log_probabilities_are_those_of_the_policy_at_its_temperature(tmp_path):
    with playing_loop() as playing:
        built, _ = trained(tmp_path, playing, Counted(), "grpo.overlap=2", "grpo.steps=1")
    prompt, completion = [5, 6, 7], [8, 9]

    with torch.no_grad():
        logits = built.model.eval()(input_ids=torch.tensor([prompt + completion])).logits[0]
    expected = [
        torch.log_softmax(logits[2 + i].double(), 0)[token].item()
        for i, token in enumerate(completion)
    ]

    # A shorter neighbour, so that there is something to fill up on both sides.
    (found, short) = built.weigh([prompt, [5]], [completion, [8]])
    assert found == pytest.approx(expected, abs=1e-5)
    assert len(short) == 1
    assert all(math.isfinite(one) for one in found)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["grpo.overlap=13"], "`overlap` must be from 0 to `problems`, 12 here, found 13"),
        (["grpo.overlap=2", "grpo.recursion=paired"], "does not go with paired recursion"),
        (["grpo.patience_s=5.0"], "needs `overlap`"),
    ],
)
def test_values_that_make_no_sense_are_refused(changes, message):
    with pytest.raises(ConfigError, match=message):
        load_preset("tiny", changes)


def test_rollouts_of_several_updates_are_not_overlapped(tmp_path):
    with (
        playing_loop() as playing,
        pytest.raises(ConfigError, match="rollouts are used in 2 updates"),
    ):
        trained(tmp_path, playing, Counted(), "grpo.overlap=2", "trainer.num_iterations=2")
