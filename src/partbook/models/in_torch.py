"""TorchModel: a ChatModel on PyTorch inside this process, through the package `transformers`.

For weights as they are published: a folder, or an id of the Hugging Face hub, whose files the
library fetches and keeps. Code that comes with weights is never run, and only `safetensors` files
are read, which hold numbers and nothing else.

A model is loaded at its first chat. Calls block, so they run one after another in a thread of the
model's own. A model without a chat template goes on with the text of the messages as it is.

What it does not do: `Sampling.grammar` and `reasoning_effort` are not used; what is None there is
the choice of the model's own `generation_config.json`. It is slower on a CPU than llama.cpp.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

from partbook.errors import ConfigError, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import OnText

try:
    import torch
    from jinja2.exceptions import TemplateError
    from transformers import (
        AutoModelForCausalLM,
        AutoTokenizer,
        PreTrainedModel,
        PreTrainedTokenizerBase,
        StoppingCriteria,
        StoppingCriteriaList,
    )
    from transformers.utils import logging
except ImportError as error:
    raise ConfigError(
        f"models of the Hugging Face hub need {error.name}: pip install 'partbook[train]'"
    ) from error

__all__ = ["TorchModel"]

_UNFINISHED = "\ufffd"
"""What a character that is not yet complete is decoded to."""


class TorchModel:
    """One model in this process. Safe to use from several tasks at once; they wait in turn."""

    def __init__(self, where: str) -> None:
        """Name it; nothing is read yet.

        Args:
            where: a folder, or `owner/name` on the hub.
        """
        self.where = where
        self._name = Path(where).name
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=self._name)
        self._loaded: _Loaded | None = None
        self._closed = Event()

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message, or go on with it if it is the assistant's.

        Cancelling stops the generation within one token, and waits for that.

        Raises:
            ConfigError: the model cannot be loaded.
            WorkerError: the conversation does not fit or the model's template refuses it.
        """
        loop = asyncio.get_running_loop()
        stop = Event()

        def tell(piece: str) -> None:
            if on_text is not None:
                loop.call_soon_threadsafe(on_text, piece)

        def answered() -> Completion:
            if self._loaded is None:
                self._loaded = _Loaded(self.where, self._name)
            return self._loaded.chat(messages, sampling, tell, (stop, self._closed))

        if self._closed.is_set():
            raise WorkerError(f"model {self._name} is closed")
        job = self._thread.submit(answered)
        answer = asyncio.wrap_future(job)
        try:
            completion = await asyncio.shield(answer)
        finally:
            stop.set()
            if not job.cancel() and not answer.done():
                await asyncio.wait([answer])
            # Asked here so that asyncio does not warn about an error that a cancelled call leaves.
            _ = answer.cancelled() or answer.exception()
        # The pieces were handed to the loop before the answer was, so all of them have arrived.
        return completion

    async def aclose(self) -> None:
        """Stop what runs, wait for it, and free the memory. A second call does nothing."""
        self._closed.set()
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)
        self._loaded = None


