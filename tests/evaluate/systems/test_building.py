import random

import pytest

pytest.importorskip("numpy", reason="needs pip install 'partbook[eval]'")

from partbook.conduct import Conductor
from partbook.errors import ConfigError
from partbook.evaluate.posed import lab_posed
from partbook.evaluate.system import Sitting
from partbook.evaluate.systems.building import Materials, build_systems
from partbook.evaluate.systems.catalogue import parse_systems
from partbook.evaluate.systems.conducted import Policy, Recursive
from partbook.evaluate.systems.encoder import HashedWords
from partbook.evaluate.systems.mas_router import MasRouterSettings
from partbook.evaluate.systems.measured import measure, posed_trial
from partbook.evaluate.systems.wording import LAB_WORDING
from partbook.lab import lab_pool
from tests.evaluate.sittings import calls_of, play
from tests.fakes import Scripted

ALL_CHOICES = parse_systems("all,moa:2@random", lab_pool())


async def materials(problems: int = 24) -> Materials:
    pool, posed = lab_pool(), lab_posed(problems, "validation")
    trial = posed_trial(posed, pool, play)
    measured = await measure([one.question for one in posed], pool, trial, LAB_WORDING)
    return Materials(
        pool,
        LAB_WORDING,
        0,
        measured,
        trial,
        HashedWords(64),
        mas_router=MasRouterSettings(epochs=1, teams=2),
    )


async def test_every_system_answers_lab_problems_within_the_calls_that_it_announced():
    systems = await build_systems(ALL_CHOICES, await materials())
    problems = lab_posed(4, "test")

    assert [system.name for system in systems] == [choice.name for choice in ALL_CHOICES]
    for system, choice in zip(systems, ALL_CHOICES, strict=True):
        for posed in problems:
            sat = Sitting(posed.question, posed.pool, random.Random(1), play)
            answer = await system.answer(sat)
            least, most = choice.calls(posed.pool)
            assert least <= calls_of(sat) <= most, system.name
            assert answer is not None
            assert all(trace.status == "answered" for trace in sat.traces)


async def test_what_works_on_the_best_worker_gets_it():
    made = await materials()

    best, votes, named = await build_systems(
        parse_systems("best,self-consistency:3,self-consistency:3@tim", made.pool), made
    )

    assert made.measured is not None
    assert best.worker == votes.worker == made.measured.best()
    assert named.worker == "tim"


async def test_conductors_are_those_that_were_given():
    prompted, trained = Conductor(Scripted([])), Policy(Scripted([]))
    have = ("conductor", "policy")
    choices = parse_systems("prompted,trained,recursive:3", lab_pool(), have)

    built = await build_systems(choices, Materials(lab_pool(), conductor=prompted, policy=trained))
    only = await build_systems(choices[2:], Materials(lab_pool(), conductor=prompted))

    assert [system.proposer for system in built] == [prompted, trained, trained]
    assert only == [Recursive("recursive:3", prompted, 3)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("best", "needs the workers measured"),
        ("moa", "@WORKER"),
        ("routerdc", "needs the workers measured"),
        ("prompted", "needs a Conductor"),
    ],
)
async def test_what_is_missing_is_said(text, says):
    choices = parse_systems(text, lab_pool(), ("measured", "trial", "encoder", "conductor"))

    with pytest.raises(ConfigError, match=says):
        await build_systems(choices, Materials(lab_pool()))


async def test_workers_that_were_measured_on_another_pool_are_refused():
    made = await materials(8)
    smaller = Materials(lab_pool(0, ["ada", "bo", "cy"]), LAB_WORDING, 0, made.measured)

    with pytest.raises(ConfigError, match="measure this pool"):
        await build_systems(parse_systems("best", smaller.pool), smaller)
