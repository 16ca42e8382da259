"""`partbook task`: which tasks there are, their problems as a worker sees them, and whether a task
file can be trusted.
"""

import asyncio
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from partbook.cli.asking import PoolOption
from partbook.cli.grading import GraderOption, judged_by, opened_grader
from partbook.cli.plain import clean, head, open_console
from partbook.errors import ConfigError

if TYPE_CHECKING:
    from partbook.tasks.ground_truth import GroundTruth
    from partbook.tasks.problem import Problem, Task

__all__ = ["task_app"]

task_app = typer.Typer(
    help="List tasks, look at their problems, and check a task file of your own.",
    no_args_is_help=True,
)

MOST_OFFENDERS = 20
"""References that do not pass and are written out; the rest is counted."""

NameArgument = Annotated[
    str, typer.Argument(metavar="TASK", help="A name from `list`, gym/NAME, or a task file.")
]
CountOption = Annotated[int, typer.Option("-n", min=0, help="Problems to show.")]
SplitOption = Annotated[
    str, typer.Option(help="train, validation, test or all; a task file is read whole.")
]
LevelOption = Annotated[
    str | None, typer.Option(help="Only this level; for gym/NAME, the level to generate, from 0.")
]
DataOption = Annotated[
    Path | None, typer.Option(help="File or folder with a published task's data, not the hub.")
]
EncodingOption = Annotated[
    str | None, typer.Option(help="Of text files that are not UTF-8: cp949, utf-16-le, ...")
]
SeedOption = Annotated[int, typer.Option(help="Seed of gym/NAME.")]
JudgeOption = Annotated[str | None, typer.Option(help="The judge of a task file.")]


@task_app.command("list")
def list_command(
    gym: Annotated[bool, typer.Option("--gym", help="List the generated tasks, too.")] = False,
) -> None:
    """List the tasks, with their judges and splits."""
    from partbook.plugins import TASKS, plugin_names
    from partbook.tasks.catalogue import FAMILIES, GYM

    table = Table(box=None, pad_edge=False)
    for heading in ("task", "judge", "splits", "what"):
        table.add_column(heading, overflow="fold")
    for family in FAMILIES.values():
        table.add_row(family.name, family.judge, " ".join(family.splits), family.about)
    table.add_row(f"{GYM}NAME", "gym", "train validation test", "generated; see `list --gym`")
    for name in plugin_names(TASKS):
        if name not in FAMILIES:
            table.add_row(*_plugin_row(name))
    table.add_row("FILE", "any", "as in the file", "your own; see `partbook task check --help`")
    console = open_console()
    console.print(table)
    if gym:
        from partbook.tasks.gym_source import generator_names, level_count

        for name in generator_names():
            levels = level_count(name)
            known = f"levels 0 to {levels - 1}" if levels else "one level"
            console.print(f"{GYM}{name}  ({known})", markup=False, highlight=False)


def _plugin_row(name: str) -> tuple[Text, ...]:
    """A row about a plug-in's task; one that cannot be used says why, and hides no other."""
    from partbook.tasks.task_plugin import task_plugin

    try:
        plugin = task_plugin(name)
    except ConfigError as err:
        return (Text(head(name)), Text("?"), Text(""), Text(head(str(err)), "red"))
    said = (name, plugin.judge, " ".join(plugin.splits), plugin.about)
    return tuple(Text(head(text)) for text in said)


@task_app.command("show")
def show_command(
    name: NameArgument,
    n: CountOption = 5,
    split: SplitOption = "test",
    level: LevelOption = None,
    data: DataOption = None,
    encoding: EncodingOption = None,
    seed: SeedOption = 0,
    judge: JudgeOption = None,
) -> None:
    """Show problems as a worker sees them, with their references."""
    from partbook.tasks.catalogue import GYM

    task = _load(name, (split,), n, level, data, encoding, seed, judge)
    console = open_console()
    problems = task.split(split if split in task.problems else "all")
    if level is not None and not name.startswith(GYM):
        problems = _at_level(task.name, problems, level)
    _say(console, f"{task.name}: {task.about}\nfrom {task.source}")
    for note in task.notes:
        _say(console, f"note: {note}")
    _show(console, problems, n)


