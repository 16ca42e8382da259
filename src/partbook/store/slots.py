"""The files that journals are written to: each is one run's at a time, and the next run's after it.

Making and removing a file costs more than all that is written into it, so a process empties its
files and uses them again. Each is locked until the process ends in whatever way: a journal in an
unlocked file is one that nobody writes any more.
"""

import fcntl
import os
import secrets
from collections import deque
from contextlib import suppress
from dataclasses import dataclass

__all__ = ["Slot", "Slots"]


@dataclass(slots=True)
class Slot:
    """One locked file, open for appending."""

    path: str
    descriptor: int
    size: int = 0
    """Bytes of whole lines in it."""
    reusable: bool = True
    """False: it bears the name of its run, and is removed with it."""

    def append(self, data: bytes) -> None:
        """Write all of it or nothing: what was cut off is taken back.

        Raises:
            OSError: nothing was written.
        """
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self.descriptor, rest) :]
        except OSError:
            os.ftruncate(self.descriptor, self.size)
            raise
        self.size += len(data)

    def close(self) -> None:
        """Let go of the file, and leave what is in it."""
        os.close(self.descriptor)

    def remove(self) -> None:
        """Remove the file."""
        with suppress(FileNotFoundError):
            os.unlink(self.path)
        self.close()


class Slots:
    """The files of one process in one folder. `give_back` may be called in any thread."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._free: deque[Slot] = deque()
        self._closed = False

    def take(self, run_id: str | None = None) -> Slot:
        """An empty file.

        Args:
            run_id: makes a new file with this name, so that no two processes get one.

        Raises:
            FileExistsError: another process has the file of this run.
            OSError: no file can be made.
        """
        if run_id is not None:
            return self._create(run_id, reusable=False)
        try:
            return self._free.popleft()
        except IndexError:
            return self._create(secrets.token_hex(8), reusable=True)

    def give_back(self, slot: Slot) -> None:
        """Empty a file, for its run needs it no longer."""
        if not slot.reusable or self._closed:
            slot.remove()
            return
        os.ftruncate(slot.descriptor, 0)
        slot.size = 0
        self._free.append(slot)

    def close(self) -> None:
        """Remove the empty files. Those in use stay, and go once they are given back."""
        self._closed = True
        while self._free:
            self._free.popleft().remove()

    def _create(self, name: str, *, reusable: bool) -> Slot:
        path = f"{self.folder}/{name}.jsonl"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL
        try:
            descriptor = os.open(path, flags, 0o600)
        except FileNotFoundError:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            descriptor = os.open(path, flags, 0o600)
        try:
            # Waits, for whoever lists the runs holds it for a moment.
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError:
            os.close(descriptor)
            raise
        return Slot(path, descriptor, reusable=reusable)
