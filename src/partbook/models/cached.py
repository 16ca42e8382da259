"""Cached: a ChatModel that gives the same answer to the same call without making it again.

A call is the same where the same model is asked the same messages with the same sampling. Only
whole answers are kept: a truncated or filtered one, or a failure, may go better the next time. A
kept answer takes no tokens, costs nothing and counts as no call; the trace marks it. Whoever wants
several different answers to one question gives each call its own seed, or no cache.
"""

import asyncio
import json
import logging
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from weakref import WeakValueDictionary

from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import ChatModel, OnText
from partbook.models.call_json import (
    BROKEN,
    call_key,
    call_to_dict,
    completion_from_dict,
    completion_to_dict,
)
from partbook.models.registry import cache_dir

__all__ = ["Cached", "CompletionCache", "completions_dir"]

log = logging.getLogger(__name__)

MAX_BYTES = 16 * 2**20
"""A longer file is not one of ours."""


def completions_dir() -> Path:
    """The folder of kept answers: `completions` inside the cache folder."""
    return cache_dir() / "completions"


class CompletionCache:
    """Answers in files, each named by the hash of its call; several programs may share them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """The file of an answer."""
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Completion | None:
        """The kept answer; None where there is none, or none that can be read."""
        try:
            with self.path(key).open("rb") as file:
                data = file.read(MAX_BYTES + 1)
            return completion_from_dict(json.loads(data)) if len(data) <= MAX_BYTES else None
        except FileNotFoundError:
            return None
        except (OSError, *BROKEN) as err:
            log.warning("a kept answer cannot be read: %s: %s", self.path(key), err)
            return None

    def put(self, key: str, completion: Completion) -> None:
        """Keep an answer, whole or not at all; where that fails, it is only not kept."""
        path = self.path(key)
        written = None
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, written = tempfile.mkstemp(dir=path.parent, suffix=".part")
            with open(descriptor, "w", encoding="ascii") as file:
                json.dump(completion_to_dict(completion), file)
            os.replace(written, path)
        except OSError as err:
            log.warning("an answer cannot be kept: %s: %s", path, err.strerror)
            if written is not None:
                with suppress(OSError):
                    os.unlink(written)


class Cached:
    """A ChatModel in front of which a cache stands."""

    def __init__(self, model: ChatModel, cache: CompletionCache, who: Mapping[str, str]) -> None:
        """Put a cache before a model.

        Args:
            model: who is asked where no answer is kept.
            cache: where answers are kept.
            who: what tells this model from others: kind, endpoint, model.
        """
        self._model = model
        self._cache = cache
        self._who = dict(who)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message; the same call at the same time is made once.

        Raises:
            WorkerError: of the model.
        """
        key = call_key(self._who, call_to_dict(messages, sampling))
        async with self._turns.setdefault(key, asyncio.Lock()):
            kept = await asyncio.to_thread(self._cache.get, key)
            if kept is None:
                completion = await self._model.chat(messages, sampling, on_text)
                if completion.finish_reason == "stop" and completion.text.strip():
                    await asyncio.to_thread(self._cache.put, key, completion)
                return completion
        if on_text is not None:
            on_text(kept.text)
        return replace(kept, usage=Usage(), cached=True)
