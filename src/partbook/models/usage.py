"""Usage as providers spell it, read into `Usage`: one meaning for every shape.

Known are OpenAI's chat completions and Responses, Anthropic's messages, Gemini's own names, and the
dialects of those that speak one of them with a difference (OpenRouter, LiteLLM, DeepSeek, Moonshot,
Groq, Cohere, Bedrock, xAI, Gemini behind OpenAI's format). Conventions differ in what a number
holds, and the provider's total shows which one is meant: prompt tokens with or without the cached
ones, completion tokens with or without reasoning. In a `Usage` both are with.

Figures are hostile: one that is no count is unknown, and details that cannot be parts of their
whole are cut to it and flagged, so that no cost can become negative.

Field names: https://platform.openai.com/docs/api-reference,
https://docs.anthropic.com/en/api/messages, https://ai.google.dev/api/generate-content.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from partbook.message import Usage

__all__ = ["MAX_TOKEN_COUNT", "figures_in", "merged", "usage_from"]

MAX_TOKEN_COUNT = 10**12
"""A usage figure above this is no count of tokens."""

_CAPITAL = re.compile("([A-Z])")
_NUMBER = re.compile(r"[0-9]{1,13}(\.0{1,9})?")

_ELSEWHERE = (
    ("usageMetadata",),
    ("usage_metadata",),
    ("message", "usage"),  # Anthropic's stream begins with it
    ("response", "usage"),  # the last event of a Responses stream
    ("x_groq", "usage"),
)
"""Where a reply or an event keeps its figures, if not under `usage`."""

_PROMPT = ("prompt_tokens", "input_tokens")
_COMPLETION = ("completion_tokens", "output_tokens")
_PROMPT_DETAILS = ("prompt_tokens_details", "input_tokens_details")
_COMPLETION_DETAILS = ("completion_tokens_details", "output_tokens_details")
_CACHED = ("cached_tokens", "cache_read_input_tokens", "prompt_cache_hit_tokens")
_WRITTEN = (
    "cache_write_tokens",
    "cache_creation_tokens",
    "cache_creation_input_tokens",
    "cache_write_input_tokens",
)
_CACHE_APART = {*_WRITTEN[2:], "cache_read_input_tokens", "cache_creation"}


def figures_in(reply: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The object of usage figures in a reply or in an event of a stream; None: there is none."""
    usage = reply.get("usage")
    if isinstance(usage, dict) and usage:
        return usage
    if "choices" in reply and "x_groq" not in reply:
        return None  # a piece of a stream, as nearly all are: no need to look further
    for path in _ELSEWHERE:
        found: object = reply
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        if isinstance(found, dict) and found:
            return found
    return None


def merged(earlier: Mapping[str, Any] | None, later: Mapping[str, Any]) -> Mapping[str, Any]:
    """Figures of a stream that told some before and some now.

    What is told again replaces what was told: figures are running totals, never increments. That is
    so for servers that send usage with every chunk, and for Anthropic, whose prompt tokens come
    with the first event and completion tokens with the last.
    """
    if not earlier:
        return later
    return {**earlier, **{name: value for name, value in later.items() if value is not None}}


def usage_from(figures: Mapping[str, Any]) -> Usage | None:
    """Read usage figures of any known shape.

    Returns:
        None where they do not tell what was read and what was written. All zeros do not: no call
        takes no token, and unknown is not free.
    """
    prompt = _first(figures, _PROMPT)
    if prompt is None and any(name != name.lower() for name in figures):
        figures = {_CAPITAL.sub(r"_\1", name).lower(): value for name, value in figures.items()}
        prompt = _first(figures, _PROMPT)
    if "prompt_token_count" in figures:
        return _gemini(figures)
    tokens = figures.get("tokens")
    if isinstance(tokens, dict):  # Cohere
        figures = {**figures, **tokens}
        prompt = _first(figures, _PROMPT)
    completion = _first(figures, _COMPLETION)
    total = _count(figures.get("total_tokens"))
    if total is not None and prompt is None and completion is not None:
        prompt = total - completion
    if total is not None and completion is None and prompt is not None:
        completion = total - prompt
    if prompt is None or completion is None or prompt < 0 or completion < 0:
        return None
    return _settled(figures, prompt, completion, total)


