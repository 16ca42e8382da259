"""HttpModel: a ChatModel behind an OpenAI-compatible HTTP API.

One call is one request, except that it is made again at once without a parameter that the model
turns out to refuse. Retries and rate limits are left to wrappers, what the bytes mean to `wire.py`
and `fault.py`.

The path of a call is short because orchestration is measured against bare aiohttp: URL, headers,
time-out and proxy are settled once, in the constructor. That is also why the session does not look
at the environment itself: aiohttp would do so in a thread, twice for every request.
"""

import asyncio
import io
import time
from collections.abc import Sequence
from contextlib import suppress

import aiohttp

from partbook.errors import WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import OnText
from partbook.models.endpoint import endpoint_url, proxy_of
from partbook.models.fault import decode_error, one_line
from partbook.models.fault_kind import retry_after_s
from partbook.models.parameters import Parameters
from partbook.models.presets import token_limit_of
from partbook.models.wire import StreamDecoder, TokenLimitField, decode, encode
from partbook.secret import Secret

__all__ = ["HttpModel", "open_session"]

CONNECT_TIMEOUT_S = 30.0
"""Longest wait for a connection: a host that is there answers much sooner."""

MAX_REPLY_BYTES = 64 * 2**20
"""Longest body of a reply; a stream of 200,000 tokens stays below it."""

MAX_ERROR_BYTES = 64 * 2**10
"""How much of an error's body is read."""

MAX_PLAIN_BODY_BYTES = 2**20
"""Above this size aiohttp wants a request's body as a file, which it sends in pieces."""

LINGER_S = 0.5
"""How long a finished stream may take to end its body, so that its connection can be used again."""


