"""What a schema cannot say, for Schemathesis: which models there are, and which tool can be named.

Without a model that there is, every request would end as a 404 and nothing behind it be tried.
"""

import itertools
from typing import Any

import schemathesis

LIMITS = ("max_usd", "max_calls", "timeout_s")
NUMBER = itertools.count()
MODELS = ("partbook", "partbook/w1", "partbook/panel")


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    # Any request may have headers that nobody knows.
    (case.headers or {}).pop("x-schemathesis-unknown-property", None)
    body = case.body
    if not isinstance(body, dict):
        return
    if isinstance(name := body.get("model"), str) and 1 <= len(name) <= 200:
        body["model"] = MODELS[len(name) % len(MODELS)]
    if case.meta is None or case.meta.generation.mode.is_negative:
        return
    # Strict requests are refused for any field that is not known, and fuzzers add such fields.
    # Limits, as small as fuzzers like numbers, would let nothing be played; some are left.
    unwanted = ["partbook_strict", *(LIMITS if next(NUMBER) % 4 else ())]
    for field in unwanted:
        body.pop(field, None)
        header = field.replace("_", "-").removeprefix("partbook-")
        (case.headers or {}).pop(f"x-partbook-{header}", None)
    if body.get("stream") is not True:
        body.pop("stream_options", None)
    name_a_tool(body)
    say_something(body)


def name_a_tool(body: dict[str, Any]) -> None:
    """Let a choice of a tool be one of the tools; without tools there is none."""
    choice, tools = body.get("tool_choice"), body.get("tools")
    if choice is None:
        return
    if not tools:
        del body["tool_choice"]
        return
    named = choice.get("function", choice) if isinstance(choice, dict) else {}
    if "name" in named:
        named["name"] = tools[0].get("function", tools[0])["name"]


def say_something(body: dict[str, Any]) -> None:
    """Let not all messages be blank."""
    said = {"role": "user", "content": "x"}
    for field in ("input", "messages"):
        match body.get(field):
            case str() as text if not text.strip():
                body[field] = "x"
            case list() as turns if turns[-1:] != [said]:
                body[field] = [*turns[:-1], said]  # no longer than it was
