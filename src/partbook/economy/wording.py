"""What providers' words for a class of tokens mean: of OpenAI's line items, of Google's SKUs."""

import re
from typing import Literal

__all__ = ["TokenClass", "class_in", "is_model_service", "parts_of_sku"]

TokenClass = Literal["read", "cached", "written"]

_MODEL = re.compile(
    r"\b(gemini|gemma|claude)"
    r"((?:[ -](?:[\d.]+|pro|flash|ultra|nano|lite|preview|exp|opus|sonnet|haiku))+)",
    re.IGNORECASE,
)
_SERVICES = ("gemini", "vertex", "generative language")
_NO_TEXT = re.compile(r"\b(?:image|audio|video)\b.{0,12}\boutput\b|\bstorage\b|\bhours?\b")


def class_in(said: str) -> TokenClass | None:
    """The class of tokens that words name; None: none that has a price of its own here.

    >>> class_in("cached input"), class_in("output_tokens"), class_in("web search")
    ('cached', 'written', None)
    """
    words = said.casefold().replace("_", " ")
    if re.search(r"\boutput\b|\bcompletion\b", words):
        return "written"
    if not re.search(r"\binput\b|\bprompt\b", words):
        return None
    return "cached" if "cach" in words else "read"


def is_model_service(service: str) -> bool:
    """Whether a service of Google Cloud is one that language models are billed under."""
    return any(name in service.casefold() for name in _SERVICES)


def parts_of_sku(sku: str) -> tuple[str, TokenClass | None]:
    """Model and class of tokens that a SKU names.

    Returns:
        The model as an id (empty: none), and its class of tokens (None: no text tokens, so that
        no price per token holds for it).

    >>> parts_of_sku("Generate content output token count gemini 2.5 flash short input text")
    ('gemini-2.5-flash', 'written')
    >>> parts_of_sku("Gemini 2.5 Pro Thinking Text Output - Predictions")
    ('gemini-2.5-pro', 'written')
    >>> parts_of_sku("Grounding with Google Search")
    ('', None)
    """
    found = _MODEL.search(sku)
    if found is None:
        return "", None
    model = f"{found[1]}{found[2]}".casefold().replace(" ", "-").rstrip(".-")
    said = sku.casefold()
    if _NO_TEXT.search(said):
        return model, None
    # "output token count ... short input text": the direction stands before the model's name.
    before = re.search(r"\b(input|output)\b.*\btokens?\b", said[: found.start()])
    if before:
        head = said[: found.start()]
        return model, "written" if before[1] == "output" else class_in(head)
    return model, class_in(said[found.end() :])
