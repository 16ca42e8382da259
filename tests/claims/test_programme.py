import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

import json
import pickle
from pathlib import Path

from partbook.claims.material import constants, read_material
from partbook.claims.programme import CLAIMS, Settings, minutes, programme
from partbook.claims.stages import left, run_stages
from partbook.claims.statements import verdicts
from partbook.claims.table import claims_data, claims_text
from partbook.errors import ConfigError

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

MINIATURE = (
    "policy.layers=['conv', 'attention']",
    "policy.hidden=16",
    "policy.inner=16",
    "policy.heads=2",
    "max_completion=8",
    "warm_start.steps=2",
    "warm_start.drill_steps=0",
    "warm_start.batch=2",
    "grpo.problems=2",
    "grpo.rollouts=2",
    "grpo.stop_below_valid=0.0",
    "trainer.gradient_accumulation_steps=2",
    "trainer.per_device_train_batch_size=2",
)


def test_the_whole_fits_into_ninety_minutes_on_two_cores():
    assert minutes(programme(Settings(Path("out")))) / 2 < 85


def test_every_stage_stands_after_those_that_it_needs():
    for claims in (CLAIMS, *CLAIMS):
        seen = set()
        for stage in programme(Settings(Path("out"), claims=claims)):
            assert seen.issuperset(stage.needs), stage.name
            seen.add(stage.name)


def test_policies_that_are_there_are_not_trained_again():
    there = Settings(Path("out"), policies=Path("there"), claims="abcd")

    names = [stage.name for stage in programme(there)]

    assert names == [
        "examine seed-0",
        "examine seed-1",
        "examine seed-2",
        "examine warm-start",
        "rivals",
    ]
    assert programme(there)[0].work.policy == Path("there/seed-0/policy")


def test_every_stage_can_be_sent_to_another_process():
    stages = programme(Settings(Path("out")))

    assert pickle.loads(pickle.dumps(stages)) == stages


def test_nothing_is_measured_on_the_way_of_any_run():
    stages = [stage for stage in programme(Settings(Path("out"))) if stage.name != "rivals"]

    assert {stage.work.preset.grpo.evaluate_every for stage in stages} == {0}


def test_an_unknown_change_is_refused_before_anything_is_begun():
    with pytest.raises(ConfigError, match="stepz"):
        programme(Settings(Path("out"), changes=("grpo.stepz=1",)))


def test_constant_plans_are_right_as_often_as_in_the_labs_table():
    gus = constants(20)["gus alone"]

    assert len(gus) == 20
    assert gus[0].problem == "test-1-0"
    assert all(answer.calls == 1 for answer in gus)


def test_a_miniature_goes_from_nothing_to_a_table_and_is_not_done_twice(tmp_path):
    settings = Settings(
        tmp_path / "out",
        seeds=(0,),
        problems=4,
        changes=MINIATURE,
        steps=1,
        more_steps=1,
        taught=1,
        claims="acdefg",
    )
    # Rivals answer in another process and have tests of their own.
    stages = [stage for stage in programme(settings) if stage.name != "rivals"]

    run_stages(stages, lambda line: None, 0)

    assert left(stages) == []
    run_stages(stages, lambda line: pytest.fail(line), 0)
    found = verdicts(read_material(settings), settings.claims)
    # One seed decides nothing, and a net of nothing writes no workflows to count steps of.
    assert {claim.word for claim in found} <= {"not testable here", "not run"}
    assert [claim.word for claim in found if claim.letter in "aefg"] == ["not testable here"] * 4
    assert "| **(a)** | **beats every single worker" in claims_text(found)
    assert json.loads(json.dumps(claims_data(found)))[0]["claim"] == "a"
