"""Course: the rows of a run, the environment that scores them, and the exams on the way.

Either the lab's or those of real tasks; the run itself does not know which.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from partbook.budget import Limits
from partbook.errors import ConfigError
from partbook.pool import AgentPool, Worker
from partbook.tasks.problem import Problem
from partbook.train.data import Data
from partbook.train.environment import Environment, lab_environment
from partbook.train.exam import Exam, Examination, TaskExam
from partbook.train.playing_loop import OpenPool, PlayingLoop, playing_loop
from partbook.train.preset import Grpo, Preset
from partbook.train.row import Row, lab_rows
from partbook.train.task_rows import TaskJudge, TaskProblems, load_problems, pool_of_row, task_rows

__all__ = ["Course", "grader_of", "opened_course", "training_pool", "training_rows"]


@dataclass(frozen=True, slots=True)
class Course:
    """What a run trains and is examined on."""

    rows: list[Row]
    environment: Environment
    exam: Examination | None
    """None: nothing is held out, or the preset wants no exams."""
    notes: tuple[str, ...] = ()
    """What a person should know about the problems."""


@contextmanager
def opened_course(
    preset: Preset, seed: int, open_pool: OpenPool | None = None, *, examined: bool = True
) -> Iterator[Course]:
    """The course of a preset; its workers can be called until it is closed.

    Args:
        preset: the run.
        seed: of the rows.
        open_pool: opens the pool that the preset names; the lab needs none.
        examined: whether exams are wanted: one process of several takes them.

    Raises:
        ConfigError: a task, the pool or one of its workers cannot be had.
    """
    with playing_loop() as playing:
        if preset.data.is_lab:
            grpo = preset.grpo
            environment = lab_environment(grpo.timeout_s, playing.loop)
            exam = _lab_exam(grpo) if examined else None
            yield Course(training_rows(grpo, seed), environment, exam)
            return
        if open_pool is None:
            raise ConfigError(f"preset {preset.name}: nobody opens pools here")
        problems = load_problems(preset.data)
        with playing.opened(open_pool(preset.data)) as pool:
            course = _task_course(preset, seed, problems, pool, playing)
            yield course if examined else replace(course, exam=None)


def _task_course(
    preset: Preset, seed: int, problems: TaskProblems, pool: AgentPool, playing: PlayingLoop
) -> Course:
    data, grpo = preset.data, preset.grpo
    called = training_pool(pool, data)
    environment = Environment(
        lambda row: pool_of_row(called, row),
        TaskJudge(problems, grader_of(pool, data)),
        Limits(timeout_s=grpo.timeout_s),
        loop=playing.loop,
    )
    rows = task_rows(problems.train, called.names, grpo.steps * grpo.problems, seed, data.subset)
    exam = _task_exam(problems.held_out, called, preset)
    return Course(rows, environment, exam, problems.notes)


def training_pool(pool: AgentPool, data: Data) -> AgentPool:
    """The workers who may be called, each with the limits of the preset.

    Raises:
        ConfigError: the preset names a worker that the pool has not.
    """
    picked = pool.pick([pool.find(name) for name in data.workers]) if data.workers else pool
    return AgentPool(pool.name, tuple(_limited(worker, data) for worker in picked.workers))


def grader_of(pool: AgentPool, data: Data) -> Worker | None:
    """The worker that judges by a rubric; None where the preset names none."""
    return pool[pool.find(data.grader)] if data.grader else None


def _limited(worker: Worker, data: Data) -> Worker:
    if not data.worker_tokens:
        return worker
    sampling = worker.spec.sampling
    most = min(sampling.max_tokens, data.worker_tokens)
    return replace(worker, spec=replace(worker.spec, sampling=replace(sampling, max_tokens=most)))


def _task_exam(held_out: Mapping[str, Problem], pool: AgentPool, preset: Preset) -> TaskExam | None:
    grpo = preset.grpo
    if grpo.evaluate_every == 0 or not held_out:
        return None
    count = min(grpo.evaluation_problems, len(held_out))
    return TaskExam(tuple(task_rows(held_out, pool.names, count, 0, preset.data.subset)))


def _lab_exam(grpo: Grpo) -> Exam | None:
    if grpo.evaluate_every == 0:
        return None
    return Exam.of(lab_rows(grpo.evaluation_problems, "validation", 0, grpo.difficulties))


def training_rows(grpo: Grpo, seed: int) -> list[Row]:
    """The lab rows of a run in the order in which it uses them, every one once."""
    easy = [level for level in grpo.difficulties if level <= 2]
    easy_steps = min(grpo.easy_steps, grpo.steps) if easy else 0
    first = lab_rows(easy_steps * grpo.problems, "train", 2 * seed, easy)
    # Another seed: the two parts of a run share no problem.
    rest = (grpo.steps - easy_steps) * grpo.problems
    return first + lab_rows(rest, "train", 2 * seed + 1, grpo.difficulties)
