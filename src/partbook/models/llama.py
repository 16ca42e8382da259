"""llama.cpp inside this process, through the package `xllamacpp`: loading, and one blocking call.

Everything untyped of that package stays in this file. How calls run beside an event loop is left
to `local.py`. Requests and chunks are OpenAI's, with a few fields of llama.cpp's own.
"""

import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from partbook.errors import ConfigError, WorkerError
from partbook.message import Completion, FinishReason, Message, Sampling, Usage

try:
    import xllamacpp
except ImportError:  # the extra is not installed; said in words at the first load
    xllamacpp = None

__all__ = ["Llama", "LocalSpec"]

BATCH_TOKENS = 128
"""Prompt tokens that are read in one go. Between two of them a call can be stopped; on a CPU a
larger batch was measured to be no faster."""

SMALL_BYTES = 150 * 2**20
"""A model whose file is smaller gets one thread. Threads wait for each other many times a token.
SmolLM2-135M (98 MB) was measured to be as fast with one as with two on two cores, and with two it
slowed a larger model beside it by a quarter: probably because libgomp lets threads sleep at every
wait once all models together have more of them than there are cores."""

MAX_SEED = 2**32 - 1
"""llama.cpp takes 32 bits and reads the largest number as "at random"."""

FINISH_REASONS: Mapping[str, FinishReason] = {"stop": "stop", "length": "length"}


@dataclass(frozen=True, slots=True)
class LocalSpec:
    """What to load and how; equal specs can share one loaded model."""

    path: Path
    """A GGUF file."""
    n_ctx: int = 4096
    """Tokens of one conversation, prompt and completion together; at least 1."""
    slots: int = 2
    """Conversations at once; at least 1. More of them wait for a free slot."""
    threads: int = field(default_factory=lambda: _threads())
    """Threads that compute; at least 1. More than there are idle cores slows it down. Where nothing
    else is said: `OMP_NUM_THREADS` where that is set, else the number of cores."""
    lora: Path | None = None
    """A LoRA adapter in GGUF that is laid over the weights; None is the model as it is."""

    def __post_init__(self) -> None:
        counts = {"n_ctx": self.n_ctx, "slots": self.slots, "threads": self.threads}
        for name, value in counts.items():
            if value < 1:
                raise ConfigError(f"local model {self.path}: {name} is {value}, must be 1 or more")


class Llama:
    """A loaded model. Its calls block and may come from several threads at once."""

    def __init__(self, spec: LocalSpec) -> None:
        self._name = spec.path.stem
        self._server = _open(spec)

    def chat(
        self,
        messages: Sequence[Message],
        sampling: Sampling,
        tell: Callable[[str], object],
        stops: Sequence[Event],
    ) -> Completion:
        """Answer the last message, or go on with it if it is the assistant's.

        Args:
            messages: oldest first; at least one.
            sampling: how to answer.
            tell: is called in this thread with every piece of text.
            stops: any of them, once set, ends the call.

        Raises:
            WorkerError: the conversation does not fit, or the call was refused or stopped.
        """
        call = _Call(self._name, tell, stops)
        try:
            self._server.handle_chat_completions(_request(messages, sampling), call.take)
        except RuntimeError as error:
            # xllamacpp's own refusals, for example of text that is no valid Unicode.
            raise WorkerError(f"local model {self._name}: {error}") from error
        return call.completion()


@dataclass(slots=True)
class _Call:
    """One request on its way: takes llama.cpp's chunks until it is told to stop."""

    name: str
    tell: Callable[[str], object]
    stops: Sequence[Event]
    texts: list[str] = field(default_factory=list)
    usage: Usage | None = None
    finish_reason: FinishReason | None = None
    error: Mapping[str, Any] | None = None

    def take(self, chunk: Mapping[str, Any]) -> bool:
        """Take one chunk; True tells llama.cpp to stop."""
        if any(stop.is_set() for stop in self.stops):
            return True
        if "error" in chunk:
            self.error = chunk["error"]
            return True
        if usage := chunk.get("usage"):
            cached = usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)
            self.usage = Usage(usage["prompt_tokens"], usage["completion_tokens"], cached)
        for choice in chunk["choices"]:
            if piece := choice["delta"].get("content"):
                self.texts.append(piece)
                self.tell(piece)
            if reason := choice["finish_reason"]:
                self.finish_reason = FINISH_REASONS.get(reason, "error")
        return False

    def completion(self) -> Completion:
        """What came of it, once llama.cpp is done."""
        if self.error is not None:
            raise self._refusal(self.error)
        if self.finish_reason is None:
            raise WorkerError(f"local model {self.name} stopped without saying why")
        return Completion("".join(self.texts), self.usage, self.name, self.finish_reason)

    def _refusal(self, error: Mapping[str, Any]) -> WorkerError:
        if error.get("type") == "exceed_context_size_error":
            return WorkerError(
                f"local model {self.name}: the messages have {error['n_prompt_tokens']} tokens, a "
                f"conversation has room for {error['n_ctx']} (n_ctx): shorten them or raise n_ctx",
                usage=Usage(),
                kind="context",
            )
        return WorkerError(f"local model {self.name}: {error.get('message', 'refused')}")


def _request(messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
    """The request as llama.cpp wants it."""
    request: dict[str, Any] = {
        "messages": [{"role": message.role, "content": message.text} for message in messages],
        "max_tokens": sampling.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
        # A chunk per batch of the prompt: each is an opportunity to stop.
        "return_progress": True,
    }
    optional = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": None if sampling.seed is None else sampling.seed % MAX_SEED,
        "stop": list(sampling.stop) or None,
        "grammar": sampling.grammar,
    }
    if sampling.response_format is not None:
        request["response_format"] = json.loads(sampling.response_format)
    return request | {name: value for name, value in optional.items() if value is not None}


def _threads() -> int:
    told = os.environ.get("OMP_NUM_THREADS", "")
    return int(told) if told.isdecimal() and int(told) > 0 else os.cpu_count() or 1


def _open(spec: LocalSpec) -> Any:
    """Load a model; takes seconds.

    Raises:
        ConfigError: llama.cpp is not installed or cannot load a file.
    """
    if xllamacpp is None:
        raise ConfigError("local models need llama.cpp: pip install 'partbook[local]'")
    for path in (spec.path, spec.lora):
        if path is not None and not path.is_file():
            raise ConfigError(f"there is no model file {path}")
    params = xllamacpp.CommonParams()
    params.model.path = str(spec.path)
    params.n_ctx = spec.n_ctx * spec.slots
    params.n_parallel = spec.slots
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    threads = spec.threads if spec.path.stat().st_size >= SMALL_BYTES else 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    # llama.cpp would keep up to 8 GiB of old prompts; each slot keeps its last one anyway.
    params.cache_ram_mib = 0
    params.api_keys = [secrets.token_urlsafe(32)]
    params.ui = False
    params.verbosity = -1
    if spec.lora is not None:
        adapter = xllamacpp.CommonAdapterLoraInfo()
        adapter.path, adapter.scale = str(spec.lora), 1.0
        params.lora_adapters = [adapter]
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        files = f"{spec.path} with the adapter {spec.lora}" if spec.lora else str(spec.path)
        raise ConfigError(
            f"llama.cpp cannot load {files}: not a GGUF file that it knows, cut short, or too large"
            " for this machine's memory; `partbook models pull --verify` checks pulled models"
        ) from error
