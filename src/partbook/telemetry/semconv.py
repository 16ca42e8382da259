"""The names on our spans: OpenTelemetry's conventions for generative AI, pinned, and our own.

Pinned to schema 1.42.0-dev of `open-telemetry/semantic-conventions-genai`, which has no release yet
and whose status is "Development": names change, and this file is all that has to follow. Compared
with `docs/gen-ai/client-inference.md` at commit 024a4f944a12, and with `gen-ai-agent-spans.md`
beside it at commit 002c8a6ea1c8. What the conventions have no name for begins with `partbook.`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from partbook.pool import WorkerSpec

__all__ = ["SCHEMA_URL", "provider_of", "server_of"]

SCHEMA_URL = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"

OPERATION = "gen_ai.operation.name"
INVOKE_WORKFLOW = "invoke_workflow"
INVOKE_AGENT = "invoke_agent"
PLAN = "plan"
CHAT = "chat"
EXECUTE_TOOL = "execute_tool"

GENAI_WORKFLOW_NAME = "gen_ai.workflow.name"
"""Must have few values: we put the pool there, and a fixed workflow under `partbook.`."""
AGENT_NAME = "gen_ai.agent.name"
TOOL_NAME = "gen_ai.tool.name"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
REQUEST_MAX_TOKENS = "gen_ai.request.max_tokens"
REQUEST_TEMPERATURE = "gen_ai.request.temperature"
REQUEST_TOP_P = "gen_ai.request.top_p"
REQUEST_SEED = "gen_ai.request.seed"
REQUEST_STOP = "gen_ai.request.stop_sequences"
REQUEST_REASONING = "gen_ai.request.reasoning.level"
RESPONSE_MODEL = "gen_ai.response.model"
FINISH_REASONS = "gen_ai.response.finish_reasons"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS = "gen_ai.usage.cache_write.input_tokens"
REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"

ERROR_TYPE = "error.type"
SERVER_ADDRESS = "server.address"
SERVER_PORT = "server.port"

RUN_ID = "partbook.run.id"
POOL = "partbook.pool"
STATUS = "partbook.status"
ROUND = "partbook.round"
SOURCE = "partbook.workflow.source"
"""`conductor`, `retry`, `fallback` or `fixed`."""
WORKFLOW_NAME = "partbook.workflow.name"
WORKFLOW_STEPS = "partbook.workflow.steps"
STEP = "partbook.step"
ACCESS = "partbook.step.access"
"""Steps whose answers the worker read."""
ANSWERED_BY = "partbook.step.answered_by"
"""The fallback worker, where one answered."""
CACHED = "partbook.step.cached"
ATTEMPT = "partbook.call.attempt"
"""Number of the call within its step, from 0."""
COST_USD = "partbook.cost_usd"
"""Price of a call in US dollars; absent where it is unknown."""

_PROVIDERS: Mapping[str, str] = MappingProxyType(
    {
        "openai": "openai",
        "api.openai.com": "openai",
        "anthropic": "anthropic",
        "api.anthropic.com": "anthropic",
        "gemini": "gcp.gemini",
        "generativelanguage.googleapis.com": "gcp.gemini",
        "openrouter": "openrouter",
        "openrouter.ai": "openrouter",
        "api.deepseek.com": "deepseek",
        "api.groq.com": "groq",
        "api.mistral.ai": "mistral_ai",
        "api.moonshot.ai": "moonshot_ai",
        "api.perplexity.ai": "perplexity",
        "api.x.ai": "x_ai",
        "vllm": "vllm",
        "ollama": "ollama",
        "llamacpp": "llama.cpp",
    }
)
"""Providers by what a pool file may call an endpoint, and by host."""

OTHER_PROVIDER = "openai_compatible"
"""Whatever stands behind an endpoint that is not known here."""


def provider_of(spec: WorkerSpec) -> str:
    """The provider of a worker, as the conventions name it where they do.

    >>> provider_of(WorkerSpec("a", "http", endpoint="https://api.x.ai/v1"))
    'x_ai'
    """
    if spec.kind == "http":
        name = urlsplit(spec.endpoint).hostname if "://" in spec.endpoint else spec.endpoint
        return _PROVIDERS.get(name or "", OTHER_PROVIDER)
    return {"local": "llama.cpp", "torch": "transformers", "lab": "partbook.lab"}.get(
        spec.kind, "partbook.tool" if spec.plugged is None else "partbook.plugin"
    )


def server_of(spec: WorkerSpec) -> tuple[str, int] | None:
    """Host and port of a worker's endpoint; None where it is no URL."""
    if "://" not in spec.endpoint:
        return None
    url = urlsplit(spec.endpoint)
    return url.hostname or "", url.port or (443 if url.scheme == "https" else 80)
