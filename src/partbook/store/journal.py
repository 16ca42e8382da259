"""Journal: what one run has done so far, in a file that outlives the process.

What was paid for is one write of whole lines, made before its event goes any further. The operating
system has it then, so `kill -9` at any moment loses nothing; the power going off may lose the last
moments. What follows from these lines is not written, for each write costs: a step begins as soon
as what it reads is there, and a run of one round whose every step is answered is answered.

It is a file beside the store and not a table in it, because an append costs far less than a commit
and waits for nobody: neither a locked nor a slow database holds up a run. The file is emptied once
the whole run is in the store. Which file it is, is left to `slots.py`, reading journals to
`journal_reader.py`, finding them to `unfinished.py`.

What a step came to is put into words once: the store takes the text that the journal wrote.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from partbook.errors import StoreError
from partbook.event import (
    AnswerChecked,
    Event,
    Planned,
    Proposed,
    RoundStarted,
    RoundUnanswered,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
)
from partbook.resume import recall
from partbook.round_json import check_to_dict, proposal_to_dict, step_to_json
from partbook.spend_json import to_json
from partbook.step_trace import step_trace
from partbook.store.slots import Slot, Slots
from partbook.trace import Trace
from partbook.trace_json import workflow_to_dict

__all__ = ["JOURNAL_VERSION", "Journal"]

log = logging.getLogger(__name__)

JOURNAL_VERSION = 1


class Journal:
    """Writes the journal of one run. `add` is what `conduct` wants as its `journal`."""

    __slots__ = (
        "_begun",
        "_broken",
        "_goes_on",
        "_open",
        "_rounds",
        "_setup",
        "_slot",
        "_slots",
        "_texts",
        "_tries",
        "_waiting",
    )

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
        self._begun: dict[tuple[int, int], StepStarted] = {}
        """Steps that have not ended."""
        self._tries: dict[tuple[int, int], list[StepRetried]] = {}
        """Of these steps, the tries that another one followed."""
        self._open: set[tuple[int, int]] = set()
        """Those of these steps of which no line tells."""
        self._texts: dict[tuple[int, int], str] = {}
        self._goes_on = False
        self._rounds = 1
        """The most rounds that the run may have."""
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
        journal._slot, journal._goes_on, journal._rounds = slot, True, earlier.most_rounds
        for event in recall(earlier):
            match event:
                case StepStarted():
                    journal._begin(event)
                case StepRetried() | StepFinished():
                    journal._words(event)
                case _:
                    pass
        return journal

    @property
    def steps(self) -> Mapping[tuple[int, int], str]:
        """What the steps came to that this journal was told of: their JSON by (round, step)."""
        return self._texts

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
        lines = self._waiting
        match event:
            case StepStarted():
                self._begin(event)
                self._open.add((event.round, event.step))
                if self._goes_on:  # the file may hold an end that is none any more
                    lines.append(_begun(event))
            case StepRetried() | StepFinished():
                # The step as it is now; the last line about a step is the one that counts.
                step = self._words(event)
                self._open.discard((event.round, event.step))
                lines.append(f'{{"round":{event.round},"step":{step}}}')
            case Proposed():
                lines.append(to_json({"round": event.round, "proposal": proposal_to_dict(event)}))
            case Planned():
                lines.append(to_json(_planned_to_dict(event)))
            case RoundStarted():
                inside = {} if event.parent is None else {"parent": event.parent}
                lines.append(to_json({"round": event.round} | inside))
            case RoundUnanswered():
                lines.extend(self._begun_lines())
                self._open.clear()
                why = [event.reason, event.detail]
                lines.append(to_json({"round": event.round, "unanswered": why}))
            case AnswerChecked():
                lines.append(to_json({"round": event.round, "check": check_to_dict(event)}))
            case RunStarted():
                self._rounds = event.rounds
                lines.append(self._header(event))
            case RunFinished() if event.status != "answered" or self._rounds > 1:
                lines.extend(self._begun_lines())
                end = [event.status, event.seconds, event.reason, event.detail]
                lines.append(to_json({"end": end}))
            case _:
                pass

    def _begin(self, event: StepStarted) -> None:
        key = event.round, event.step
        self._begun[key] = event
        self._texts.pop(key, None)  # it is taken up again: what was said of it no longer holds

    def _words(self, event: StepRetried | StepFinished) -> str:
        """JSON of the event's step as it is now."""
        key = event.round, event.step
        match event:
            case StepRetried():
                tries = self._tries.setdefault(key, [])
                tries.append(event)
                step = step_trace(self._begun[key], None, tries)
            case StepFinished():
                step = step_trace(self._begun.pop(key), event, self._tries.pop(key, ()))
        text = self._texts[key] = step_to_json(step)
        return text

    def _begun_lines(self) -> Iterator[str]:
        return (_begun(event) for key, event in self._begun.items() if key in self._open)

    def _header(self, event: RunStarted) -> str:
        head = {
            "journal": JOURNAL_VERSION,
            "run_id": event.run_id,
            "question": event.question,
            "pool": event.pool,
            "workers": event.workers,
            "started_at": event.at,
            "rounds": event.rounds,
        }
        return f'{to_json(head)[:-1]},"setup":{self._setup}}}'

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
    who = (trace.run_id, trace.question, trace.pool, trace.workers)
    return RunStarted(*who, trace.started_at, trace.most_rounds)


def _begun(event: StepStarted) -> str:
    # Without its messages: they follow from the workflow and the answers before it.
    return to_json({"round": event.round, "begun": [event.step, event.worker, event.at_s]})


def _planned_to_dict(event: Planned) -> dict[str, Any]:
    return {
        "round": event.round,
        "workflow": workflow_to_dict(event.workflow),
        "source": event.source,
        "name": event.name,
    }
