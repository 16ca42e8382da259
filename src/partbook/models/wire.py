"""OpenAI's chat-completions format from the client's side: requests out, replies and streams in.

Bytes and values only. Sending them is left to `http.py`, error bodies to `fault.py`, the framing of
streams to `sse.py`, the same format at our own server to `server/`. Many servers speak a dialect of
it, so reading is tolerant where the meaning is plain (a missing detail, a list of content parts,
usage on every chunk) and ends in a `WorkerError` with the provider's own words where there is no
answer. Whatever a provider sends is hostile: nothing but `WorkerError` leaves the readers.

Field names: https://platform.openai.com/docs/api-reference/chat.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from partbook.errors import WorkerError
from partbook.message import Completion, FinishReason, Message, Sampling, Usage
from partbook.models.fault import one_line, status_of, words_of
from partbook.models.fault_kind import kind_of, told_retry_after_s
from partbook.models.sse import SseDecoder, SseEvent
from partbook.models.tool_calls import CallPieces, calls_in, message_dict
from partbook.models.usage import figures_in, merged, usage_from

__all__ = ["StreamDecoder", "TokenLimitField", "decode", "encode"]

TokenLimitField = Literal["max_tokens", "max_completion_tokens"]
"""How an endpoint calls the limit of the completion. OpenAI's own API refuses the first name for
its reasoning models; most other servers know only that one."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

_FINISH: Mapping[str, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filter",
    "safety": "filter",
    "refusal": "filter",
    "error": "error",
    "abort": "error",
    "insufficient_system_resource": "error",
}
"""Reasons other than a plain stop, in lower case, with the variants of servers other than OpenAI's.
One that is not here ends a completion like `stop`."""


def encode(
    model: str,
    messages: Sequence[Message],
    sampling: Sampling,
    *,
    stream: bool = False,
    token_limit: TokenLimitField = "max_tokens",
    without: Collection[str] = (),
) -> bytes:
    r"""The JSON body of a request; fields whose names are in `without` are not sent.

    A field of `sampling` that leaves the choice to the provider is not sent. A grammar goes under
    the name that llama.cpp's server gives it. Lone surrogates in any text become U+FFFD.

    >>> encode("m", [Message("user", "hi")], Sampling(max_tokens=5))
    b'{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":5}'
    """
    body: dict[str, object] = {
        "model": model,
        "messages": [message_dict(message) for message in messages],
        token_limit: sampling.max_tokens,
    }
    optional = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "stop": list(sampling.stop) or None,
        "reasoning_effort": sampling.reasoning_effort,
        "grammar": sampling.grammar,
    }
    body.update((name, value) for name, value in optional.items() if value is not None)
    if sampling.response_format is not None:
        body["response_format"] = json.loads(sampling.response_format)
    if sampling.tools is not None:
        body.update(json.loads(sampling.tools))
    if stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    for name in without:
        body.pop(name, None)
    text = _ENCODER.encode(body)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _mended(text).encode()


def decode(body: bytes) -> Completion:
    """The completion in a reply of status 200.

    Raises:
        WorkerError: there is none; with the usage and the status that the reply names.
    """
    data = _parse(body)
    usage = _usage(data)
    choice = _first_choice(data)
    _check(data, choice, usage)
    message = choice.get("message") if choice else None
    if not isinstance(message, dict):
        raise WorkerError("the reply holds no choice with a message", usage=usage, kind="empty")
    refusal = _text(message.get("refusal"), usage)
    text = _mended(_text(message.get("content"), usage) + refusal)
    finish = "filter" if refusal else _finish_reason(choice)
    calls = calls_in(message)
    return Completion(text, usage, _model(data), finish or "stop", tool_calls=calls)


