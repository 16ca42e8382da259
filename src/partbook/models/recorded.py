"""Recordings: every call of a run with what came of it, and models that answer from them.

A recording is a folder with two files: `manifest.json` says who was asked, `calls.jsonl` has a line
for each call, tries that failed and tools included. A replay needs no network, no key and no model.
The same call may be in it several times; a replay gives the outcomes in their order, each once.
What is recorded is what was said and what came back: no endpoint, no header, no key.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from partbook.errors import StoreError, WorkerError
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText
from partbook.models.call_json import call_to_dict, completion_to_dict, error_to_dict
from partbook.pool import WorkerSpec

__all__ = ["CALLS", "MANIFEST", "RECORDING_VERSION", "Recorded", "Recording", "described"]

RECORDING_VERSION = 1

MANIFEST = "manifest.json"
CALLS = "calls.jsonl"


def described(workers: Iterable[WorkerSpec]) -> dict[str, str]:
    """Kind and model of each worker, by its name: what a recording says about a pool."""
    return {spec.name: f"{spec.kind} {spec.model}".strip() for spec in workers}


class Recording:
    """A folder that calls are written to; close it, and hear whether it is whole."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        self._folder = folder
        self._descriptor = descriptor
        self._error: OSError | None = None

    @classmethod
    def open(cls, folder: Path, pool: str, workers: Mapping[str, str]) -> Self:
        """Make the folder, or go on with a recording of the same pool.

        Args:
            folder: empty, not there yet, or a recording.
            pool: name of the pool.
            workers: `described`, of all the pool's workers.

        Raises:
            StoreError: the folder is something else or another pool's recording, or cannot be
                written.
        """
        manifest = {
            "recording": RECORDING_VERSION,
            "partbook": version("partbook"),
            "pool": pool,
            "workers": dict(workers),
        }
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = folder / MANIFEST
            if path.exists():
                _check_same(folder, json.loads(path.read_bytes()), manifest)
            elif any(folder.iterdir()):
                raise StoreError(
                    f"{folder} holds something else than a recording; name an empty folder"
                )
            else:
                path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="ascii")
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            return cls(folder, os.open(folder / CALLS, flags, 0o600))
        except OSError as err:
            raise StoreError(f"cannot record into {folder}: {err.strerror}") from err
        except ValueError as err:
            raise StoreError(f"{folder / MANIFEST} is not JSON: {err}") from err

    def of(self, worker: str, model: ChatModel) -> "Recorded":
        """The model of a worker, every call of which is recorded."""
        return Recorded(self, worker, model)

    def write(self, worker: str, call: Mapping[str, Any], outcome: Mapping[str, Any]) -> None:
        """Add a call. Where that fails, the run goes on, and `close` says so."""
        if self._error is None:
            line = json.dumps({"worker": worker, **call, **outcome}, separators=(",", ":")) + "\n"
            rest = memoryview(line.encode())
            try:
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
            except OSError as err:
                self._error = err

    def close(self) -> None:
        """End the recording.

        Raises:
            StoreError: a call could not be written, so a replay will miss it.
        """
        os.close(self._descriptor)
        if self._error is not None:
            raise StoreError(
                f"the recording {self._folder} is not whole: {self._error.strerror}; a replay will "
                "miss what was asked later"
            ) from self._error


@dataclass(frozen=True, slots=True)
class Recorded:
    """A ChatModel whose calls are recorded."""

    recording: Recording
    worker: str
    model: ChatModel

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """As `ChatModel.chat`. A call that was given up by its caller is not recorded."""
        call = call_to_dict(messages, sampling)
        try:
            completion = await self.model.chat(messages, sampling, on_text)
        except WorkerError as err:
            self.recording.write(self.worker, call, {"error": error_to_dict(err)})
            raise
        answer = {"completion": completion_to_dict(completion)}
        self.recording.write(self.worker, call, answer)
        return completion


def _check_same(folder: Path, found: Any, wanted: Mapping[str, Any]) -> None:
    for what in ("recording", "pool", "workers"):
        there = found.get(what) if isinstance(found, dict) else None
        if there != wanted[what]:
            raise StoreError(
                f"{folder} is a recording with another {what!r} ({there!r}, here it is "
                f"{wanted[what]!r}); name an empty folder"
            )
