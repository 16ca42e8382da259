"""TaskPlugin: how an installed package adds a family of problems.

What it loads is looked at before anybody is asked: splits, names, ids and judges are what they are
for the tasks that come along.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from partbook.errors import ConfigError
from partbook.plugins import TASKS, find_plugin, load_plugin, trouble_of
from partbook.tasks.judges.judge import is_judge
from partbook.tasks.problem import Problem, Task

__all__ = ["TaskPlugin", "TaskWanted", "load_plugged_task", "task_plugin"]


@dataclass(frozen=True, slots=True)
class TaskWanted:
    """What is asked of a task."""

    splits: tuple[str, ...]
    """Some of the plug-in's; at least one."""
    size: int = 100
    """Problems in each split that are wanted, for a task that makes them; others give all."""
    seed: int = 0
    """For a task that makes its problems: the same seed makes the same ones."""
    data: Path | None = None
    """A file or folder that the user gave; None: none."""


@dataclass(frozen=True, slots=True)
class TaskPlugin:
    """A family of problems; its name is that of the entry point."""

    api: int
    """The version of the plug-in interface that it was written for."""
    about: str
    """One line for a person."""
    judge: str
    """Name of the judge of its problems, for lists."""
    load: Callable[[TaskWanted], Task]
    """Its problems by split, those that were asked for.

    Raises:
        ConfigError: its data cannot be had, or the user's file is wrong.
    """
    splits: tuple[str, ...] = ("test",)
    """Of `train`, `validation`, `test`; what is learned is learned on another one than is reported
    on."""


def task_plugin(name: str) -> TaskPlugin:
    """The task of an installed package.

    Raises:
        ConfigError: there is none of this name, or it cannot be used.
    """
    return load_plugin(TASKS, name, TaskPlugin)


def load_plugged_task(name: str, wanted: TaskWanted) -> Task:
    """Load a task of an installed package.

    Raises:
        ConfigError: a split is unknown, or what it loads breaks a rule; the message names the
            package.
    """
    offered, plugin = task_plugin(name), find_plugin(TASKS, name)
    for split in wanted.splits:
        if split not in offered.splits:
            known = ", ".join(offered.splits)
            raise ConfigError(f"task {name!r} has no split {split!r}; splits: {known}")
    try:
        task = offered.load(wanted)
    except ConfigError as err:
        raise ConfigError(f"the {plugin}: {err}") from err
    except Exception as err:  # a package's code may raise anything
        raise ConfigError(f"the {plugin} cannot be loaded: {trouble_of(err)}") from err
    if why := _offence(task, name, wanted.splits):
        raise ConfigError(f"the {plugin} {why}")
    return task


def _offence(task: object, name: str, splits: Sequence[str]) -> str:
    """What is wrong with what a plug-in loaded, after its name in a sentence; empty: nothing."""
    if not isinstance(task, Task):
        return f"gave {type(task).__name__} where a Task was expected"
    if task.name != name:
        return f"calls its problems {task.name!r}"
    if missing := [split for split in splits if not task.problems.get(split)]:
        return f"has no problems in the split {missing[0]!r}"
    ids: set[str] = set()
    for problem in (problem for part in task.problems.values() for problem in part):
        if not isinstance(problem, Problem) or problem.task != name:
            return f"holds something that is no problem of {name!r}"
        if problem.id in ids:
            return f"has two problems with the id {problem.id!r}"
        if problem.judge != "gym" and not is_judge(problem.judge):
            return f"has a problem {problem.id!r} with a judge {problem.judge!r} that there is not"
        ids.add(problem.id)
    return ""