class StreamDecoder:
    """Reads a streamed completion: bytes in, pieces of text out, at the end the completion.

    Usage may come on every chunk as a running total, so the last one counts.
    """

    def __init__(self) -> None:
        self.done = False
        """Whether the stream has said that nothing more follows."""
        self._events = SseDecoder()
        self._pieces: list[str] = []
        self._half = ""  # the first half of a surrogate pair, whose second has not arrived
        self._figures: Mapping[str, Any] | None = None
        self._usage: Usage | None = None
        self._model = ""
        self._finish: FinishReason | None = None
        self._refused = False
        self._calls = CallPieces()

    def feed(self, data: bytes) -> str:
        """Take the next bytes of the body.

        Returns:
            The text that has arrived with them; often empty.

        Raises:
            WorkerError: an error came in place of a chunk, or something that is no chunk.
        """
        return self._take(self._events.feed(data))

    def close(self) -> str:
        """Take the end of the body, and return the text that it completes.

        Raises:
            WorkerError: as `feed`.
        """
        return self._take(self._events.close())

    def completion(self) -> Completion:
        """The whole, after `close`. Its text is all pieces joined.

        Raises:
            WorkerError: the stream broke off.
        """
        if self._finish is None and not self.done:
            raise WorkerError(
                "the stream broke off before its end", usage=self._usage, kind="broken_stream"
            )
        finish: FinishReason = "filter" if self._refused else self._finish or "stop"
        text, calls = "".join(self._pieces), self._calls.text()
        return Completion(text, self._usage, self._model, finish, tool_calls=calls)

    def _take(self, events: Iterable[SseEvent]) -> str:
        text = ""
        for event in events:
            if event.data.strip() == "[DONE]":
                self.done = True
            if not self.done:
                text += self._chunk(event)
        text = self._half + text
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        text = _mended(text)
        if text:
            self._pieces.append(text)
        return text

    def _chunk(self, event: SseEvent) -> str:
        data = _parse(event.data)
        if figures := figures_in(data):
            self._figures = merged(self._figures, figures)
            self._usage = usage_from(self._figures) or self._usage
        if event.name == "error" and not data.get("error"):
            data = {"error": data}
        choice = _first_choice(data)
        _check(data, choice, self._usage)
        self._model = self._model or _model(data)
        if choice is None:
            return ""
        self._finish = _finish_reason(choice) or self._finish
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return ""
        self._calls.add(delta.get("tool_calls"))
        refusal = _text(delta.get("refusal"), self._usage)
        self._refused = self._refused or bool(refusal)
        return _text(delta.get("content"), self._usage) + refusal


def _parse(body: bytes | str) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:  # ValueError: bad UTF-8 or a huge number, too
        shown = body if isinstance(body, str) else body[:2000].decode("utf-8", "replace")
        raise WorkerError(
            f"the reply is no JSON, or was cut off: {one_line(shown)!r}", kind="broken_stream"
        ) from error
    if isinstance(data, list) and len(data) == 1:  # Gemini wraps its error objects so
        data = data[0]
    if not isinstance(data, dict):
        raise WorkerError(f"the reply is a JSON {type(data).__name__}, not an object")
    return data


def _first_choice(data: Mapping[str, Any]) -> dict[str, Any] | None:
    choices = data.get("choices")
    if isinstance(choices, list):
        for choice in choices:
            if isinstance(choice, dict) and not choice.get("index"):
                return choice
    return None


def _check(data: Mapping[str, Any], choice: Mapping[str, Any] | None, usage: Usage | None) -> None:
    """Raise the error that a reply of status 200 carries, at its top or in its choice."""
    error = data.get("error") or (choice.get("error") if choice else None)
    if error or data.get("object") == "error":  # vLLM's errors have their fields at the top
        cause = error or data
        words = words_of(cause) or "an error without a message"
        status = status_of(cause)
        raise WorkerError(
            words,
            usage=usage,
            status=status,
            kind=kind_of(status, cause, words),
            retry_after_s=told_retry_after_s(cause),
        )
    if choice and _finish_reason(choice) == "error":
        raise WorkerError(
            f"the model stopped with {one_line(str(choice['finish_reason']))!r}",
            usage=usage,
            kind="server",
        )


def _finish_reason(choice: Mapping[str, Any] | None) -> FinishReason | None:
    reason = choice.get("finish_reason") if choice else None
    return _FINISH.get(reason.lower(), "stop") if isinstance(reason, str) and reason else None


def _model(data: Mapping[str, Any]) -> str:
    model = data.get("model")
    return one_line(model) if isinstance(model, str) else ""


def _text(content: object, usage: Usage | None) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(map(_part, content))
    raise WorkerError(f"the reply's text is a {type(content).__name__}", usage=usage)


def _part(part: object) -> str:
    """The text of a content part; parts of reasoning, images and the like have none."""
    if isinstance(part, dict) and part.get("type") in ("text", "output_text"):
        part = part.get("text")
    return part if isinstance(part, str) else ""


def _usage(data: Mapping[str, Any]) -> Usage | None:
    figures = figures_in(data)
    return None if figures is None else usage_from(figures)


def _mended(text: str) -> str:
    """Halves of surrogate pairs joined, and those without a partner replaced by U+FFFD.

    JSON can spell a lone half, but no encoding can: it would break whatever the text goes into.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
