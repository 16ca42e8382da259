"""Course: the rows of a run, the environment that scores them, and the exams on the way.

Either the lab's or those of real tasks; the run itself does not know which.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from partbook.budget import Limits
from partbook.errors import ConfigError
from partbook.lab.pool import GUESTS
from partbook.lab.values import Split
from partbook.pool import AgentPool, Worker
from partbook.tasks.problem import Problem
from partbook.train.ablation import revision
from partbook.train.data import Data
from partbook.train.environment import Environment, lab_environment
from partbook.train.exam import Exam, Examination, TaskExam
from partbook.train.playing_loop import OpenPool, PlayingLoop, playing_loop
from partbook.train.preset import Preset
from partbook.train.row import LAB_WORKERS, Row, lab_rows
from partbook.train.spreading import Nodes
from partbook.train.task_rows import TaskJudge, TaskProblems, load_problems, pool_of_row, task_rows

__all__ = [
    "Course",
    "exam_rows",
    "grader_of",
    "opened_course",
    "training_pool",
    "training_rows",
]


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
    preset: Preset,
    seed: int,
    open_pool: OpenPool | None = None,
    *,
    examined: bool = True,
    nodes: Nodes | None = None,
) -> Iterator[Course]:
    """The course of a preset; its workers can be called until it is closed.

    Args:
        preset: the run.
        seed: of the rows.
        open_pool: opens the pool that the preset names; the lab needs none.
        examined: whether exams are wanted: one process of several takes them.
        nodes: where rollouts are played; None: in this process.

    Raises:
        ConfigError: a task, the pool or one of its workers cannot be had.
    """
    with playing_loop() as playing, ExitStack() as stack:
        if nodes is not None:
            stack.enter_context(playing.opened(nodes.opened()))
        if preset.data.is_lab:
            grpo = preset.grpo
            environment = lab_environment(
                grpo.timeout_s, playing.loop, grpo.tariff, revision(grpo.ablation)
            )
            if nodes is not None:
                environment = playing.run(nodes.spread(environment))
            exam = _lab_exam(preset) if examined else None
            yield Course(training_rows(preset, seed), environment, exam)
            return
        if open_pool is None:
            raise ConfigError(f"preset {preset.name}: nobody opens pools here")
        problems = load_problems(preset.data)
        with playing.opened(open_pool(preset.data)) as pool:
            course = _task_course(preset, seed, problems, pool, playing)
            if nodes is not None:
                environment = playing.run(nodes.spread(course.environment))
                course = replace(course, environment=environment)
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
        tariff=grpo.tariff,
        revise=revision(grpo.ablation),
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


def _lab_exam(preset: Preset) -> Exam | None:
    grpo = preset.grpo
    if grpo.evaluate_every == 0:
        return None
    return Exam.of(exam_rows(preset, "validation", grpo.evaluation_problems, 0))


def exam_rows(preset: Preset, split: Split, count: int, seed: int) -> list[Row]:
    """Lab rows to examine a policy on, with the difficulties and the workers of the preset.

    Raises:
        ConfigError: as `training_rows`.
    """
    data = preset.data
    workers = _lab_workers(data)
    return lab_rows(count, split, seed, preset.grpo.difficulties, workers, subset=data.subset)


def training_rows(preset: Preset, seed: int) -> list[Row]:
    """The lab rows of a run in the order in which it uses them, every one once.

    Raises:
        ConfigError: the lab has no such worker, or fewer than the subset.
    """
    grpo, subset, workers = preset.grpo, preset.data.subset, _lab_workers(preset.data)
    easy = [level for level in grpo.difficulties if level <= 2]
    easy_steps = min(grpo.easy_steps, grpo.steps) if easy else 0
    count = easy_steps * grpo.problems
    first = lab_rows(count, "train", 2 * seed, easy, workers, subset=subset)
    # Another seed: the two parts of a run share no problem.
    rest = (grpo.steps - easy_steps) * grpo.problems
    second = lab_rows(rest, "train", 2 * seed + 1, grpo.difficulties, workers, subset=subset)
    return first + second


def _lab_workers(data: Data) -> tuple[str, ...]:
    """Those of the lab who may be called; its guests only where they are named."""
    named = (*LAB_WORKERS, *(guest.name for guest in GUESTS))
    unknown = set(data.workers) - set(named)
    if unknown:
        known = ", ".join(named)
        raise ConfigError(f"data.workers: the lab has {known}; found {', '.join(sorted(unknown))}")
    return data.workers or LAB_WORKERS
