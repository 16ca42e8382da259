"""Wishes: how the user wants the answer, which holds for the last step of a workflow alone.

The Conductor and the steps before the last have the limits of their own: a user who wants at most
fifty tokens wants a short answer, not a plan that is cut off.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from partbook.message import Sampling
from partbook.pool import WorkerSpec
from partbook.server.fields import Fields
from partbook.server.refusal import Refusal, bad_request
from partbook.server.tools import read_tools

__all__ = ["Wishes", "read_wishes", "takes_tools"]

MOST_STOPS = 16
"""OpenAI allows 4; more do no harm."""

MOST_SCHEMA_CHARS = 100_000

MOST_ANSWER_TOKENS = 10_000_000

_FORMAT_KINDS = ("http", "local")
"""Workers that can be held to a form; the others are told and checked."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """How the user wants the answer; None and empty: as the worker does it."""

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    response_format: str | None = None
    """JSON of the field; None: plain text."""
    tools: str | None = None
    """JSON of the fields about the user's own tools; None: there are none."""

    def over(self, spec: WorkerSpec, effort: str | None = None) -> Sampling:
        """The sampling of a worker with these wishes.

        The worker's own limit is the operator's ceiling and stays. `effort` goes to a worker that
        has one of its own: only those are known to take it.
        """
        base = spec.sampling
        most = base.max_tokens
        takes_effort = base.reasoning_effort is not None and effort is not None
        return replace(
            base,
            max_tokens=most if self.max_tokens is None else min(most, self.max_tokens),
            temperature=base.temperature if self.temperature is None else self.temperature,
            top_p=base.top_p if self.top_p is None else self.top_p,
            seed=base.seed if self.seed is None else self.seed,
            stop=self.stop or base.stop,
            reasoning_effort=effort if takes_effort else base.reasoning_effort,
            response_format=self.response_format if spec.kind in _FORMAT_KINDS else None,
            tools=self.tools if takes_tools(spec) else None,
        )

    @property
    def instruction(self) -> str:
        """What a worker is told about the form of its answer; empty where it is free."""
        if self.response_format is None:
            return ""
        wanted: dict[str, Any] = json.loads(self.response_format)
        schema = wanted.get("json_schema", {}).get("schema")
        told = "Answer with one JSON object and nothing else."
        return told if schema is None else f"{told} It must fit this JSON schema: {_json(schema)}"

    def check(self, text: str, finish_reason: str) -> None:
        """See that an answer has the form that was asked for.

        Raises:
            Refusal: it has not; a client that parses it would fail on it.
        """
        if self.response_format is None or finish_reason == "length":
            return
        wanted: dict[str, Any] = json.loads(self.response_format)
        schema = wanted.get("json_schema", {}).get("schema", {"type": "object"})
        why = _misfit(text, schema)
        if why is not None:
            raise Refusal(
                f"the answer is not what response_format asks for: {why}",
                status=502,
                kind="upstream_error",
                param="response_format",
                code="format_not_kept",
            )


def _misfit(text: str, schema: Mapping[str, Any]) -> str | None:
    """Why a text does not fit a schema at its top level; None: it does, as far as is looked.

    Deeper levels are kept by the workers that are held to the schema while they write.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return "it is no JSON"
    if schema.get("type") == "object" and not isinstance(value, dict):
        return "it is no object"
    required = schema.get("required")
    if isinstance(value, dict) and isinstance(required, list):
        missing = [name for name in required if isinstance(name, str) and name not in value]
        if missing:
            return f"{missing[0]!r} is missing"
    return None


def read_wishes(fields: Fields) -> Wishes:
    """Take the fields that say how the answer is wanted.

    Raises:
        Refusal: one of them is not what it should be.
    """
    limits = [
        fields.integer(name, 1, MOST_ANSWER_TOKENS)
        for name in ("max_tokens", "max_completion_tokens")
    ]
    return Wishes(
        max_tokens=min((limit for limit in limits if limit is not None), default=None),
        temperature=fields.number("temperature", 0, 2),
        top_p=_top_p(fields.number("top_p", 0, 1)),
        seed=fields.integer("seed", -(2**63), 2**63 - 1),
        stop=fields.texts("stop", MOST_STOPS),
        response_format=_format(fields.table("response_format")),
        tools=read_tools(fields),
    )


def takes_tools(spec: WorkerSpec) -> bool:
    """Whether a worker can be given the user's own tools."""
    return spec.kind == "http"


def _top_p(value: float | None) -> float | None:
    if value == 0:
        raise bad_request("top_p: a number above 0 was expected, found 0", "top_p")
    return value


def _format(wanted: dict[str, Any] | None) -> str | None:
    where = "response_format"
    kind = None if wanted is None else wanted.get("type")
    if wanted is None or kind == "text":
        return None
    if kind == "json_object":
        return '{"type":"json_object"}'
    if kind != "json_schema":
        raise bad_request(f"{where}.type: expected text, json_object or json_schema", where)
    schema = wanted.get("json_schema")
    if not isinstance(schema, dict) or not isinstance(schema.get("schema"), dict):
        raise bad_request(f"{where}.json_schema.schema: an object was expected", where)
    text = _json({"type": "json_schema", "json_schema": schema})
    if len(text) > MOST_SCHEMA_CHARS:
        raise bad_request(f"{where}: at most {MOST_SCHEMA_CHARS} characters", where)
    return text


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
