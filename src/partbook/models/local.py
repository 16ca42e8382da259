"""LocalModel: a ChatModel on llama.cpp inside this process.

A model is loaded at its first chat and answers up to `slots` conversations at once, which llama.cpp
computes in one batch. Its calls block, so each runs in a thread of the model's own. Where the last
message is the assistant's, the model goes on with that text and the completion is what it adds.

What it does not do:
- Loading holds Python's interpreter lock (2 to 11 seconds measured for a file of 1.1 GB), and
  nothing else in the process runs meanwhile. `load()` does it at a time of the caller's choosing.
- Marks of the chat format (`<|im_end|>`) inside a message's text are read as marks, so a text can
  pretend to be another turn.
- The same seed gives the same text only for the same history of calls: what a slot has cached
  changes the batches and with them the last bits.
- `Sampling.reasoning_effort` is not used. What is None there is llama.cpp's own choice
  (temperature 0.8, top-p 0.95); its top-k 40 and min-p 0.05 always hold.
- llama.cpp opens a port on loopback by itself. Beyond "alive" it answers only to a random
  key that is not kept.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import Self

from partbook.errors import WorkerError
from partbook.message import Completion, Message, Sampling
from partbook.model import OnText
from partbook.models.llama import Llama, LocalSpec

__all__ = ["LocalModel", "LocalModels", "LocalSpec"]


class LocalModel:
    """One model in this process. Safe to use from several tasks at once."""

    def __init__(self, spec: LocalSpec) -> None:
        self.spec = spec
        self._threads = ThreadPoolExecutor(spec.slots, thread_name_prefix=spec.path.stem)
        self._loading = Lock()
        self._llama: Llama | None = None
        self._closed = Event()

    async def load(self) -> None:
        """Load the weights now instead of at the first chat.

        Raises:
            ConfigError: llama.cpp is not installed or cannot load the file.
            WorkerError: the model was closed.
        """
        self._refuse_closed()
        await asyncio.wrap_future(self._threads.submit(self._loaded))

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message, or go on with it if it is the assistant's.

        Cancelling stops the generation, within one token or one batch of the prompt, and waits
        for that.

        Raises:
            ConfigError: the model cannot be loaded.
            WorkerError: the conversation does not fit, llama.cpp refused the request, or the model
                was closed.
        """
        self._refuse_closed()
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        cancelled = Event()

        def finished(answer: asyncio.Future[Completion]) -> None:
            # Asked here so that asyncio does not warn about an error that a cancelled call leaves.
            _ = answer.cancelled() or answer.exception()
            pieces.put_nowait(None)

        def tell(piece: str) -> None:
            loop.call_soon_threadsafe(pieces.put_nowait, piece)

        def answered() -> Completion:
            return self._loaded().chat(messages, sampling, tell, (cancelled, self._closed))

        job = self._threads.submit(answered)
        answer = asyncio.wrap_future(job)
        answer.add_done_callback(finished)
        try:
            while (piece := await pieces.get()) is not None:
                if on_text is not None:
                    on_text(piece)
        finally:
            cancelled.set()
            if not job.cancel() and not answer.done():
                await asyncio.wait([answer])
        self._refuse_closed()
        return answer.result()

    async def aclose(self) -> None:
        """Stop what runs, wait for it, and free the memory. A second call does nothing."""
        self._closed.set()
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        self._llama = None

    def _loaded(self) -> Llama:
        """The model itself, loaded once; called in a thread of this model."""
        with self._loading:
            if self._llama is None:
                self._llama = Llama(self.spec)
            return self._llama

    def _refuse_closed(self) -> None:
        if self._closed.is_set():
            raise WorkerError(f"local model {self.spec.path.stem} is closed")


class LocalModels:
    """Hands out loaded models, one for all workers with an equal spec, and closes them."""

    def __init__(self) -> None:
        self._models: dict[LocalSpec, LocalModel] = {}

    def get(self, spec: LocalSpec) -> LocalModel:
        """The model of this spec; it is loaded at its first chat."""
        return self._models.setdefault(spec, LocalModel(spec))

    async def aclose(self) -> None:
        """Close all models that were handed out."""
        while self._models:
            _, model = self._models.popitem()
            await model.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
