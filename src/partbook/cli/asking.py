"""What `run` and `plan` share: their options, the question, and the limits.

Who settles the workflow is left to `choosing.py`.
"""

import sys
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from partbook.budget import Limits
from partbook.cli.amounts import amount, price_of_tokens
from partbook.conduct import Conductor, Proposer
from partbook.errors import ConfigError
from partbook.ledger import CONDUCTOR
from partbook.pool import AgentPool
from partbook.rounds import STOP_KINDS, StopRule

__all__ = [
    "AssumePriceOption",
    "ConductorOption",
    "FileOption",
    "MaxCallsOption",
    "MaxTokensOption",
    "MaxUsdOption",
    "OnOption",
    "PoolOption",
    "PricesOption",
    "QuestionArgument",
    "RoundsOption",
    "StopRuleOption",
    "TimeoutOption",
    "WorkflowOption",
    "check_prices",
    "limits_of",
    "read_question",
    "rounds_of",
]

QuestionArgument = Annotated[
    str | None, typer.Argument(help="The question; without it, --file or standard input is read.")
]
FileOption = Annotated[
    Path | None, typer.Option("--file", "-f", help="Read the question from a file.")
]
OnOption = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="ray|ray://HOST:PORT",
        help="Play on the nodes of a Ray cluster; see docs/many-machines.md.",
    ),
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
    typer.Option(
        "--conductor",
        "-c",
        help="Who writes the workflow: a worker of the pool, a model, a GGUF file, "
        "MODEL+ADAPTER.gguf, a folder or an id of the Hugging Face hub, or URL#MODEL; see "
        "docs/conductor.md.",
    ),
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

MOST_ROUNDS = 10

RoundsOption = Annotated[
    int | None,
    typer.Option(
        "--rounds",
        min=1,
        max=MOST_ROUNDS,
        help="Most rounds: after each, the Conductor may write a new workflow or keep the answer. "
        "Default: 1, or 2 with --stop-rule; see docs/recursion.md.",
    ),
]
StopRuleOption = Annotated[
    str | None,
    typer.Option(
        "--stop-rule",
        metavar="RULE",
        help="When another round follows: never, once, unsure, conductor (until it keeps the "
        "answer) or checker:WORKER (while that worker does not agree).",
    ),
]

_QUESTION_BYTES = 1_000_000


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
    assumed = None if assume_price is None else price_of_tokens("--assume-price", assume_price)
    return Limits(amount("--max-usd", max_usd), max_calls, max_tokens, timeout_s, assumed)


def rounds_of(rounds: int | None, stop_rule: str | None) -> tuple[int, StopRule]:
    """The most rounds, and when another one follows.

    Raises:
        ConfigError: the rule is unknown, or does not go with so many rounds.
    """
    if stop_rule is None:
        return rounds or 1, StopRule("conductor" if (rounds or 1) > 1 else "never")
    name, colon, checker = stop_rule.partition(":")
    kind = next((kind for kind in STOP_KINDS if kind == name), None)
    if kind is None or (kind == "checker") != bool(colon and checker):
        known = ", ".join(kind for kind in STOP_KINDS if kind != "checker")
        raise ConfigError(
            f"--stop-rule: one of {known} or checker:WORKER was expected, found {stop_rule!r}"
        )
    fitting = {"never": (1, 1), "once": (2, 2)}.get(kind, (2, MOST_ROUNDS))
    if rounds is not None and not fitting[0] <= rounds <= fitting[1]:
        least, most = fitting
        wanted = f"{least}" if least == most else f"{least} to {most}"
        raise ConfigError(f"--stop-rule {kind} goes with --rounds {wanted}, found {rounds}")
    return rounds or fitting[0], StopRule(kind, checker)


def check_prices(
    pool: AgentPool,
    called: Collection[str] | None,
    limits: Limits,
    proposer: Proposer | None = None,
    option: str = "--max-usd",
) -> None:
    """See that a limit in dollars can be kept, before anybody is called.

    Args:
        pool: the opened pool.
        called: names of the workers that may be called; None: all.
        limits: what the request may spend.
        proposer: a Conductor that is no worker of the pool needs a price, too.
        option: what sets the limit.

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
    if isinstance(proposer, Conductor) and proposer.price is None:
        is_worker = any(worker.model is proposer.model for worker in pool.workers)
        unknown += [] if is_worker else [CONDUCTOR]
    if unknown:
        raise ConfigError(
            f"{option} needs the price of every worker; unknown: {', '.join(unknown)}; give each "
            "a `price` in the pool file or in your prices file, or say with --assume-price IN/OUT "
            "what they cost at most"
        )
