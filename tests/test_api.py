"""Partbook from Python: what `import partbook` offers, and what it costs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import partbook
from tests.fakes import Echo

CHAIN = partbook.Workflow((partbook.Step(0, "x"), partbook.Step(1, "y", (0,))))


def own_pool(*names: str) -> partbook.AgentPool:
    workers = (partbook.Worker(partbook.WorkerSpec(name, "script"), Echo(name)) for name in names)
    return partbook.AgentPool("own", tuple(workers))


def test_to_import_partbook_loads_nothing_of_it():
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, partbook; print([m for m in sys.modules if m.startswith('partbook.')])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )

    assert told.stdout == "[]\n"


def test_every_name_that_is_offered_is_there_and_typed():
    tree = ast.parse(Path(partbook.__file__).read_text(encoding="utf-8"))
    typed = {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }

    assert {name for name in partbook.__all__ if getattr(partbook, name) is None} == set()
    assert typed == set(partbook.__all__) - {"__version__"}
    assert set(partbook.__all__) <= set(dir(partbook))


def test_no_offered_name_hides_a_module():
    modules = {path.stem for path in Path(partbook.__file__).parent.iterdir()}

    assert modules & set(partbook.__all__) == set()


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'partbook' has no attribute 'play'"):
        partbook.play  # noqa: B018


async def test_a_question_is_answered_by_a_pool_that_comes_along():
    trace = await partbook.ask("Count the vowels in the word castle.", "lab")

    assert (trace.status, trace.answer) == ("answered", "Here is what I found. Answer: 2")


async def test_workers_of_ones_own_play_a_workflow_of_ones_own():
    trace = await partbook.ask("q", own_pool("a", "b"), workflow=CHAIN)

    assert trace.answer == "b(y)"
    assert [step.worker for step in trace.rounds[0].steps] == ["a", "b"]


async def test_one_opening_answers_many_questions():
    async with partbook.opened(own_pool("a", "b"), workflow=CHAIN) as orchestra:
        traces = [await orchestra.ask(question) for question in ("one", "two")]
        planned = await orchestra.plan("three")

    assert [trace.question for trace in traces] == ["one", "two"]
    assert planned == CHAIN


async def test_a_limit_ends_in_the_trace():
    trace = await partbook.ask(
        "q", own_pool("a", "b"), workflow=CHAIN, limits=partbook.Limits(calls=1)
    )

    assert (trace.status, trace.reason, trace.calls) == ("stopped", "calls", 1)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "give workflow=... or conductor=..."),
        ({"workflow": CHAIN, "conductor": "a"}, "give a workflow or a conductor, not both"),
        ({"workflow": "chane"}, "no workflow 'chane'; did you mean 'chain'?"),
    ],
)
async def test_what_does_not_go_together_is_said(asked, message):
    with pytest.raises(partbook.ConfigError, match=message.replace(".", r"\.").replace("?", r"\?")):
        await partbook.ask("q", own_pool("a", "b"), **asked)


async def test_a_workflow_for_more_workers_than_there_are_is_refused():
    with pytest.raises(partbook.WorkflowError, match=r"worker 1 does not exist"):
        await partbook.ask("q", own_pool("a"), workflow=CHAIN)


def test_a_workflow_is_drawn_in_text():
    assert partbook.draw(CHAIN, ("a", "b")).splitlines() == [
        "   wave 0     wave 1",
        "a  0 ▸ x ──┐",
        "           │",
        "b          └▶ 1 ▸ y",
        "",
        "0  a  x",
        "1  b  y  reads 0",
    ]


async def test_systems_are_compared_and_gone_on_with(tmp_path, capsys):
    first = await partbook.evaluate_systems("lab", "worker:gus,random", tmp_path, limit=4)
    more = await partbook.evaluate_systems("lab", "worker:gus,random", tmp_path, limit=6)

    assert [len(found.problems) for found in (first, more)] == [4, 6]
    assert [figures.system for figures in more.systems] == ["worker:gus", "random"]
    assert partbook.report(more).startswith("# 2 systems on 6 problems of lab\n")
    assert capsys.readouterr() == ("", "")
