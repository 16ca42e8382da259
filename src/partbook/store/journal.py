"""Journal: what one run has done so far, in a file that outlives the process.

What was paid for is one write of whole lines, made before its event goes any further. The operating
system has it then, so `kill -9` at any moment loses nothing; the power going off may lose the last
moments. What follows from these lines is not written, for each write costs: a step begins as soon
as what it reads is there, and a run whose every step is answered is answered.

It is a file beside the store and not a table in it, because an append costs far less than a commit
and waits for nobody: neither a locked nor a slow database holds up a run. The file is emptied once
the whole run is in the store. Which file it is, is left to `slots.py`, finding and reading journals
to `unfinished.py`.
"""

import json
import logging
from typing import Any

from partbook.errors import StoreError
from partbook.event import (
    Event,
    Planned,
    Proposed,
    RoundStarted,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
)
from partbook.resume import recall
from partbook.store.slots import Slot, Slots
from partbook.trace import Trace, TraceBuilder
from partbook.trace_json import proposal_to_dict, step_to_dict, workflow_to_dict

__all__ = ["JOURNAL_VERSION", "Journal"]

log = logging.getLogger(__name__)

JOURNAL_VERSION = 1

# Pure ASCII, as in the store: a model may write what UTF-8 cannot hold.
_encode = json.JSONEncoder(separators=(",", ":")).encode


class Journal:
    """Writes the journal of one run. `add` is what `conduct` wants as its `journal`."""

    def __init__(self, slots: Slots, setup: str = "null") -> None:
        """Prepare a journal; it takes its file when the run begins.

        Args:
            slots: the store's.
            setup: JSON of whatever is needed to take the run up again.
        """
        self._slots = slots
        self._setup = setup
        self._slot: Slot | None = None
        self._waiting: list[str] = []
        self._open: dict[tuple[int, int], StepStarted] = {}
        """Steps that began and of which no line tells."""
        self._goes_on = False
        self._builder = TraceBuilder()
        self._broken = False

    @classmethod
    def of_earlier(cls, slots: Slots, earlier: Trace, setup: str) -> "Journal":
        """A new journal of a run that had done something before.

        Raises:
            StoreError: it could not be written, or somebody else plays the run.
        """
        journal = cls(slots, setup)
        try:
            journal._slot = slots.take(earlier.run_id)
        except FileExistsError as err:
            raise StoreError(f"run {earlier.run_id} is being played by another process") from err
        except OSError as err:
            raise _cannot_write(slots.folder, err) from err
        journal.add(_started(earlier))
        for event in recall(earlier):
            journal._take(event)
        journal._flush()
        return journal

    @classmethod
    def reopened(cls, slots: Slots, slot: Slot, earlier: Trace) -> "Journal":
        """A journal that is there already: its file, and what it says."""
        journal = cls(slots)
        journal._slot, journal._goes_on = slot, True
        journal._builder.add(_started(earlier))
        for event in recall(earlier):
            journal._builder.add(event)
        return journal

    def add(self, event: Event) -> None:
        """Keep an event; when this returns, the end of this process loses nothing of it.

        Raises:
            StoreError: it could not be written. What was written before stays readable, and
                nothing is written after it. The last event of a run raises nothing: what it says
                is about to be kept in the store itself.
        """
        self._take(event)
        if self._waiting and not isinstance(event, RunStarted):
            self._flush(quietly=isinstance(event, RunFinished))

    def close(self) -> None:
        """Let go of the file, and leave it for whoever takes the run up again."""
        if self._slot is not None:
            self._slot.close()
            self._slot = None

    def discard(self) -> None:
        """Give the file back: the whole run is in the store. May be called in any thread."""
        if self._slot is not None:
            self._slots.give_back(self._slot)
            self._slot = None

    def _take(self, event: Event) -> None:
        """Turn an event into lines that wait to be written."""
        builder, lines = self._builder, self._waiting
        builder.add(event)
        match event:
            case StepStarted():
                self._open[event.round, event.step] = event
                if self._goes_on:  # the file may hold an end that is none any more
                    lines.append(_begun(event))
            case StepRetried() | StepFinished():
                self._open.pop((event.round, event.step), None)
                # The step as it is now; the last line about a step is the one that counts.
                step = step_to_dict(builder.step(event.round, event.step))
                lines.append(_encode({"round": event.round, "step": step}))
            case Proposed():
                lines.append(_encode({"round": event.round, "proposal": proposal_to_dict(event)}))
            case Planned():
                lines.append(_encode(_planned_to_dict(event)))
            case RoundStarted():
                lines.append(_encode({"round": event.round}))
            case RunStarted():
                lines.append(self._header(event))
            case RunFinished() if event.status != "answered":
                lines.extend(map(_begun, self._open.values()))
                end = [event.status, event.seconds, event.reason, event.detail]
                lines.append(_encode({"end": end}))
            case _:
                pass

    def _header(self, event: RunStarted) -> str:
        head = {
            "journal": JOURNAL_VERSION,
            "run_id": event.run_id,
            "question": event.question,
            "pool": event.pool,
            "workers": event.workers,
            "started_at": event.at,
        }
        return f'{_encode(head)[:-1]},"setup":{self._setup}}}'

    def _flush(self, *, quietly: bool = False) -> None:
        lines, self._waiting = self._waiting, []
        if self._broken:
            return
        data = "".join(f"{line}\n" for line in lines).encode()
        try:
            if self._slot is None:
                self._slot = self._slots.take()
            self._slot.append(data)
        except OSError as err:
            self._broken = True
            failure = _cannot_write(self._slots.folder, err)
            if not quietly:
                raise failure from err
            log.warning("%s", failure)


def _cannot_write(folder: str, err: OSError) -> StoreError:
    return StoreError(
        f"a journal in {folder} cannot be written: {err.strerror}; what was written before is "
        "kept, see `partbook runs`"
    )


def _started(trace: Trace) -> RunStarted:
    return RunStarted(trace.run_id, trace.question, trace.pool, trace.workers, trace.started_at)


def _begun(event: StepStarted) -> str:
    # Without its messages: they follow from the workflow and the answers before it.
    return _encode({"round": event.round, "begun": [event.step, event.worker, event.at_s]})


def _planned_to_dict(event: Planned) -> dict[str, Any]:
    return {
        "round": event.round,
        "workflow": workflow_to_dict(event.workflow),
        "source": event.source,
        "name": event.name,
    }