def _settled(
    figures: Mapping[str, Any], prompt: int, completion: int, total: int | None
) -> Usage | None:
    """Prompt and completion with all that belongs to them, and their parts."""
    cached = _detail(figures, _PROMPT_DETAILS, _CACHED) or _first(figures, _CACHED) or 0
    written, hour = _written(figures)
    reasoning = (
        _detail(figures, _COMPLETION_DETAILS, ("reasoning_tokens",))
        or _first(figures, ("reasoning_tokens",))
        or 0
    )
    told = prompt + completion
    apart = 0 if total is None else total - told
    if total is None or total != told:
        if _leaves_cache_out(figures) or (
            apart == cached + written and apart not in (0, reasoning)
        ):
            prompt += cached + written
        elif apart > 0:
            # Only the total shows what was left out: reasoning, or something without a name.
            completion += apart
            reasoning = reasoning or apart
        elif total is None and reasoning > completion:
            completion += reasoning  # a part cannot exceed its whole: it was left out of it
    return _in_order(prompt, completion, cached, reasoning, (written, hour), contradicted=apart < 0)


def _leaves_cache_out(figures: Mapping[str, Any]) -> bool:
    """Whether these are Anthropic's own figures: `input_tokens` is what no cache had."""
    if "prompt_tokens" in figures or "input_tokens_details" in figures:
        return False
    return not _CACHE_APART.isdisjoint(figures)


def _written(figures: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens written to the cache, and those of them that it keeps for an hour."""
    written = _detail(figures, _PROMPT_DETAILS, _WRITTEN) or _first(figures, _WRITTEN) or 0
    kinds = figures.get("cache_creation")
    if not isinstance(kinds, dict):
        return written, 0
    hour = _count(kinds.get("ephemeral_1h_input_tokens")) or 0
    short = _count(kinds.get("ephemeral_5m_input_tokens")) or 0
    return written or hour + short, hour


def _gemini(figures: Mapping[str, Any]) -> Usage | None:
    """Gemini's own names. Thoughts and what tools read come beside candidates and prompt."""
    prompt = _count(figures.get("prompt_token_count"))
    candidates = _count(figures.get("candidates_token_count"))
    thoughts = _count(figures.get("thoughts_token_count")) or 0
    total = _count(figures.get("total_token_count"))
    if prompt is None or (candidates is None and not thoughts and total is None):
        return None
    prompt += _count(figures.get("tool_use_prompt_token_count")) or 0
    candidates = candidates or 0
    completion = candidates + thoughts
    if total is not None:
        apart = total - prompt - candidates
        if not apart and candidates >= thoughts:
            completion = candidates  # here the candidates hold the thoughts
        else:
            completion = max(completion, candidates + apart)
    cached = _count(figures.get("cached_content_token_count")) or 0
    return _in_order(prompt, completion, cached, thoughts, (0, 0))


def _in_order(
    prompt: int,
    completion: int,
    cached: int,
    reasoning: int,
    written: tuple[int, int],
    contradicted: bool = False,
) -> Usage | None:
    if not prompt and not completion:
        return None
    # Writing to a cache costs more than reading from it, so it keeps its tokens first.
    kept_written = min(written[0], prompt)
    kept_hour = min(written[1], kept_written)
    kept_cached = min(cached, prompt - kept_written)
    kept_reasoning = min(reasoning, completion)
    kept = (kept_cached, kept_reasoning, (kept_written, kept_hour))
    return Usage(
        prompt,
        completion,
        kept_cached,
        kept_reasoning,
        kept_written,
        kept_hour,
        inconsistent=contradicted or kept != (cached, reasoning, written),
    )


def _first(figures: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        if name in figures and (count := _count(figures[name])) is not None:
            return count
    return None


def _detail(
    figures: Mapping[str, Any], groups: tuple[str, ...], names: tuple[str, ...]
) -> int | None:
    for group in groups:
        if group in figures and isinstance(details := figures[group], dict):
            return _first(details, names)
    return None


def _count(value: object) -> int | None:
    if type(value) is int:
        return value if 0 <= value <= MAX_TOKEN_COUNT else None
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = int(value.partition(".")[0])
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return math.ceil(value) if 0 <= value <= MAX_TOKEN_COUNT else None
