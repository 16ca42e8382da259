"""What `run` and `plan` share: the question, the limits, and who settles the workflow."""

import sys
from collections.abc import Collection
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

import typer

from partbook.budget import Limits
from partbook.cli.opening import closed_pool
from partbook.conduct import Conductor, Fixed, Proposer
from partbook.config import PoolConfig, load_workflow
from partbook.errors import ConfigError
from partbook.fixed import FixedWorkflow
from partbook.pool import AgentPool, Price

__all__ = [
    "AssumePriceOption",
    "Choice",
    "ConductorOption",
    "FileOption",
    "MaxCallsOption",
    "MaxTokensOption",
    "MaxUsdOption",
    "PoolOption",
    "PricesOption",
    "QuestionArgument",
    "TimeoutOption",
    "WorkflowOption",
    "check_prices",
    "choose",
    "limits_of",
    "read_question",
]

QuestionArgument = Annotated[
    str | None, typer.Argument(help="The question; without it, --file or standard input is read.")
]
FileOption = Annotated[
    Path | None, typer.Option("--file", "-f", help="Read the question from a file.")
]
PoolOption = Annotated[
    str, typer.Option("--pool", "-p", help="Name of a pool that comes along, or a .toml file.")
]
WorkflowOption = Annotated[
    str | None,
    typer.Option("--workflow", "-w", help="Play this fixed workflow: a name, or a .toml file."),
]
ConductorOption = Annotated[
    str | None,
    typer.Option("--conductor", "-c", help="Let this worker of the pool write the workflow."),
]
MaxUsdOption = Annotated[
    str | None,
    typer.Option("--max-usd", help="Most that all calls together may cost, in US dollars."),
]
AssumePriceOption = Annotated[
    str | None,
    typer.Option(
        "--assume-price",
        metavar="IN/OUT",
        help="With --max-usd: what a worker without a known price costs at most, in US dollars "
        "per million tokens read/written.",
    ),
]
PricesOption = Annotated[
    Path | None,
    typer.Option("--prices", help="File of your own prices; see docs/money.md."),
]
MaxCallsOption = Annotated[
    int | None, typer.Option("--max-calls", min=0, help="Most calls of Conductor and workers.")
]
MaxTokensOption = Annotated[
    int | None, typer.Option("--max-tokens", min=0, help="Most tokens, read and written, in all.")
]
TimeoutOption = Annotated[
    float | None, typer.Option("--timeout", min=0.001, help="Most seconds for the whole run.")
]

_QUESTION_BYTES = 1_000_000

CONDUCTOR_TOKENS = 1024
"""What a worker's model may write at least when it conducts (arXiv:2512.04388, appendix A.1)."""


def read_question(question: str | None, file: Path | None) -> str:
    """The question from the argument, the file or standard input, whichever is there.

    Raises:
        ConfigError: there is none, it is blank, too long, or not text.
    """
    if question is not None and file is not None:
        raise ConfigError("give the question as an argument or with --file, not both")
    if question is None and file is None and sys.stdin.isatty():
        raise ConfigError('no question; try: partbook run "How many primes are there below 200?"')
    text = question if question is not None else _read(file)
    if not text.strip():
        raise ConfigError("a question was expected, the text is blank")
    return text.strip()


