import pytest

from partbook.errors import ConfigError
from partbook.evaluate.systems.catalogue import Choice, parse_systems
from partbook.lab import lab_pool
from partbook.pool import AgentPool, Worker, WorkerSpec
from tests.fakes import Scripted, pool_of


def names(text, pool=None, **more):
    return [choice.name for choice in parse_systems(text, pool or lab_pool(), **more)]


def test_a_list_is_read_in_order_and_nothing_stands_twice():
    assert names("moa, best ,self-fusion:3,moa:3,self-consistency@gus,") == [
        "moa:3", "best", "self-fusion:3", "self-consistency:5@gus",
    ]  # fmt: skip


def test_a_star_stands_for_every_worker():
    pool = lab_pool(0, ["gus", "ada"])

    assert names("worker:*", pool) == ["worker:gus", "worker:ada"]
    assert names("self-reflection:2@*", pool) == ["self-reflection:2@gus", "self-reflection:2@ada"]


def test_a_name_is_read_as_the_same_choice_again():
    for choice in parse_systems("all,moa:2@random,context:5@gus", lab_pool()):
        assert parse_systems(choice.name, lab_pool()) == [choice]


def test_all_leaves_out_what_cannot_be_had():
    without = names("all")
    more = names("all", have=("measured", "trial", "encoder", "policy"))

    assert {"worker:zed", "best", "random", "moa:3", "routerdc", "smoothie:dependent"} <= {*without}
    assert "masrouter" in without
    assert not {"prompted", "trained", "recursive:2"} & {*without}
    assert {*more} - {*without} == {"trained", "recursive:2"}
    assert "routerdc" not in names("all", have=("measured",))


def test_workflows_of_the_package_are_there_for_pools_that_can_play_them():
    pool = pool_of(Scripted([]), roles="general check write")

    assert names("workflow:*", pool) == [
        "workflow:chain", "workflow:extract-analyse-draft", "workflow:panel",
        "workflow:plan-do-check", "workflow:search-judge", "workflow:single",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no systems were named"),
        ("worker:guss", "no worker 'guss'; did you mean gus"),
        ("routerdk", "did you mean routerdc"),
        ("self-consistancy:5", "did you mean self-consistency"),
        ("moa:1", "a number from 2 to 20 was expected, found '1'"),
        ("self-reflection:6", "a number from 1 to 5 was expected, found '6'"),
        ("self-fusion:many", "a number from 1 to 1000 was expected, found 'many'"),
        ("self-fusion:", "was expected, found ''"),
        ("moa:3@adda", "no worker 'adda'; did you mean ada"),
        ("best:2", "takes no number, found '2'"),
        ("best@gus", "works on no single worker"),
        ("worker", "worker:NAME was expected"),
        ("worker@gus", "worker:NAME was expected"),
        ("smoothie", "smoothie:independent|dependent was expected"),
        ("smoothie:dependend", "did you mean dependent or independent"),
        ("workflow:pannel", "did you mean 'panel'"),
        ("workflow:panel", "no worker with the name or role 'general#1'"),
        ("trained", "needs a trained Conductor"),
        ("prompted", "needs a Conductor"),
        ("recursive", "a Conductor, trained or not"),
        ("best,moa:3@", "no worker ''"),
    ],
)
def test_what_cannot_be_had_is_said_before_anything_is_spent(text, says):
    with pytest.raises(ConfigError) as caught:
        parse_systems(text, lab_pool())

    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("worker:gus", (1, 1)),
        ("self-consistency:7", (7, 7)),
        ("self-fusion:4", (5, 5)),
        ("moa:2", (9, 9)),
        ("moa:3", (17, 17)),
        ("random", (1, 5)),
        ("smoothie:independent", (1, 1)),
        ("smoothie:dependent", (8, 8)),
        ("masrouter", (1, 4)),
    ],
)
def test_a_choice_says_how_many_calls_it_makes(text, calls):
    (choice,) = parse_systems(text, lab_pool())

    assert choice.calls(lab_pool()) == calls


def test_the_calls_of_a_workflow_are_its_steps():
    assert Choice("workflow", "panel").calls(pool_of(Scripted([]))) == (4, 4)


def test_what_works_on_the_best_worker_needs_the_workers_measured():
    on_best, on_gus = parse_systems("self-fusion:4,self-fusion:4@gus", lab_pool())

    assert on_best.needs == ("measured",)
    assert on_gus.needs == ()


def test_a_worker_may_have_a_name_with_the_signs_of_the_list():
    spec = WorkerSpec("m:7b@home", "http")
    pool = AgentPool("p", (Worker(spec, Scripted([])),))

    assert names("worker:m:7b@home,self-fusion:2@m:7b@home", pool) == [
        "worker:m:7b@home", "self-fusion:2@m:7b@home",
    ]  # fmt: skip


def test_tools_are_no_workers_that_reflect():
    tool = Worker(WorkerSpec("calc", "calculator"), Scripted([]))
    pool = AgentPool("p", (tool, *lab_pool(0, ["gus"]).workers))

    assert names("self-fusion:2@*", pool) == ["self-fusion:2@gus"]
    with pytest.raises(ConfigError, match="no worker 'calc'"):
        names("self-fusion:2@calc", pool)