@task_app.command("check")
def check_command(
    name: NameArgument,
    judge: JudgeOption = None,
    n: CountOption = 5,
    split: SplitOption = "",
    data: DataOption = None,
    encoding: EncodingOption = None,
    grader: GraderOption = None,
    pool: PoolOption = "embedded",
) -> None:
    """Check a task: every row, then every reference by its own judge; then show some problems.

    A task file has one problem a row: JSON Lines or CSV with the columns question and answer, and
    where they apply choices, tests, function, pattern, rubric, id, judge, level, split.
    Where a rubric decides, a model judges the references: --grader WORKER --pool POOL.

    Exit status 1: a reference does not pass, so no score of this task could be believed.
    """
    task = _load(name, (split or "test",), 20, None, data, encoding, 0, judge)
    console = open_console()
    problems = task.split(split or "all")
    counts = ", ".join(f"{len(part)} {name}" for name, part in task.problems.items())
    _say(console, f"{task.source}: {counts}; every row can be used")
    for note in task.notes:
        _say(console, f"note: {note}")
    truth = asyncio.run(_ground_truth(problems, grader, pool))
    _report(console, truth)
    if not truth.sound:
        raise typer.Exit(1)
    _show(console, problems, n)


async def _ground_truth(
    problems: "tuple[Problem, ...]", grader: str | None, pool: str
) -> "GroundTruth":
    """The ground truth; a model is opened, and asked for, only where one has to judge."""
    from partbook.tasks.ground_truth import ground_truth
    from partbook.tasks.judges.judge import MODEL_JUDGES
    from partbook.tasks.judging import judge_for

    to_ask = [p for p in problems if p.judge in MODEL_JUDGES and p.reference.strip()]
    if not to_ask:
        return await ground_truth(problems)
    async with opened_grader(grader, pool) as worker:
        judge_for(to_ask[0], worker)  # what all of them lack is said once, and is the user's
        return await ground_truth(problems, lambda problem: judge_for(problem, worker))


def _load(
    name: str,
    splits: tuple[str, ...],
    count: int,
    level: str | None,
    data: Path | None,
    encoding: str | None,
    seed: int,
    judge: str | None,
) -> "Task":
    from partbook.tasks.catalogue import GYM, load_task, splits_of

    generated = name.startswith(GYM)
    if generated and level is not None and not level.isdecimal():
        raise ConfigError(f"--level of a generated task is a number from 0, found {level!r}")
    if splits == ("all",):
        splits = splits_of(name) or ("test",)
    return load_task(
        name,
        splits,
        data=data,
        encoding=encoding,
        judge=judge,
        level=int(level) if generated and level is not None else None,
        seed=seed,
        size=max(1, count),
    )


def _at_level(task: str, problems: "tuple[Problem, ...]", level: str) -> "tuple[Problem, ...]":
    found = tuple(problem for problem in problems if problem.level == level)
    if not found:
        known = ", ".join(sorted({problem.level or "none" for problem in problems}))
        raise ConfigError(f"{task} has no problem of level {level!r}; levels: {known}")
    return found


def _report(console: Console, truth: "GroundTruth") -> None:
    if truth.score is not None:
        _say(
            console,
            f"ground truth: {truth.right} of {truth.judged} references pass their judge "
            f"({truth.score:.3f}){judged_by('+'.join(truth.judged_by))}",
        )
    if truth.without_reference:
        _say(console, f"not checked: {truth.without_reference} problems have no reference answer")
    for offender in truth.offenders[:MOST_OFFENDERS]:
        _say(
            console,
            f"  {offender.problem.id}: {offender.outcome}{judged_by(offender.judged_by)}: "
            f"{head(offender.reason)[:300]}\n"
            f"      reference: {head(offender.problem.reference)[:200]}",
        )
    if len(truth.offenders) > MOST_OFFENDERS:
        _say(console, f"  and {len(truth.offenders) - MOST_OFFENDERS} more")
    if not truth.sound:
        _say(console, "stopped: a judge that refuses the reference would make every score wrong")


def _show(console: Console, problems: "tuple[Problem, ...]", count: int) -> None:
    from partbook.tasks.formats import shown

    for i, problem in enumerate(itertools.islice(problems, count), 1):
        facts = [f"id {problem.id}", f"judge {problem.judge}"]
        if problem.level:
            facts.append(f"level {problem.level}")
        _say(console, f"\n--- {i} of {len(problems)}: {head(', '.join(facts))}")
        _say(console, shown(problem))
        _say(console, f"--- reference: {problem.reference or '(none)'}")


def _say(console: Console, text: str) -> None:
    console.print(clean(text), markup=False, highlight=False, soft_wrap=True, emoji=False)
