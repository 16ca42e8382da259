"""What is written on a span about a call: who was asked, what came of it, what was said."""

import json
from collections.abc import Iterable
from decimal import Decimal

from opentelemetry.util.types import AttributeValue

from partbook.message import FinishReason, Message, Usage
from partbook.pool import WorkerSpec
from partbook.telemetry import semconv as names

__all__ = ["Attributes", "asked_of", "outcome", "spoken"]

Attributes = dict[str, AttributeValue]


def asked_of(spec: WorkerSpec) -> Attributes:
    """Who is asked, and how."""
    asked: Attributes = {
        names.PROVIDER: names.provider_of(spec),
        names.REQUEST_MODEL: spec.model,
        names.REQUEST_MAX_TOKENS: spec.sampling.max_tokens,
    }
    sampling = spec.sampling
    optional = {
        names.REQUEST_TEMPERATURE: sampling.temperature,
        names.REQUEST_TOP_P: sampling.top_p,
        names.REQUEST_SEED: sampling.seed,
        names.REQUEST_STOP: sampling.stop or None,
        names.REQUEST_REASONING: sampling.reasoning_effort,
    }
    asked.update((name, value) for name, value in optional.items() if value is not None)
    if server := names.server_of(spec):
        asked[names.SERVER_ADDRESS], asked[names.SERVER_PORT] = server
    return asked


def outcome(
    usage: Usage | None,
    cost_usd: Decimal | None,
    model: str,
    finish_reason: FinishReason | None = None,
) -> Attributes:
    """What came of it; what is unknown is left out and never 0."""
    found: Attributes = {}
    if usage is not None:
        found[names.INPUT_TOKENS] = usage.prompt_tokens
        found[names.OUTPUT_TOKENS] = usage.completion_tokens
        if usage.cached_tokens:
            found[names.CACHE_READ_TOKENS] = usage.cached_tokens
        if usage.cache_write_tokens:
            found[names.CACHE_WRITE_TOKENS] = usage.cache_write_tokens
        if usage.reasoning_tokens:
            found[names.REASONING_TOKENS] = usage.reasoning_tokens
    if cost_usd is not None:
        found[names.COST_USD] = float(cost_usd)
    if model:
        found[names.RESPONSE_MODEL] = model
    if finish_reason is not None:
        found[names.FINISH_REASONS] = [finish_reason]
    return found


def spoken(messages: Iterable[Message], finish_reason: FinishReason | None = None) -> str:
    """Messages as the conventions write them: JSON, each with a list of parts."""
    said: list[dict[str, object]] = [
        {"role": m.role, "parts": [{"type": "text", "content": m.text}]} for m in messages
    ]
    if finish_reason is not None:
        said[-1]["finish_reason"] = finish_reason
    return json.dumps(said, ensure_ascii=False)
