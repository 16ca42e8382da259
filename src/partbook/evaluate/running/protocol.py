"""Protocol: everything that an evaluation is asked for, from a file or from options.

A file holds what a paper's table needs to be made again: tasks, pools, systems, repeats, and the
published figures to stand beside ours. Options of the command change single values of it.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from partbook.budget import Limits
from partbook.config import pool_names
from partbook.errors import ConfigError
from partbook.evaluate.running.estimate import ANSWER_TOKENS
from partbook.toml_table import Table, read_toml

__all__ = ["Match", "Protocol", "Published", "TaskRequest", "match_of", "read_protocol"]

MATCHED_CALLS = 5
"""Calls per problem where `calls` is matched and no number is given: a Conductor's steps at most
(arXiv:2512.04388, section 3.1)."""


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that a paper prints, to stand beside ours and never among them."""

    system: str
    """As the paper names it."""
    column: str
    """As the paper names it: a task, `avg`, `tokens`, ..."""
    value: float
    source: str
    """Paper and table."""
    error: float | None = None
    """What is printed after a ± sign."""
    ours: str = ""
    """Our system of the same kind; empty where there is none."""
    task: str = ""
    """Our task of that column; `avg` for the mean over tasks; empty where there is none."""

    @property
    def value_text(self) -> str:
        """The figure as it is printed."""
        return f"{self.value:g}" if self.error is None else f"{self.value:g} ± {self.error:g}"


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """One task of an evaluation."""

    name: str
    """`lab`, a published data set, `gym/NAME`, or the path of a task file."""
    split: str = "test"
    limit: int | None = None
    """Most problems; None: all, or 100 of a generated task or of the lab."""
    level: int | None = None
    """Of a generated task."""
    pool: str = ""
    """Its own pool; empty: that of the protocol."""
    data: Path | None = None
    """Files of a published data set; None: from the hub."""
    bare: bool = False
    """Whether it is asked without the words that say how an answer is to be written."""
    question_tokens: int = 200
    """Assumed by an estimate where the problems cannot be had."""
    problems: int = 0
    """Likewise; 0: unknown."""


@dataclass(frozen=True, slots=True)
class Match:
    """What every system may spend on a problem at most."""

    text: str
    """As it was asked for; empty where nothing is matched."""
    limits: Limits


@dataclass(frozen=True, slots=True)
class Protocol:
    """Everything that an evaluation is asked for."""

    tasks: tuple[TaskRequest, ...]
    systems: str
    """As for `catalogue.parse_systems`."""
    pool: str = "embedded"
    name: str = ""
    about: str = ""
    conductor: str = ""
    """Who conducts untrained; as `--conductor`."""
    policy: str = ""
    """Who conducts trained; likewise."""
    repeats: int = 1
    seed: int = 0
    measured: int = 100
    """Problems of another split on which workers are measured and routers are trained."""
    match: str = ""
    max_usd: Decimal | None = None
    concurrency: int = 8
    share_calls: bool = False
    """Whether a call that two systems make alike is made once, and counted for both."""
    brief: bool = False
    """Whether who answers or merges is asked for the answer alone, without reasoning."""
    answer_tokens: int = ANSWER_TOKENS
    """What an estimate takes a worker to write."""
    published: tuple[Published, ...] = ()
    source: str = ""
    """Where the published figures stand."""
    notes: tuple[str, ...] = field(default=())
    """What of the paper's protocol cannot be had here, or is not known."""


def match_of(text: str) -> Match:
    """Read `calls`, `calls=8`, `usd=0.05` or `tokens=20000`.

    Raises:
        ConfigError: it is something else.
    """
    if not text:
        return Match("", Limits())
    kind, _, amount = text.partition("=")
    try:
        if kind == "calls":
            calls = int(amount) if amount else MATCHED_CALLS
            if calls > 0:
                return Match(f"calls={calls}", Limits(calls=calls))
        if kind == "tokens" and int(amount) > 0:
            return Match(text, Limits(tokens=int(amount)))
        if kind == "usd":
            usd = Decimal(amount.removeprefix("$"))
            if usd.is_finite() and usd > 0:
                return Match(f"usd={usd}", Limits(usd=usd))
    except (ValueError, ArithmeticError):
        pass
    raise ConfigError(
        f"--match: what each system may spend on a problem was expected, like calls, calls=8, "
        f"usd=0.05 or tokens=20000; found {text!r}"
    )


