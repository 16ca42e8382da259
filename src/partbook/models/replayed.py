"""Replay: models that answer from a recording, without network, key or model files.

Usage and prices are those of the recorded calls, so a replayed run has the figures of the recorded
one, although nothing is spent. Waits that a provider asked for are not waited again. How a
recording is made is left to `recorded.py`.
"""

import difflib
import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from partbook.errors import ConfigError, WorkerError
from partbook.message import Completion, Message, Sampling
from partbook.model import OnText
from partbook.models.call_json import (
    BROKEN,
    call_key,
    call_to_dict,
    completion_from_dict,
    error_from_dict,
)
from partbook.models.recorded import CALLS, MANIFEST, RECORDING_VERSION
from partbook.retry import RetryPolicy

__all__ = ["Replay", "Replayed"]

_COMPARED_CHARS = 2_000
"""So much of two texts is compared to find the nearest call."""

_QUOTED_CHARS = 60


@dataclass(slots=True)
class _Call:
    """One call that was recorded, with the outcomes that are still to be given."""

    number: int
    """Its line, from 1."""
    call: dict[str, Any]
    outcomes: deque[Completion | WorkerError] = field(default_factory=deque)
    given: int = 0


class Replay:
    """A recording that is read; every outcome in it is given once."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        self.folder = folder
        self.pool: str = manifest["pool"]
        """Name of the pool that was recorded."""
        self.workers: Mapping[str, str] = dict(manifest["workers"])
        """Kind and model of each worker that was in it, by its name."""
        self._calls: dict[str, dict[str, _Call]] = {}

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Read a recording.

        Raises:
            ConfigError: there is none, it is damaged, or a newer Partbook's.
        """
        try:
            manifest = json.loads((folder / MANIFEST).read_bytes())
            if manifest["recording"] != RECORDING_VERSION:
                raise ConfigError(f"{folder} was recorded by a newer Partbook; update this one")
            replay = cls(folder, manifest)
            lines = (folder / CALLS).read_bytes().split(b"\n")[:-1]  # the last may be cut off
        except FileNotFoundError as err:
            raise ConfigError(
                f"{folder} is no recording; make one with `partbook run --record {folder}`"
            ) from err
        except OSError as err:
            raise ConfigError(f"cannot read the recording {folder}: {err.strerror}") from err
        except BROKEN as err:
            raise ConfigError(f"{folder / MANIFEST} is damaged: {err!r}") from err
        for number, line in enumerate(lines, 1):
            try:
                replay._add(number, json.loads(line))
            except BROKEN as err:
                raise ConfigError(f"{folder / CALLS}, line {number} is damaged: {err!r}") from err
        return replay

    def of(self, worker: str) -> "Replayed":
        """The model of a worker, as it answered then."""
        return Replayed(self, worker)

    def check(self, pool: str, workers: Mapping[str, str]) -> None:
        """Refuse a pool that is not the recorded one.

        Raises:
            ConfigError: its name differs, or a worker is missing or another.
        """
        if pool != self.pool:
            raise ConfigError(
                f"{self.folder} is a recording of pool {self.pool!r}, not of {pool!r}; name that "
                "one with --pool"
            )
        for name, model in workers.items():
            there = self.workers.get(name)
            if there != model:
                raise ConfigError(
                    f"worker {name!r} of pool {pool!r} is {model!r} now and was {there!r} when "
                    f"{self.folder} was recorded"
                )

    def take(self, worker: str, messages: Sequence[Message], sampling: Sampling) -> Completion:
        """The next outcome of a call.

        Raises:
            WorkerError: the call failed then.
            ConfigError: it was not recorded, or less often.
        """
        wanted = call_to_dict(messages, sampling)
        calls = self._calls.get(worker, {})
        found = calls.get(_key(wanted))
        if found is None or not found.outcomes:
            raise ConfigError(self._missing(worker, wanted, found, list(calls.values())))
        found.given += 1
        outcome = found.outcomes.popleft()
        if isinstance(outcome, WorkerError):
            raise outcome
        return outcome

    def _add(self, number: int, line: dict[str, Any]) -> None:
        call = {"messages": line["messages"], "sampling": line["sampling"]}
        if not (isinstance(call["messages"], list) and all(map(_is_message, call["messages"]))):
            raise TypeError("messages were expected")
        by_key = self._calls.setdefault(line["worker"], {})
        found = by_key.setdefault(_key(call), _Call(number, call))
        if "completion" in line:
            found.outcomes.append(completion_from_dict(line["completion"]))
        else:
            error = error_from_dict(line["error"])
            told_s = error.retry_after_s
            if told_s is not None and told_s <= RetryPolicy().max_retry_after_s:
                error.retry_after_s = 0.0  # a longer one was not waited for then, either
            found.outcomes.append(error)

    def _missing(
        self, worker: str, wanted: dict[str, Any], same: _Call | None, calls: list[_Call]
    ) -> str:
        text = f"worker {worker!r}: a call was not recorded in {self.folder}; "
        if same is not None:
            return f"{text}it is there {same.given} times, and was replayed as often"
        if not calls:
            return f"{text}this worker was never asked"
        nearest = max(calls, key=lambda call: _likeness(call.call, wanted))
        return f"{text}the nearest, line {nearest.number}, {_difference(nearest.call, wanted)}"


@dataclass(frozen=True, slots=True)
class Replayed:
    """A ChatModel that answers from a recording."""

    replay: Replay
    worker: str

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer as it was answered then; the text comes in one piece.

        Raises:
            WorkerError: the call failed then.
            ConfigError: the call was not recorded.
        """
        completion = self.replay.take(self.worker, messages, sampling)
        if on_text is not None and completion.text:
            on_text(completion.text)
        return completion


def _is_message(said: object) -> bool:
    """Whether `call_to_dict` writes a message so: its role, its text, perhaps more texts."""
    return isinstance(said, list) and len(said) >= 2 and all(isinstance(text, str) for text in said)


def _key(call: Mapping[str, Any]) -> str:
    return call_key({}, call)


def _likeness(call: Mapping[str, Any], wanted: Mapping[str, Any]) -> float:
    """How alike two calls are: above all by their messages, from the first on."""
    said, asked = call["messages"], wanted["messages"]
    i = _same_at_start(said, asked)
    alike = float(i)
    if i < min(len(said), len(asked)):
        one, other = said[i][1][:_COMPARED_CHARS], asked[i][1][:_COMPARED_CHARS]
        alike += difflib.SequenceMatcher(None, one, other).quick_ratio()
    return alike + (0.01 if call["sampling"] == wanted["sampling"] else 0.0)


def _difference(call: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    said, asked = call["messages"], wanted["messages"]
    i = _same_at_start(said, asked)
    if i < min(len(said), len(asked)):
        (role, one, *_), (new_role, other, *_) = said[i], asked[i]
        if role != new_role:
            return f"differs in message {i}: {role!r} there, {new_role!r} here"
        if one == other:
            return f"differs in message {i} ({role}) in the tools that it calls"
        at = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
        at = min(len(one), len(other)) if at is None else at
        begin = max(0, at - 10)
        return (
            f"differs in message {i} ({role}) from character {at}: "
            f"{one[begin : begin + _QUOTED_CHARS]!r} there, "
            f"{other[begin : begin + _QUOTED_CHARS]!r} here"
        )
    if len(said) != len(asked):
        return f"has {len(said)} messages, here there are {len(asked)}"
    return f"has other sampling: {call['sampling']} there, {wanted['sampling']} here"


def _same_at_start(one: Sequence[Any], other: Sequence[Any]) -> int:
    for i, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return i
    return min(len(one), len(other))
