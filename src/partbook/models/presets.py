"""Endpoints that have a name: where they are, and what is special about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from types import MappingProxyType

from yarl import URL

from partbook.models.wire import TokenLimitField

__all__ = ["PRESETS", "Preset", "host_of", "is_on_this_machine", "token_limit_of"]


@dataclass(frozen=True, slots=True)
class Preset:
    """A known endpoint."""

    endpoint: str
    """Base URL, up to and including the version."""
    key_env: str = ""
    """Environment variable that holds the API key; empty where none is needed."""
    token_limit: TokenLimitField = "max_tokens"
    """How it calls the limit of the completion."""


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "openai": Preset("https://api.openai.com/v1", "OPENAI_API_KEY", "max_completion_tokens"),
        "anthropic": Preset("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
        "gemini": Preset(
            "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"
        ),
        "openrouter": Preset("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        "vllm": Preset("http://127.0.0.1:8000/v1"),
        "ollama": Preset("http://127.0.0.1:11434/v1"),
        "llamacpp": Preset("http://127.0.0.1:8080/v1"),
    }
)
"""Endpoints by name. The last three are the ports that these programs listen on by default."""


def host_of(endpoint: str) -> str:
    """The host of an endpoint, a preset's name or a URL; empty where it has none."""
    preset = PRESETS.get(endpoint)
    try:
        return URL(endpoint if preset is None else preset.endpoint).host or ""
    except ValueError:
        return ""


def is_on_this_machine(endpoint: str) -> bool:
    """Whether an endpoint, a preset's name or a URL, is at a loopback address.

    >>> is_on_this_machine("ollama"), is_on_this_machine("openai")
    (True, False)
    """
    host = host_of(endpoint)
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def token_limit_of(host: str | None) -> TokenLimitField:
    """How the endpoint at this host calls the limit of the completion."""
    for preset in PRESETS.values():
        if host == URL(preset.endpoint).host:
            return preset.token_limit
    return "max_tokens"