def _read(file: Path | None) -> str:
    name = "standard input" if file is None else str(file)
    try:
        if file is None:
            data = sys.stdin.buffer.read(_QUESTION_BYTES + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(_QUESTION_BYTES + 1)
        if len(data) > _QUESTION_BYTES:
            raise ConfigError(f"{name}: a question has at most {_QUESTION_BYTES} bytes")
        return data.decode("utf-8")
    except OSError as err:
        raise ConfigError(f"cannot read {name}: {err.strerror or err}") from err
    except UnicodeDecodeError as err:
        raise ConfigError(f"{name}: UTF-8 was expected, byte {err.start} is not") from err


def limits_of(
    max_usd: str | None,
    max_calls: int | None,
    max_tokens: int | None,
    timeout_s: float | None,
    assume_price: str | None = None,
) -> Limits:
    """The limits that the options ask for.

    Raises:
        ConfigError: the amount of money is no number, or below 0; the assumed price is no pair of
            such amounts, or there is no limit in dollars that it could be for.
    """
    if assume_price is not None and max_usd is None:
        raise ConfigError("--assume-price is for --max-usd; give both or neither")
    usd: Decimal | None = None
    if max_usd is not None:
        try:
            usd = Decimal(max_usd.removeprefix("$"))
        except InvalidOperation as err:
            raise ConfigError(
                f"--max-usd: an amount like 0.25 was expected, found {max_usd!r}"
            ) from err
        if not usd.is_finite() or usd < 0:
            raise ConfigError(f"--max-usd: an amount of 0 or more was expected, found {max_usd!r}")
    return Limits(usd, max_calls, max_tokens, timeout_s, _assumed(assume_price))


def _assumed(text: str | None) -> Price | None:
    if text is None:
        return None
    read, _, written = text.partition("/")
    try:
        return Price(Decimal(read.removeprefix("$")), Decimal(written.removeprefix("$")))
    except (InvalidOperation, ConfigError) as err:
        raise ConfigError(
            f"--assume-price: dollars per million tokens read/written like 5/25 were expected, "
            f"found {text!r}"
        ) from err


def check_prices(pool: AgentPool, called: Collection[str] | None, limits: Limits) -> None:
    """See that a limit in dollars can be kept, before anybody is called.

    Args:
        pool: the opened pool.
        called: names of the workers that may be called; None: all.
        limits: what the request may spend.

    Raises:
        ConfigError: there is such a limit, and a price is neither known nor assumed; the message
            names the workers.
    """
    if limits.usd is None or limits.assumed_price is not None:
        return
    unknown = [
        worker.name
        for worker in pool.workers
        if worker.spec.price is None and (called is None or worker.name in called)
    ]
    if unknown:
        raise ConfigError(
            f"--max-usd needs the price of every worker; unknown: {', '.join(unknown)}; give each "
            "a `price` in the pool file or in your prices file, or say with --assume-price IN/OUT "
            "what they cost at most"
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """Who settles the workflow: a person's fixed one, or a worker of the pool as Conductor."""

    fixed: FixedWorkflow | None
    conductor: str
    fallback: FixedWorkflow | None
    show_names: bool

    def needed(self, config: PoolConfig) -> set[str] | None:
        """Names of the workers that may be called; None: all of them."""
        if self.fixed is None:
            return None
        pool = closed_pool(config)
        played = [pool[i].spec for i in self.fixed.resolve(pool).workers]
        return {spec.name for spec in played}.union(*(spec.fallbacks for spec in played))

    def proposer(self, pool: AgentPool) -> Proposer:
        """The proposer on an opened pool."""
        if self.fixed is not None:
            return Fixed(self.fixed)
        worker = pool[pool.find(self.conductor)]
        sampling = worker.spec.sampling
        return Conductor(
            worker.model,
            replace(sampling, max_tokens=max(CONDUCTOR_TOKENS, sampling.max_tokens), stop=()),
            price=worker.spec.price,
            show_names=self.show_names,
            constrain=worker.spec.kind == "local",
            fallback=self.fallback,
            retries=worker.spec.retries,
        )


def choose(config: PoolConfig, workflow: str | None, conductor: str | None) -> Choice:
    """What the options ask for, else what the pool file says.

    Raises:
        ConfigError: both are asked for, neither is anywhere, or the worker is not in the pool.
    """
    if workflow and conductor:
        raise ConfigError("--workflow and --conductor exclude each other")
    if not workflow and not conductor:
        workflow, conductor = config.workflow, config.conductor
    if workflow:
        return Choice(load_workflow(workflow), "", None, config.show_names)
    if not conductor:
        raise ConfigError(
            f"pool {config.name!r} names neither a workflow nor a conductor: use --workflow NAME "
            "or --conductor WORKER"
        )
    workers = {spec.name: spec for spec in config.workers}
    if conductor not in workers or workers[conductor].is_tool:
        models = [spec.name for spec in config.workers if not spec.is_tool]
        raise ConfigError(
            f"--conductor: a language model of pool {config.name!r} was expected, found "
            f"{conductor!r}; there are: {', '.join(models)}"
        )
    return Choice(None, conductor, load_workflow(config.fallback), config.show_names)
