"""HttpModel: a ChatModel behind an OpenAI-compatible HTTP API.

One call is one request: retries, rate limits and parameters that an endpoint turns out to refuse
are left to wrappers. What the bytes mean is left to `wire.py` and `fault.py`.

The path of a call is short because orchestration is measured against bare aiohttp: URL, headers,
time-out and proxy are settled once, in the constructor. That is also why the session does not look
at the environment itself: aiohttp would do so in a thread, twice for every request.
"""

import asyncio
import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

from partbook.errors import ConfigError, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import OnText
from partbook.models.fault import decode_error, one_line
from partbook.models.wire import StreamDecoder, TokenLimitField, decode, encode

__all__ = ["PRESETS", "HttpModel", "Preset", "open_session"]

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
        key: str | None = None,
        *,
        timeout_s: float = 600.0,
        token_limit: TokenLimitField | None = None,
    ) -> None:
        """Settle all that is the same for every call.

        Args:
            session: shared with other models; closed by its owner.
            endpoint: base URL, up to and including the version; a query is kept.
            model: the provider's id of the model.
            key: API key; None or empty where none is needed. It appears in no message.
            timeout_s: longest wait for one call, connecting and reading included; above 0.
            token_limit: None: as the preset of this endpoint says, else `max_tokens`.

        Raises:
            ConfigError: the endpoint is no http(s) URL, or the key cannot stand in a header.
        """
        url = _url(endpoint)
        self._session = session
        self._model = model
        self._key = key or ""
        self._token_limit = token_limit or _token_limit(url)
        self._url = url.joinpath("chat", "completions").with_query(url.query)
        self._place = f"{model} at {url.authority}"
        self._headers = {"Content-Type": "application/json"}
        if self._key:
            if not (self._key.isascii() and self._key.isprintable() and " " not in self._key):
                raise ConfigError(
                    f"the API key for {self._place} holds spaces, line breaks or characters "
                    "outside ASCII; expected the bare key"
                )
            self._headers["Authorization"] = f"Bearer {self._key}"
        self._timeout_s = timeout_s
        self._timeout = aiohttp.ClientTimeout(total=timeout_s, sock_connect=CONNECT_TIMEOUT_S)
        self._proxy = _proxy(url)

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message; streamed where `on_text` is given.

        Raises:
            WorkerError: no answer. Its usage is that of a call that cost nothing where no
                connection came about or the status is not 200, and None where the server may have
                worked.
        """
        body = encode(
            self._model,
            messages,
            sampling,
            stream=on_text is not None,
            token_limit=self._token_limit,
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
                if reply.status != 200:
                    raise await _refused(reply)
                if on_text is None:
                    return decode(await _read(reply))
                return await _stream(reply, on_text)
        except WorkerError as error:
            # Without its cause: that may quote the key, which `_failure` takes out.
            raise self._failure(str(error), error.usage, error.status) from None
        except aiohttp.ConnectionTimeoutError:
            raise self._failure("no connection came about in time", Usage()) from None
        except (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError) as error:
            raise self._failure(f"no connection: {_reason(error)}", Usage()) from error
        except TimeoutError:
            raise self._failure(f"no whole answer within {self._timeout_s:g} s", None) from None
        except (aiohttp.ClientError, OSError) as error:
            raise self._failure(f"the connection broke: {_reason(error)}", None) from error

    def _failure(self, message: str, usage: Usage | None, status: int | None = None) -> WorkerError:
        if self._key:
            message = message.replace(self._key, "[key]")
        return WorkerError(f"{self._place}: {message}", usage=usage, status=status)


async def _refused(reply: aiohttp.ClientResponse) -> WorkerError:
    if "Location" in reply.headers:
        where = one_line(reply.headers["Location"])
        return WorkerError(
            f"{reply.status}: redirects to {where}; if that is right, make it the endpoint",
            usage=Usage(),
            status=reply.status,
        )
    body = bytearray()
    with suppress(aiohttp.ClientError, TimeoutError):  # the status says enough
        async for data in reply.content.iter_any():
            body += data
            if len(body) >= MAX_ERROR_BYTES:
                break
    return decode_error(reply.status, bytes(body[:MAX_ERROR_BYTES]))


async def _read(reply: aiohttp.ClientResponse) -> bytes:
    pieces = []
    size = 0
    async for data in reply.content.iter_any():
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


def _url(endpoint: str) -> URL:
    expected = f"endpoint {endpoint!r}: expected a URL like {PRESETS['openai'].endpoint}"
    try:
        url = URL(endpoint)
    except ValueError as error:
        raise ConfigError(f"{expected} ({error})") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigError(expected)
    if url.user or url.password:
        raise ConfigError(
            f"the endpoint at {url.host} holds a user name or password; give the key by key_env"
        )
    return url


def _token_limit(url: URL) -> TokenLimitField:
    for preset in PRESETS.values():
        if url.host == URL(preset.endpoint).host:
            return preset.token_limit
    return "max_tokens"


def _proxy(url: URL) -> str | None:
    """The proxy that the environment names for this URL (`HTTPS_PROXY`, `NO_PROXY` and so on)."""
    host = url.host or ""
    if host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(host):
        return None
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if proxy is not None and not proxy.startswith(("http://", "https://")):
        raise ConfigError(
            f"the environment's proxy for {url.scheme} must begin with http:// or https://"
        )
    return proxy
