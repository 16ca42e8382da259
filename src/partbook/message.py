"""Chat values: what is said to a model, how it is to answer, and what came back.

Everything here is plain data of the standard library. How a provider spells these things on the
wire is left to `models/wire.py`.
"""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Completion", "FinishReason", "Message", "Role", "Sampling", "Usage"]

Role = Literal["system", "user", "assistant", "tool"]
"""`tool` brings what a tool of the user's gave back; only one worker alone is shown it."""

FinishReason = Literal["stop", "length", "filter", "error"]
"""Why a model stopped: by itself, at its token limit, at a content filter, or (tools) it failed."""

MAX_COMPLETION_TOKENS = 4096
"""A worker's token limit where nothing else is said (arXiv:2512.04388, constrained setting)."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Role
    text: str
    tool_calls: str = ""
    """Calls of the user's own tools that the assistant asks for: JSON of the list in OpenAI's
    format; empty: none."""
    tool_call_id: str = ""
    """Which call a `tool` message answers."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model is to answer; None leaves the choice to the provider."""

    max_tokens: int = MAX_COMPLETION_TOKENS
    """Upper bound of the completion, reasoning included; at least 1."""
    temperature: float | None = None
    """0 to 2."""
    top_p: float | None = None
    """Above 0, up to 1."""
    seed: int | None = None
    stop: tuple[str, ...] = ()
    """Texts at which the completion ends; they are not part of it."""
    reasoning_effort: str | None = None
    """As the provider names it: `minimal`, `low`, `medium`, `high`."""
    grammar: str | None = None
    """A GBNF grammar that the completion must follow; only llama.cpp workers know it."""
    response_format: str | None = None
    """JSON of the `response_format` of OpenAI's API, which asks for JSON, perhaps of a schema; only
    `http` and `local` workers know it."""
    tools: str | None = None
    """JSON of an object with the fields `tools`, `tool_choice` and `parallel_tool_calls` of
    OpenAI's API: tools of the user's own; only `http` workers know them."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call or of several. Details are subsets, never extras."""

    prompt_tokens: int = 0
    """All tokens read, cached ones included."""
    completion_tokens: int = 0
    """All tokens written, reasoning included."""
    cached_tokens: int = 0
    """The part of `prompt_tokens` that the provider had cached."""
    reasoning_tokens: int = 0
    """The part of `completion_tokens` that is hidden reasoning."""
    cache_write_tokens: int = 0
    """The part of `prompt_tokens` that the provider wrote to its cache; apart from cached ones."""
    cache_write_1h_tokens: int = 0
    """The part of `cache_write_tokens` that is kept for an hour, which some providers bill so."""
    inconsistent: bool = False
    """Whether what the provider said contradicted itself and was brought into order."""

    @property
    def total_tokens(self) -> int:
        """Tokens read and written."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.cache_write_1h_tokens + other.cache_write_1h_tokens,
            self.inconsistent or other.inconsistent,
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model returned."""

    text: str
    usage: Usage | None
    """None where the provider did not say: unknown is not zero."""
    model: str = ""
    """Who really answered, as the provider names it."""
    finish_reason: FinishReason = "stop"
    cached: bool = False
    """Whether it is an earlier call's answer, kept on this machine: its usage is then 0."""
    tool_calls: str = ""
    """Calls of the user's own tools that the model asks for, as in `Message`; empty: none."""