def open_session() -> aiohttp.ClientSession:
    """A session for all HTTP models of a process; to be opened in the event loop, and closed.

    It has no limits of its own: each worker has one for its calls, and each call a time-out.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
        timeout=aiohttp.ClientTimeout(total=None),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


class HttpModel:
    """A ChatModel behind an OpenAI-compatible HTTP API."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        endpoint: str,
        model: str,
        key: Secret | None = None,
        *,
        timeout_s: float = 600.0,
        token_limit: TokenLimitField | None = None,
        parameters: Parameters | None = None,
    ) -> None:
        """Settle all that is the same for every call.

        Args:
            session: shared with other models; closed by its owner.
            endpoint: base URL, up to and including the version; a query is kept.
            model: the provider's id of the model.
            key: API key; None where none is needed. It appears in no message.
            timeout_s: longest wait for one call, connecting and reading included; above 0.
            token_limit: None: as the preset of this endpoint says, else `max_tokens`.
            parameters: what this model is known to refuse, shared with others of the same id and
                endpoint; None: a memory of its own.

        Raises:
            ConfigError: as `endpoint_url`.
        """
        url = endpoint_url(endpoint)
        self._session = session
        self._model = model
        self._key = key
        self.parameters = parameters or Parameters(token_limit or token_limit_of(url.host))
        """What the model is known to refuse."""
        self._url = url.joinpath("chat", "completions").with_query(url.query)
        self._place = f"{model} at {url.authority}"
        self._headers = {"Content-Type": "application/json"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key.reveal()}"
        self._timeout_s = timeout_s
        self._timeout = aiohttp.ClientTimeout(total=timeout_s, sock_connect=CONNECT_TIMEOUT_S)
        self._proxy = proxy_of(url)

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message; streamed where `on_text` is given.

        Raises:
            WorkerError: no answer. Its usage is that of a call that cost nothing where no
                connection came about or the status is not 200, and None where the server may have
                worked.
        """
        while True:
            known = self.parameters.known
            body = encode(
                self._model,
                messages,
                sampling,
                stream=on_text is not None,
                token_limit=known.token_limit,
                without=known.refused,
            )
            try:
                async with self._session.post(
                    self._url,
                    data=body if len(body) <= MAX_PLAIN_BODY_BYTES else io.BytesIO(body),
                    headers=self._headers,
                    timeout=self._timeout,
                    proxy=self._proxy,
                    allow_redirects=False,  # the key goes to the endpoint and nowhere else
                ) as reply:
                    if reply.status == 200:
                        if on_text is None:
                            return decode(await _read(reply))
                        return await _stream(reply, on_text)
                    said = await _error_body(reply)
                    if reply.status not in (400, 422) or not self.parameters.learn(
                        known, body, said, self._place
                    ):
                        raise _refused(reply, said)
                    # The next request leaves out what was refused.
            except WorkerError as error:
                # Without its cause: that may quote the key, which `_words` takes out.
                raise WorkerError(
                    self._words(str(error)),
                    usage=error.usage,
                    status=error.status,
                    kind=error.kind,
                    retry_after_s=error.retry_after_s,
                ) from None
            except aiohttp.ConnectionTimeoutError:
                words = self._words("no connection came about in time")
                raise WorkerError(words, usage=Usage(), kind="connection") from None
            except (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError) as error:
                words = self._words(f"no connection: {_reason(error)}")
                raise WorkerError(words, usage=Usage(), kind="connection") from error
            except TimeoutError:
                words = self._words(f"no whole answer within {self._timeout_s:g} s")
                raise WorkerError(words, kind="timeout") from None
            except (aiohttp.ClientError, OSError) as error:
                words = self._words(f"the connection broke: {_reason(error)}")
                raise WorkerError(words, kind="broken_stream") from error

    def _words(self, message: str) -> str:
        if self._key is not None:
            message = self._key.hide_in_error(message)
        return f"{self._place}: {message}"


def _refused(reply: aiohttp.ClientResponse, body: bytes) -> WorkerError:
    if "Location" in reply.headers:
        where = one_line(reply.headers["Location"])
        return WorkerError(
            f"{reply.status}: redirects to {where}; if that is right, make it the endpoint",
            usage=Usage(),
            status=reply.status,
            kind="refused",
        )
    return decode_error(reply.status, body, retry_after_s(reply.headers, time.time()))


async def _error_body(reply: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    with suppress(aiohttp.ClientError, TimeoutError):  # the status says enough
        async for data in reply.content.iter_any():
            body += data
            if len(body) >= MAX_ERROR_BYTES:
                break
    return bytes(body[:MAX_ERROR_BYTES])


async def _read(reply: aiohttp.ClientResponse) -> bytes:
    content, size = reply.content, 0
    pieces: list[bytes] = []
    while not content.at_eof():
        data = await content.readany()
        size += len(data)
        if size > MAX_REPLY_BYTES:
            raise _too_long()
        pieces.append(data)
    return b"".join(pieces)


async def _stream(reply: aiohttp.ClientResponse, on_text: OnText) -> Completion:
    if reply.content_type == "application/json":  # the server does not stream
        completion = decode(await _read(reply))
        if completion.text:
            on_text(completion.text)
        return completion
    decoder = StreamDecoder()
    size = 0
    async for data in reply.content.iter_any():
        size += len(data)
        if size > MAX_REPLY_BYTES:
            raise _too_long()
        if text := decoder.feed(data):
            on_text(text)
        if decoder.done:
            with suppress(aiohttp.ClientError, TimeoutError):
                async with asyncio.timeout(LINGER_S):
                    await reply.content.readany()
            break
    if text := decoder.close():
        on_text(text)
    return decoder.completion()


def _too_long() -> WorkerError:
    return WorkerError(f"the reply is longer than {MAX_REPLY_BYTES} bytes")


def _reason(error: Exception) -> str:
    """What went wrong, without the URL and the headers that some of these errors carry."""
    if isinstance(error, aiohttp.ClientResponseError):
        return one_line(error.message)
    return one_line(str(error)) or type(error).__name__
