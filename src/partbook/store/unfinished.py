"""Finds the journals of runs that did not come to their end, and takes them over.

A process that was killed leaves its journal behind; how one is read is left to `journal_reader.py`.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from partbook.errors import StoreError
from partbook.store.journal import Journal
from partbook.store.journal_reader import Unfinished, read_journal
from partbook.store.slots import Slot, Slots

__all__ = ["claim", "is_played", "unfinished_runs"]


def unfinished_runs(folder: str, beginning: str = "") -> Iterator[Unfinished]:
    """What the journals of a folder say, in no order; damaged ones are left out.

    Args:
        folder: `journal_folder` of the store; it need not exist.
        beginning: only of runs whose id begins so.
    """
    for path in Path(folder).glob("*.jsonl"):
        with suppress(StoreError):
            found = read_journal(path)
            if found is not None and found.trace.run_id.startswith(beginning):
                yield found


def is_played(path: Path) -> bool:
    """Whether a process has this journal at this moment."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def claim(slots: Slots, run_id: str) -> tuple[Journal, Unfinished] | None:
    """Take a run's journal over, so that nobody else goes on with it; None where there is none.

    Files that a process left empty are removed on the way.

    Raises:
        StoreError: the run is being played, or its journal cannot be read.
    """
    for path in Path(slots.folder).glob("*.jsonl"):
        head = _head(path)
        if head is None or not _may_be_of(head, run_id):
            continue
        slot = _locked(path)
        if slot is None:
            if (head := _head(path)) and _may_be_of(head, run_id):
                raise StoreError(f"run {run_id} is being played by another process")
            continue
        try:
            found = read_journal(path)
            if found is None or found.trace.run_id != run_id:
                slot.remove() if found is None else slot.close()
                continue
            os.ftruncate(slot.descriptor, found.size)
            slot.size = found.size
        except BaseException:
            slot.close()
            raise
        return Journal.reopened(slots, slot, found.trace), found
    return None


def _head(path: Path) -> bytes | None:
    """A journal's first line, as far as it is written; None: it cannot be read, or is gone."""
    try:
        with path.open("rb") as file:
            return file.readline()
    except OSError:
        return None


def _may_be_of(head: bytes, run_id: str) -> bool:
    """Whether a journal's first line names the run, or is not whole."""
    return not head.endswith(b"\n") or f'"run_id":"{run_id}"'.encode() in head


def _locked(path: Path) -> Slot | None:
    """The file, locked; None where another process has it, or it is gone."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    except FileNotFoundError:
        return None
    except OSError as err:
        raise StoreError(f"the journal {path} cannot be opened: {err.strerror}") from err
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        gone = os.fstat(descriptor).st_nlink == 0
    except BlockingIOError:
        gone = True
    except OSError as err:
        os.close(descriptor)
        raise StoreError(f"the journal {path} cannot be locked: {err.strerror}") from err
    if gone:
        os.close(descriptor)
        return None
    return Slot(str(path), descriptor, reusable=False)
