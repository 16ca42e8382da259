"""Cell: what one system did with one problem, once. The whole report is a sum over cells.

A cell says what was played in words that need no other file: who did what, who read whom, what was
answered. The full traces are in the store, under the ids in `runs`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from partbook.ledger import CONDUCTOR, Total, entries_of
from partbook.spend_json import money, money_from
from partbook.tasks.judges.verdict import Outcome
from partbook.trace import RoundTrace, Trace

__all__ = [
    "Cell",
    "Key",
    "Played",
    "PlayedStep",
    "Spent",
    "key_text",
    "played_of",
    "spent_of",
    "tail",
]

Key = tuple[str, str, int]
"""(system, problem, repeat): what a cell is found by."""

MOST_SUBTASK = 600
"""Characters of a subtask that a cell keeps."""

MOST_ANSWER = 2_000
"""Characters of an answer that a cell keeps: its end, where the result stands."""


def key_text(key: Key) -> str:
    """A key as one text."""
    return f"{key[0]}\t{key[1]}\t{key[2]}"


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """One step of a workflow that was played."""

    worker: str
    subtask: str
    access: tuple[int, ...]
    answer: str | None
    """None where it was not reached or failed."""


@dataclass(frozen=True, slots=True)
class Played:
    """One workflow that was played, or that there was none."""

    source: str
    """`conductor`, `retry`, `fallback`, `fixed`; empty where there was no workflow."""
    name: str
    """Of a fixed or fallback workflow."""
    steps: tuple[PlayedStep, ...]
    proposed: bool
    """Whether a Conductor was asked for it."""
    valid: bool
    """Whether the Conductor's first text held a workflow; False where none was asked."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a cell took."""

    calls: int
    """Of workers and of the Conductor, failed ones included."""
    conductor_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: Decimal | None
    """None where the price of one of the calls is unknown."""
    workers: Mapping[str, int]
    """Calls by the name of the worker who was asked, without the Conductor's."""

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Cell:
    """One system, one problem, one repeat."""

    system: str
    problem: str
    repeat: int
    outcome: Outcome
    """`not judged` is an outage, a limit of the whole run, or a judge that could not say."""
    why: str
    """The judge's reason, or what stood in the way."""
    answer: str | None
    extracted: str | None
    """What the judge took from the answer."""
    judged_by: str
    """The model whose opinion the outcome is; empty where a rule decided."""
    spent: Spent
    seconds: float
    played: tuple[Played, ...]
    runs: tuple[str, ...]
    """Ids of the traces in the store."""

    @property
    def key(self) -> Key:
        """What it is found by."""
        return self.system, self.problem, self.repeat

    @property
    def judged(self) -> bool:
        """Whether it counts in shares of right answers."""
        return self.outcome != "not judged"

    @property
    def right(self) -> bool:
        """Whether the answer is known to be right."""
        return self.outcome == "right"

    @property
    def steps(self) -> int:
        """Steps of all that was played."""
        return sum(len(played.steps) for played in self.played)

    def to_dict(self) -> dict[str, Any]:
        """The cell as JSON values."""
        spent = self.spent
        return {
            "system": self.system,
            "problem": self.problem,
            "repeat": self.repeat,
            "outcome": self.outcome,
            "why": self.why,
            "answer": self.answer,
            "extracted": self.extracted,
            "judged_by": self.judged_by,
            "calls": spent.calls,
            "conductor_calls": spent.conductor_calls,
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
            "cost_usd": money(spent.cost_usd),
            "workers": dict(spent.workers),
            "seconds": self.seconds,
            "played": [_played_to_dict(played) for played in self.played],
            "runs": list(self.runs),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Cell":
        """Read what `to_dict` wrote; anything else raises LookupError, TypeError or ValueError."""
        spent = Spent(
            data["calls"],
            data["conductor_calls"],
            data["prompt_tokens"],
            data["completion_tokens"],
            money_from(data["cost_usd"]),
            data["workers"],
        )
        return cls(
            data["system"],
            data["problem"],
            data["repeat"],
            data["outcome"],
            data["why"],
            data["answer"],
            data["extracted"],
            data["judged_by"],
            spent,
            data["seconds"],
            tuple(_played_from_dict(played) for played in data["played"]),
            tuple(data["runs"]),
        )


def spent_of(traces: Sequence[Trace]) -> Spent:
    """What these traces took together."""
    total = Total()
    workers: dict[str, int] = {}
    conductor = 0
    for trace in traces:
        for entry in entries_of(trace):
            total.add(entry)
            if entry.worker == CONDUCTOR:
                conductor += entry.calls
            elif entry.calls:
                workers[entry.worker] = workers.get(entry.worker, 0) + entry.calls
    return Spent(
        total.calls,
        conductor,
        total.prompt_tokens,
        total.completion_tokens,
        total.cost_usd,
        dict(sorted(workers.items())),
    )


def played_of(traces: Sequence[Trace]) -> tuple[Played, ...]:
    """What was played, round by round."""
    return tuple(_played(trace, round_) for trace in traces for round_ in trace.rounds)


def tail(text: str | None, most: int = MOST_ANSWER) -> str | None:
    """The end of a text, where it is too long to keep whole."""
    if text is None or len(text) <= most:
        return text
    return f"… {text[-most:]}"


def _played(trace: Trace, round_: RoundTrace) -> Played:
    answers = {step.step: step.answer for step in round_.steps}
    texts = [proposal for proposal in round_.proposals if proposal.fault is None]
    steps: tuple[PlayedStep, ...] = ()
    if round_.workflow is not None:
        steps = tuple(
            PlayedStep(
                trace.workers[step.worker],
                step.subtask[:MOST_SUBTASK],
                step.access,
                tail(answers.get(i)),
            )
            for i, step in enumerate(round_.workflow.steps)
        )
    return Played(
        round_.source or "",
        round_.workflow_name,
        steps,
        bool(round_.proposals),
        bool(texts) and texts[0].error is None,
    )


def _played_to_dict(played: Played) -> dict[str, Any]:
    steps = [[step.worker, step.subtask, list(step.access), step.answer] for step in played.steps]
    return {
        "source": played.source,
        "name": played.name,
        "steps": steps,
        "proposed": played.proposed,
        "valid": played.valid,
    }


def _played_from_dict(data: Mapping[str, Any]) -> Played:
    steps = (
        PlayedStep(worker, subtask, tuple(access), answer)
        for worker, subtask, access, answer in data["steps"]
    )
    return Played(data["source"], data["name"], tuple(steps), data["proposed"], data["valid"])