def read_protocol(path: Path) -> Protocol:
    """Read a protocol file.

    Raises:
        ConfigError: it is wrong; the message names file, place and key.
    """
    table = read_toml(path)
    folder = path.parent
    source = table.take("source", str, "")
    columns, published = _published(table, source)
    protocol = Protocol(
        tasks=tuple(_task(item, folder) for item in table.take_tables("tasks")),
        systems=",".join(table.take_list("systems", str)),
        pool=_pool(table.take("pool", str, "embedded"), folder),
        name=table.take("name", str, path.stem),
        about=table.take("about", str, ""),
        conductor=table.take("conductor", str, ""),
        policy=table.take("policy", str, ""),
        repeats=_positive(table, "repeats", 1),
        seed=table.take("seed", int, 0),
        measured=_positive(table, "measured", 100),
        match=table.take("match", str, ""),
        concurrency=_positive(table, "concurrency", 8),
        share_calls=table.take("share_calls", bool, False),
        brief=table.take("brief", bool, False),
        answer_tokens=_positive(table, "answer_tokens", ANSWER_TOKENS),
        published=published,
        source=source,
        notes=table.take_list("notes", str),
    )
    table.done()
    if not protocol.tasks or not protocol.systems:
        raise ConfigError(f"{path}: at least one [[tasks]] and one of `systems` are needed")
    unknown = [one.column for one in published if one.column not in columns]
    if unknown:
        raise ConfigError(f"{path}: published column {unknown[0]!r} is not in [columns]")
    match_of(protocol.match)
    return protocol


def _task(table: Table, folder: Path) -> TaskRequest:
    pool, data = table.take("pool", str, ""), table.take("data", str, "")
    task = TaskRequest(
        table.take("name", str),
        table.take("split", str, "test"),
        table.take("limit", int, None),
        table.take("level", int, None),
        _pool(pool, folder) if pool else "",
        folder / data if data else None,
        table.take("bare", bool, False),
        _positive(table, "question_tokens", 200),
        table.take("problems", int, 0),
    )
    table.done()
    if task.limit is not None and task.limit < 1:
        raise ConfigError(f"{table.where}: `limit` must be at least 1, found {task.limit}")
    return task


def _pool(name: str, folder: Path) -> str:
    """A pool's name, or its path from the protocol's folder on."""
    return name if name in pool_names() else str(folder / name)


def _positive(table: Table, key: str, default: int) -> int:
    value = table.take(key, int, default)
    if value < 1:
        raise ConfigError(f"{table.where}: `{key}` must be at least 1, found {value}")
    return value


def _published(table: Table, source: str) -> tuple[set[str], tuple[Published, ...]]:
    """The published figures: `[columns]` says which of our tasks a column is, `[[published]]` holds
    a row of the paper's table each."""
    listed = table.take_table("columns")
    names = table.take_list("column_names", str)
    tasks = {} if listed is None else {name: listed.take(name, str, "") for name in names}
    if listed is not None:
        listed.done()
    found: list[Published] = []
    for item in table.take_tables("published"):
        system, ours = item.take("system", str), item.take("ours", str, "")
        values, errors = item.take_table("values"), item.take_table("errors")
        item.done()
        for name in names:
            value = None if values is None else values.take(name, float, None)
            error = None if errors is None else errors.take(name, float, None)
            if value is not None:
                found.append(Published(system, name, value, source, error, ours, tasks[name]))
        for rest in (values, errors):
            if rest is not None:
                rest.done()
    return set(names), tuple(found)
