from contextlib import asynccontextmanager

import pytest

pytest.importorskip("torch")

from partbook.lab import lab_pool, parts_workflow
from partbook.parse import render
from partbook.train.ablation import revision
from partbook.train.course import opened_course
from partbook.train.environment import lab_environment
from partbook.train.preset import load_preset
from partbook.train.row import lab_rows, problem_of
from partbook.workflow import Step, Workflow
from tests.fakes import Echo, pool_of

PLAN = Workflow((Step(2, "a"), Step(1, "b"), Step(0, "c", (1,))))


def test_no_ablation_changes_nothing():
    assert revision("none") is None


def test_without_subtasks_everybody_is_told_to_answer_the_question():
    plan = revision("whole")(PLAN)

    assert [step.subtask for step in plan.steps] == ["Answer the question."] * 3
    assert [step.access for step in plan.steps] == [(), (), (1,)]


def test_who_reads_one_step_reads_all_or_nothing():
    plan = revision("chain")(PLAN)

    assert [step.access for step in plan.steps] == [(), (), (0, 1)]


async def test_an_environment_plays_the_changed_workflow():
    (row,) = lab_rows(1, "train", 0, [2])
    problem = problem_of(row)
    pool = lab_pool(0, row.order)
    text = render(parts_workflow(problem.parts, [pool.find("zed")] * 2))

    (outcome,) = await lab_environment(revise=revision("whole")).score([row], [text])

    assert [step.subtask for step in outcome.workflow.steps] == ["Answer the question."] * 2


def test_a_run_on_tasks_plays_the_changed_workflow_too(tmp_path):
    (tmp_path / "own.jsonl").write_text('{"question": "1 + 1?", "answer": "2"}')
    changes = [f"data.tasks=['{tmp_path / 'own.jsonl'}']", "data.pool=p", "grpo.ablation=whole"]

    @asynccontextmanager
    async def open_pool(data):
        yield pool_of(Echo("a"), Echo("b"), Echo("c"))

    with opened_course(load_preset("tiny", changes), 0, open_pool) as course:
        plan = course.environment.revise(PLAN)

    assert [step.subtask for step in plan.steps] == ["Answer the question."] * 3