class _Loaded:
    """A loaded model. Its calls block and come from one thread."""

    def __init__(self, where: str, name: str) -> None:
        self._name = name
        # Standard error is the caller's.
        logging.set_verbosity_error()  # type: ignore[no-untyped-call]
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        on_gpu = torch.cuda.is_available()
        try:
            self._tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(where)
            model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
                where, dtype="auto" if on_gpu else torch.float32, use_safetensors=True
            )
        except (OSError, ValueError, KeyError, ImportError) as err:
            raise ConfigError(
                f"cannot open the model {where!r}: a folder or an id of the Hugging Face hub with "
                f"config.json, a tokenizer and safetensors weights was expected: {err}"
            ) from err
        self._model = model.to("cuda" if on_gpu else "cpu").eval()  # type: ignore[arg-type]
        self._window = int(getattr(model.config, "max_position_embeddings", 0) or 0)

    def chat(
        self,
        messages: Sequence[Message],
        sampling: Sampling,
        tell: Callable[[str], None],
        stops: Sequence[Event],
    ) -> Completion:
        """Answer; any of `stops`, once set, ends it."""
        tokens = self._tokenizer(
            self._prompt(messages), return_tensors="pt", add_special_tokens=False
        ).input_ids.to(self._model.device)
        read = int(tokens.shape[1])
        room = sampling.max_tokens if not self._window else self._window - read
        if room < 1:
            raise WorkerError(
                f"model {self._name}: the messages have {read} tokens, a conversation has room "
                f"for {self._window}: shorten them",
                usage=Usage(),
                kind="context",
            )
        most = min(sampling.max_tokens, room)
        watch = _Watch(self._tokenizer, read, tell, stops, sampling.stop)
        with torch.no_grad(), torch.random.fork_rng():
            if sampling.seed is not None:
                torch.manual_seed(sampling.seed)
            written = self._model.generate(
                tokens,
                attention_mask=torch.ones_like(tokens),
                max_new_tokens=most,
                pad_token_id=self._tokenizer.pad_token_id or self._tokenizer.eos_token_id,
                stopping_criteria=StoppingCriteriaList([watch]),
                **_draws(sampling),
            )
        count = int(written.shape[1]) - read
        text = watch.finish(written[0])
        is_full = count == most and not watch.has_ended and not self._is_end(int(written[0, -1]))
        return Completion(text, Usage(read, count), self._name, "length" if is_full else "stop")

    def _prompt(self, messages: Sequence[Message]) -> str:
        if self._tokenizer.chat_template is None:
            return "\n\n".join(message.text for message in messages)
        goes_on = messages[-1].role == "assistant"
        turns = [{"role": message.role, "content": message.text} for message in messages]
        try:
            return str(
                self._tokenizer.apply_chat_template(
                    turns,
                    tokenize=False,
                    add_generation_prompt=not goes_on,
                    continue_final_message=goes_on,
                )
            )
        except (TemplateError, ValueError) as err:
            raise WorkerError(
                f"model {self._name}: its chat template refuses the messages: {err}", usage=Usage()
            ) from err

    def _is_end(self, token: int) -> bool:
        config = self._model.generation_config
        ends: Any = None if config is None else config.eos_token_id
        known = ends if isinstance(ends, list) else [ends]
        return token in known or token == self._tokenizer.eos_token_id


class _Watch(StoppingCriteria):
    """Looks at the text after every token: tells what is new, and ends it where it should."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        start: int,
        tell: Callable[[str], None],
        stops: Sequence[Event],
        ends: Sequence[str],
    ) -> None:
        self._tokenizer = tokenizer
        self._start = start
        self._tell = tell
        self._stops = stops
        self._ends = ends
        self._told = ""
        self.has_ended = False
        """Whether one of the texts was met at which the completion ends."""

    def __call__(
        self, input_ids: torch.LongTensor, scores: torch.FloatTensor, **kwargs: Any
    ) -> torch.BoolTensor:
        """Whether to stop, after each token."""
        text = self._text(input_ids[0])
        if not text.endswith(_UNFINISHED) and not self._ends:
            self._tell_rest(text)
        stop = self.has_ended or any(event.is_set() for event in self._stops)
        return torch.tensor([stop], device=input_ids.device)  # type: ignore[return-value]

    def finish(self, tokens: torch.Tensor) -> str:
        """The whole text, once it is written."""
        text = self._text(tokens)
        self._tell_rest(text)
        return text

    def _text(self, tokens: torch.Tensor) -> str:
        text = str(self._tokenizer.decode(tokens[self._start :], skip_special_tokens=True))
        found = [text.index(end) for end in self._ends if end in text]
        self.has_ended = bool(found)
        return text[: min(found)] if found else text

    def _tell_rest(self, text: str) -> None:
        if len(text) > len(self._told) and text.startswith(self._told):
            self._tell(text[len(self._told) :])
            self._told = text


def _draws(sampling: Sampling) -> dict[str, Any]:
    """The options of `generate` that say how the next token is chosen."""
    if sampling.temperature is None and sampling.top_p is None:
        return {}
    if sampling.temperature == 0:
        return {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
    return {"do_sample": True, "temperature": sampling.temperature, "top_p": sampling.top_p}
