"""Reads a journal: what its run had done when its last whole line was written.

Its last line may be cut off; everything before is whole, because every write was one of whole
lines. What a journal leaves out because it follows from its lines is put back here.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from partbook.errors import ConfigError, StoreError, WorkflowError
from partbook.event import Source
from partbook.round_json import check_from_dict, proposal_from_dict, step_from_dict
from partbook.step_trace import StepTrace
from partbook.store.journal import JOURNAL_VERSION
from partbook.trace import RoundTrace, Trace
from partbook.trace_json import workflow_from_dict

__all__ = ["Unfinished", "read_journal"]

_NOT_A_JOURNAL = (
    ArithmeticError,
    AttributeError,
    ConfigError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    WorkflowError,
)
"""What reading lines that were not written by a journal can raise."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What a journal says."""

    trace: Trace
    """As far as the run came: `stopped`, `interrupted`, unless the end itself was written."""
    setup: str
    """JSON of what is needed to take the run up again."""
    size: int
    """Bytes of the journal's whole lines."""
    path: Path


def read_journal(path: Path) -> Unfinished | None:
    """Read a journal; None where it is gone, or holds no whole line.

    Raises:
        StoreError: it is damaged, or a newer Partbook's.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as err:
        raise StoreError(f"the journal {path} cannot be read: {err.strerror}") from err
    size = data.rfind(b"\n") + 1
    lines = data[:size].splitlines()
    if not lines:
        return None
    parts = _Parts()
    try:
        head = json.loads(lines[0])
        if head["journal"] != JOURNAL_VERSION:
            raise StoreError(
                f"the journal {path} was written by a newer Partbook (version {head['journal']!r})"
            )
        for line in lines[1:]:
            parts.take(line)
        return Unfinished(parts.trace(head), json.dumps(head["setup"]), size, path)
    except _NOT_A_JOURNAL as err:
        raise StoreError(
            f"the journal {path} is damaged in line {parts.line}: {type(err).__name__}: {err}; "
            "remove it to give the run up"
        ) from err


class _Parts:
    """The lines of a journal, put together."""

    def __init__(self) -> None:
        self._rounds: list[RoundTrace] = []
        self._steps: list[dict[int, StepTrace]] = []
        self._end: list[Any] = []
        self.line = 1
        """Which is being read."""

    def take(self, text: bytes) -> None:
        self.line += 1
        line = json.loads(text)
        if "end" in line:
            self._end = line["end"]
            return
        self._end = []  # it was taken up again
        i = line["round"]
        if "begun" in line:
            index, worker, started_s = line["begun"]
            before = self._steps[i].get(index)
            tries = () if before is None else before.attempts
            calls = 1 + sum(attempt.calls for attempt in tries)
            step = StepTrace(index, worker, (), started_s, calls=calls, attempts=tries)
            self._steps[i][index] = step
        elif "step" in line:
            step = step_from_dict(line["step"])
            self._steps[i][step.step] = step
        elif "proposal" in line:
            proposal = proposal_from_dict(i, line["proposal"])
            round_ = self._rounds[i]
            self._rounds[i] = replace(round_, proposals=(*round_.proposals, proposal))
        elif "workflow" in line:
            source: Source = line["source"]
            self._rounds[i] = replace(
                self._rounds[i],
                workflow=workflow_from_dict(line["workflow"]),
                source=source,
                workflow_name=line["name"],
            )
        elif "check" in line:
            checks = (*self._rounds[i].checks, check_from_dict(i, line["check"]))
            self._rounds[i] = replace(self._rounds[i], checks=checks)
        elif "unanswered" in line:
            reason, detail = line["unanswered"]
            self._rounds[i] = replace(self._rounds[i], unanswered=reason, detail=detail)
        else:
            parent = line.get("parent")
            inside = None if parent is None else (parent[0], parent[1])
            self._rounds.append(RoundTrace(parent=inside))
            self._steps.append({})

    def trace(self, head: dict[str, Any]) -> Trace:
        if not self._end:
            for i, (round_, steps) in enumerate(zip(self._rounds, self._steps, strict=True)):
                if not self._is_over(i):
                    steps |= _in_flight(round_, steps, head["workers"])
        rounds = tuple(
            replace(
                round_, steps=tuple(steps[i] for i in sorted(steps)), answer=_last(round_, steps)
            )
            for round_, steps in zip(self._rounds, self._steps, strict=True)
        )
        times = [
            step.started_s if step.finished_s is None else step.finished_s
            for round_ in rounds
            for step in round_.steps
        ]
        last_s = max(times, default=0.0)
        most_rounds = head.get("rounds", 1)
        # Of several rounds, the last one says itself that it was the last.
        if rounds and most_rounds == 1 and _is_answered(rounds[0]):
            end: list[Any] = ["answered", last_s, None, ""]
        else:
            end = ["stopped", last_s, "interrupted", "the process ended"]
        status, seconds, reason, detail = self._end or end
        return Trace(
            run_id=head["run_id"],
            question=head["question"],
            pool=head["pool"],
            workers=tuple(head["workers"]),
            started_at=head["started_at"],
            seconds=seconds,
            status=status,
            rounds=rounds,
            reason=reason,
            detail=detail,
            most_rounds=most_rounds,
        )

    def _is_over(self, index: int) -> bool:
        """Whether a round, or one that it is a part of, ended without an answer."""
        round_ = self._rounds[index]
        if round_.unanswered is not None or round_.parent is None:
            return round_.unanswered is not None
        return self._is_over(round_.parent[0])


def _in_flight(
    round_: RoundTrace, steps: Mapping[int, StepTrace], workers: Sequence[str]
) -> dict[int, StepTrace]:
    """The steps that no line tells of although they may have begun: what they read is there."""
    if round_.workflow is None:
        return {}
    planned_s = sum(proposal.seconds for proposal in round_.proposals)
    found = {}
    for i, step in enumerate(round_.workflow.steps):
        read = [steps.get(j) for j in step.access]
        if i not in steps and all(done is not None and done.answer is not None for done in read):
            at_s = max((done.finished_s or 0.0 for done in read if done), default=planned_s)
            found[i] = StepTrace(i, workers[step.worker], (), at_s)
    return found


def _is_answered(round_: RoundTrace) -> bool:
    """Whether every step of the round is answered."""
    wanted = 0 if round_.workflow is None else len(round_.workflow.steps)
    return 0 < wanted == sum(step.answer is not None for step in round_.steps)


def _last(round_: RoundTrace, steps: dict[int, StepTrace]) -> str | None:
    """The last step's answer, which is the round's."""
    last = None if round_.workflow is None else steps.get(len(round_.workflow.steps) - 1)
    return None if last is None else last.answer
