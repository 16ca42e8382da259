"""CallLog: every call of an evaluation, so that none is paid twice and the run's limit holds.

A cell that was cut short is played again from its beginning, and the calls that it had made are
answered from here. A call that was begun and has no end may have been billed: its worst case counts
against the limit of the whole run. What was asked is kept as a hash, what was answered in full.

A shared log also answers a call that another cell has made alike, where the same answer was to be
expected: the call is made once, and counts in full for each system.
"""

import asyncio
import gzip
import json
import os
import zlib
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Self
from weakref import WeakValueDictionary

from partbook.budget import worst_case
from partbook.errors import BudgetError, ConfigError, WorkerError
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText
from partbook.models.call_json import (
    BROKEN,
    call_key,
    call_to_dict,
    completion_from_dict,
    completion_to_dict,
)
from partbook.price import EXACT, Price
from partbook.spend_json import money, money_from
from partbook.stage import cost_of

__all__ = ["CALLS", "CallLog", "Kept", "wanted_but"]

CALLS = "calls.jsonl"

Wanted = Callable[[str], bool]
"""Whether the answers of a cell, by the text of its key, will be needed."""


class CallLog:
    """The calls of an evaluation; close it."""

    def __init__(self, path: Path, shared: bool = False) -> None:
        self._path = path
        self.shared = shared
        """Whether calls of workers that two cells make alike are made once."""
        self._common: dict[tuple[str, str], Completion] = {}
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._answers: dict[tuple[str, str, str], deque[Completion]] = {}
        self._open: dict[int, Decimal] = {}
        self._ended_usd = Decimal(0)
        self._next = 0
        self._descriptor: int | None = None
        self.replayed = 0
        """Calls that were answered from here and not made."""

    @classmethod
    def open(cls, folder: Path, wanted: Wanted, shared: bool = False) -> Self:
        """Begin a log, or go on with one.

        Args:
            folder: where its file is, or will be.
            wanted: says of which cells the answers are kept in memory.
            shared: whether calls of workers that two cells make alike are made once.

        Raises:
            ConfigError: it cannot be written, or is damaged.
        """
        log = cls(folder / CALLS, shared)
        log.load(wanted)
        try:
            log._descriptor = os.open(log._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            size = os.fstat(log._descriptor).st_size
            if size and os.pread(log._descriptor, 1, size - 1) != b"\n":
                os.write(log._descriptor, b"\n")  # ends the half line of a killed process
        except OSError as err:
            raise ConfigError(f"cannot write {log._path}: {err.strerror or err}") from err
        return log

    @property
    def lost(self) -> int:
        """Calls that were begun by a process that was killed: they may have been billed."""
        return len(self._open)

    @property
    def spent_usd(self) -> Decimal:
        """What all calls of earlier processes took at most."""
        return EXACT.add(self._ended_usd, sum(self._open.values(), Decimal(0)))

    def load(self, wanted: Wanted, path: Path | None = None) -> None:
        """Read the log, or another one whose answers are to be given again.

        What the calls of another log cost was paid in another evaluation, and is not counted.

        Raises:
            ConfigError: it is damaged.
        """
        file = path or self._path
        try:
            lines = _content(file).split(b"\n")
        except FileNotFoundError as err:
            if path is None:
                return
            raise ConfigError(f"no calls of an evaluation in {path.parent}") from err
        except (EOFError, OSError, zlib.error) as err:
            raise ConfigError(f"cannot read {file}: {err}") from err
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                taken = json.loads(line)
                if path is None:
                    self._count(taken)
                self._take(taken, wanted)
            except BROKEN as err:
                if number >= len(lines) - 1 or not line.endswith(b"}"):
                    continue  # cut off when its process was killed
                raise ConfigError(f"{file}, line {number} is damaged: {err!r}") from err

    def close(self) -> None:
        """End it. A second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def take(self, cell: str, worker: str, call: str) -> Completion | None:
        """The answer to a call that the cell has made before; each is given once."""
        waiting = self._answers.get((cell, worker, call))
        if not waiting:
            return None
        self.replayed += 1
        return waiting.popleft()

    def turn(self, worker: str, call: str) -> asyncio.Lock:
        """Held by whoever makes a shared call, so that others wait for the answer."""
        return self._turns.setdefault((worker, call), asyncio.Lock())

    def common(self, worker: str, call: str) -> Completion | None:
        """The answer to a call that any cell has made before."""
        found = self._common.get((worker, call))
        self.replayed += found is not None
        return found

    def begin(self, worst_usd: Decimal | None) -> int:
        """Note that a call is about to be made; returns its number."""
        number, self._next = self._next, self._next + 1
        if worst_usd:
            self._write({"begin": number, "worst_usd": money(worst_usd)})
        return number

    def end(
        self,
        number: int,
        usd: Decimal | None,
        said: tuple[str, str, str] | None = None,
        completion: Completion | None = None,
    ) -> None:
        """Note how a call ended.

        Args:
            number: as `begin` returned it.
            usd: what it cost; None: unknown.
            said: cell, worker and call, where there is an answer.
            completion: the answer.
        """
        line: dict[str, Any] = {"end": number, "usd": money(usd)}
        if said is not None and completion is not None:
            line |= {"call": list(said), "completion": completion_to_dict(completion)}
            if self.shared:
                self._common[said[1:]] = completion
        self._write(line)

    def _write(self, line: Mapping[str, Any]) -> None:
        assert self._descriptor is not None, "this log was opened for reading"
        rest = memoryview((json.dumps(line, separators=(",", ":")) + "\n").encode())
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as err:
            raise ConfigError(f"cannot write {self._path}: {err.strerror or err}") from err

    def _count(self, line: Mapping[str, Any]) -> None:
        if "begin" in line:
            self._next = max(self._next, line["begin"] + 1)
            self._open[line["begin"]] = money_from(line["worst_usd"]) or Decimal(0)
            return
        self._next = max(self._next, line["end"] + 1)
        worst = self._open.pop(line["end"], Decimal(0))
        usd = money_from(line["usd"])
        self._ended_usd = EXACT.add(self._ended_usd, worst if usd is None else usd)

    def _take(self, line: Mapping[str, Any], wanted: Wanted) -> None:
        if "call" not in line:
            return
        cell, worker, call = line["call"]
        is_wanted = wanted(cell)
        if not is_wanted and not self.shared:
            return
        completion = completion_from_dict(line["completion"])
        if self.shared:
            self._common[worker, call] = completion
        if is_wanted:
            self._answers.setdefault((cell, worker, call), deque()).append(completion)


def _content(file: Path) -> bytes:
    """What stands in a log; a recording may be compressed."""
    packed = file.with_name(f"{file.name}.gz")
    if not file.exists() and packed.exists():
        return gzip.decompress(packed.read_bytes())
    return file.read_bytes()


def wanted_but(finished: Collection[str]) -> Wanted:
    """All cells but those that are finished."""
    return lambda cell: cell not in finished


@dataclass(frozen=True, slots=True)
class Kept:
    """A ChatModel whose answers are kept for one cell, and taken from there first."""

    model: ChatModel
    log: CallLog
    cell: str
    worker: str
    price: Price | None
    is_tool: bool
    on_refused: Callable[[BudgetError], None]
    """Told when the limit of the whole run forbade a call."""
    shareable: bool = False
    """Whether another cell's answer to the same call will do, where the log is shared."""

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """As `ChatModel.chat`.

        Raises:
            BudgetError: the limit of the whole run forbade the call.
        """
        said = (self.cell, self.worker, call_key({}, call_to_dict(messages, sampling))[:32])
        known = self.log.take(*said)
        if known is not None:
            return known
        # Samples that are drawn differ from each other, however alike they are asked for.
        is_alike = self.is_tool or sampling.temperature == 0
        if not (self.log.shared and self.shareable and is_alike):
            return await self._made(said, messages, sampling, on_text)
        async with self.log.turn(*said[1:]):
            known = self.log.common(*said[1:])
            return known or await self._made(said, messages, sampling, on_text)

    async def _made(
        self,
        said: tuple[str, str, str],
        messages: Sequence[Message],
        sampling: Sampling,
        on_text: OnText | None,
    ) -> Completion:
        number = self.log.begin(self._worst(messages, sampling))
        try:
            completion = await self.model.chat(messages, sampling, on_text)
        except WorkerError as err:
            self.log.end(number, cost_of(err.usage, self.price))
            raise
        except BudgetError as err:
            self.log.end(number, Decimal(0))
            self.on_refused(err)
            raise
        self.log.end(number, cost_of(completion.usage, self.price), said, completion)
        return completion

    def _worst(self, messages: Sequence[Message], sampling: Sampling) -> Decimal | None:
        return None if self.is_tool else worst_case(messages, sampling, self.price)[1]
