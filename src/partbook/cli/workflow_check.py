"""Whether a workflow file is right, and which worker of a pool each of its steps would be.

All faults are found at once, each with the line of its step.
"""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from partbook.cli.opening import closed_pool
from partbook.config import PoolConfig, load_workflow
from partbook.errors import ConfigError, WorkflowError
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.plan import unread_steps, waves
from partbook.pool import WorkerSpec
from partbook.workflow import MAX_STEPS, Step, Workflow

__all__ = ["Found", "calls_of", "check_workflow", "structure"]

_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*[\"']?steps[\"']?[ \t]*\]\]", re.MULTILINE)
_PLACE = re.compile(r": steps\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Found:
    """What a check found."""

    workflow: FixedWorkflow
    seats: tuple[WorkerSpec | None, ...]
    """Who each step would be; None: nobody."""
    plan: Workflow | None
    """On the pool; None where there are faults."""
    faults: tuple[str, ...]
    remarks: tuple[str, ...]
    """What is allowed, and perhaps not meant."""


def check_workflow(name_or_path: str, config: PoolConfig) -> Found:
    """Read a workflow and cast it.

    Raises:
        ConfigError: it cannot be read as a workflow at all; the message names file and line.
    """
    try:
        workflow = load_workflow(name_or_path)
    except ConfigError as err:
        raise ConfigError(_with_line(str(err), name_or_path)) from err
    lines = _step_lines(name_or_path)
    place = [
        f"line {lines[i]}, step {i}" if len(lines) == len(workflow.steps) else f"step {i}"
        for i in range(len(workflow.steps))
    ]
    found, broken = structure(workflow)
    wrong = list(broken.items())
    if len(workflow.steps) > MAX_STEPS:
        wrong.append((MAX_STEPS, f"a workflow has at most {MAX_STEPS} steps"))
    seats: list[WorkerSpec | None] = []
    for i, step in enumerate(workflow.steps):
        try:
            seats.append(_seat(step, config))
        except ConfigError as err:
            seats.append(None)
            wrong.append((i, str(err)))
    faults = [f"{place[i]}: {why}" for i, why in sorted(wrong)]
    remarks = [f"{place[i]}: {said}" for i, said in _remarks(workflow, found, seats, config)]
    plan = None if faults else workflow.resolve(closed_pool(config))
    return Found(workflow, tuple(seats), plan, tuple(faults), tuple(remarks))


def structure(workflow: FixedWorkflow) -> tuple[Workflow, dict[int, str]]:
    """The workflow as if each asked-for worker were there: who reads whom.

    Its workers number the names and roles in the order in which they first come up.

    Returns:
        The workflow, its broken steps without what is wrong with them, and what that is, by step.
    """
    asked = list(dict.fromkeys(step.worker for step in workflow.steps))
    steps: list[Step] = []
    broken: dict[int, str] = {}
    for i, step in enumerate(workflow.steps[:MAX_STEPS]):
        worker = asked.index(step.worker)
        whole = Step(worker, step.subtask, step.access)
        try:
            Workflow((*steps, whole))
        except WorkflowError as err:
            broken[i] = str(err).removeprefix(f"step {i}: ")
            whole = Step(worker, step.subtask if step.subtask.strip() else "(blank)")
        steps.append(whole)
    return Workflow(tuple(steps)), broken


def _seat(step: FixedStep, config: PoolConfig) -> WorkerSpec:
    try:
        spec = config.workers[closed_pool(config).find(step.worker)]
    except ConfigError as err:
        known = [spec.name for spec in config.workers]
        known += sorted({role for spec in config.workers for role in spec.roles})
        near = difflib.get_close_matches(step.worker.partition("#")[0], known, n=1)
        raise ConfigError(f"{err}; did you mean {near[0]!r}?" if near else str(err)) from err
    if spec.kind == "conductor":
        raise ConfigError(
            f"worker {spec.name!r} is the Conductor itself, which a fixed workflow does not have"
        )
    return spec


def _remarks(
    workflow: FixedWorkflow,
    found: Workflow,
    seats: list[WorkerSpec | None],
    config: PoolConfig,
) -> Iterator[tuple[int, str]]:
    for i in unread_steps(found):
        yield i, "nobody reads its answer"
    for i, (step, spec) in enumerate(zip(workflow.steps, seats, strict=True)):
        role, _, number = step.worker.partition("#")
        having = [one.name for one in config.workers if role in one.roles]
        if spec is not None and number.isdecimal() and int(number) > len(having) > 0:
            yield i, f"only {len(having)} have the role {role!r}, so {step.worker} is {spec.name}"
        if spec is not None and spec.kind == "python" and not step.access:
            yield i, f"{spec.name} runs the program in an answer that it reads, and it reads none"


def calls_of(workflow: Workflow) -> str:
    """How many calls it makes, in words."""
    count, turns = len(workflow.steps), len(waves(workflow))
    calls = "1 call" if count == 1 else f"{count} calls"
    return f"{calls} in {'1 wave' if turns == 1 else f'{turns} waves'}"


def _with_line(said: str, name_or_path: str) -> str:
    """The message with the line of the step that it is about."""
    place = _PLACE.search(said)
    lines = _step_lines(name_or_path)
    if place is None or int(place[1]) >= len(lines):
        return said
    return f"{said[: place.start()]}, line {lines[int(place[1])]}{said[place.start() :]}"


def _step_lines(name_or_path: str) -> list[int]:
    """The lines on which steps begin, from 1; none where that cannot be told."""
    try:
        text = Path(name_or_path).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    return [text.count("\n", 0, found.start()) + 1 for found in _HEADER.finditer(text)]
