import asyncio
import socket

import pytest

from partbook.errors import ConfigError, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.http import HttpModel, open_session
from partbook.models.presets import PRESETS
from partbook.secret import Secret
from tests.models.scripted_server import (
    ABORT,
    DONE,
    STREAM_HEAD,
    ScriptedServer,
    chunk,
    completion,
    delta,
    event,
    reply,
    stream,
)

ASK = [Message("user", "q")]
KEY = "sk-very-secret"


@pytest.fixture
async def session():
    async with open_session() as session:
        yield session


async def failure(model: HttpModel, on_text=None) -> WorkerError:
    with pytest.raises(WorkerError) as caught:
        await model.chat(ASK, Sampling(), on_text)
    assert KEY not in str(caught.value)
    return caught.value


async def test_a_question_is_one_post_and_its_reply_a_completion(session):
    async with ScriptedServer(reply(completion("a"))) as server:
        model = HttpModel(session, server.url, "m", Secret(KEY))

        answer = await model.chat(ASK, Sampling(max_tokens=5))

    assert answer == Completion("a", Usage(9, 2), "m-1", "stop")
    (request,) = server.requests
    assert request.line == "POST /v1/chat/completions HTTP/1.1"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"
    assert request.json() == {
        "model": "m",
        "messages": [{"role": "user", "content": "q"}],
        "max_tokens": 5,
    }


@pytest.mark.parametrize("end", ["", "/", "/?version=1"])
async def test_the_path_is_added_to_the_endpoint(session, end):
    async with ScriptedServer(reply(completion("a"))) as server:
        await HttpModel(session, server.url + end, "m").chat(ASK, Sampling())

    query = end.removeprefix("/")
    assert server.requests[0].line == f"POST /v1/chat/completions{query} HTTP/1.1"
    assert "authorization" not in server.requests[0].headers


async def test_the_name_of_the_token_limit_can_be_chosen(session):
    async with ScriptedServer(reply(completion("a"))) as server:
        model = HttpModel(session, server.url, "m", token_limit="max_completion_tokens")

        await model.chat(ASK, Sampling(max_tokens=5))

    assert server.requests[0].json()["max_completion_tokens"] == 5
    assert "max_tokens" not in server.requests[0].json()


async def test_connections_are_used_again(session):
    whole = reply(completion("a"))
    async with ScriptedServer(whole, whole, stream(delta("b", "stop") + DONE), whole) as server:
        model = HttpModel(session, server.url, "m")

        for on_text in (None, None, str, None):
            await model.chat(ASK, Sampling(), on_text)

    assert server.connections == 1


async def test_cookies_are_not_kept(session, monkeypatch):
    cookie = reply(completion("a"), Set_Cookie="id=1")
    async with ScriptedServer(cookie, cookie) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "")
        model = HttpModel(session, "http://model.example/v1", "m")

        for _ in range(2):
            await model.chat(ASK, Sampling())

    assert ["cookie" in request.headers for request in proxy.requests] == [False, False]


async def test_the_session_sets_no_limit_to_calls_in_flight(session):
    gate = asyncio.Event()
    async with ScriptedServer(*[[gate, *reply(completion("a"))]] * 150) as server:
        model = HttpModel(session, server.url, "m")

        async with asyncio.timeout(20), asyncio.TaskGroup() as group:
            for _ in range(150):
                group.create_task(model.chat(ASK, Sampling()))
            while len(server.requests) < 150:
                server.asked.clear()
                await server.asked.wait()
            gate.set()

    assert len(server.requests) == 150


async def test_a_request_of_several_megabytes_is_sent(session):
    text = "x" * 3 * 2**20
    async with ScriptedServer(reply(completion("a"))) as server:
        await HttpModel(session, server.url, "m").chat([Message("user", text)], Sampling())

    assert server.requests[0].json()["messages"][0]["content"] == text


# Streams


async def test_a_stream_gives_its_text_as_it_arrives(session):
    heard = []
    gate = asyncio.Event()
    usage = event({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}})
    script = [STREAM_HEAD, chunk(delta("He")), gate]
    script += [chunk(delta("llo", "stop") + usage + DONE), chunk(b"")]
    async with ScriptedServer(script) as server:

        def hear(text: str) -> None:
            heard.append(text)
            gate.set()  # nothing more comes before the first piece was heard

        answer = await HttpModel(session, server.url, "m").chat(ASK, Sampling(), hear)

    assert heard == ["He", "llo"]
    assert answer == Completion("Hello", Usage(9, 2), "m-1", "stop")
    assert server.requests[0].json()["stream_options"] == {"include_usage": True}


async def test_a_stream_may_be_cut_into_single_bytes(session):
    heard = []
    whole = delta("那个") + b": ping\r\n\r\n" + delta("😀", "stop") + DONE
    async with ScriptedServer(stream(*(bytes([byte]) for byte in whole))) as server:
        answer = await HttpModel(session, server.url, "m").chat(ASK, Sampling(), heard.append)

    assert "".join(heard) == answer.text == "那个😀"


async def test_a_server_that_does_not_stream_is_read_as_well(session):
    heard = []
    async with ScriptedServer(reply(completion("a"))) as server:
        answer = await HttpModel(session, server.url, "m").chat(ASK, Sampling(), heard.append)

    assert heard == ["a"]
    assert answer.text == "a"


async def test_a_server_that_never_ends_its_stream_delays_nobody_for_long(session):
    forever = [STREAM_HEAD, chunk(delta("a", "stop") + DONE), asyncio.Event()]
    async with ScriptedServer(forever) as server, asyncio.timeout(10):
        answer = await HttpModel(session, server.url, "m").chat(ASK, Sampling(), str)

        await server.left.wait()

    assert answer.text == "a"


# Failures


@pytest.mark.parametrize("on_text", [None, str])
@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, {"error": {"message": f"bad key: {KEY}"}}, "401: bad key: [key]"),
        (404, {"error": {"message": "this model is gone"}}, "404: this model is gone"),
        (429, {"error": "slow down"}, "429: slow down"),
        (500, b"<html>oops</html>", "500: an HTML page"),
        (529, b"", "529: no message"),
        (204, b"", "204: no message"),
    ],
)
async def test_another_status_is_an_error_that_cost_nothing(
    session, status, body, message, on_text
):
    async with ScriptedServer(reply(body, status)) as server:
        error = await failure(HttpModel(session, server.url, "m", Secret(KEY)), on_text)

    assert str(error) == f"m at {server.url[7:-3]}: {message}"
    assert (error.status, error.usage) == (status, Usage())


async def test_the_key_of_an_error_in_a_good_reply_is_not_shown_either(session):
    body = {"error": {"message": f"quota of {KEY}", "code": 429}, "choices": None}
    async with ScriptedServer(reply(body)) as server:
        error = await failure(HttpModel(session, server.url, "m", Secret(KEY)))

    assert str(error).endswith("quota of [key]")
    assert error.__cause__ is None
    assert (error.status, error.usage) == (429, None)


async def test_of_an_endless_error_only_the_beginning_is_read(session):
    head = b"HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n"
    endless = [head, chunk(b"x" * 2**17), asyncio.Event()]
    async with ScriptedServer(endless) as server, asyncio.timeout(10):
        error = await failure(HttpModel(session, server.url, "m"))

    assert (error.status, error.usage) == (500, Usage())


async def test_an_error_whose_body_breaks_off_keeps_its_status(session):
    cut = [b"HTTP/1.1 503 Busy\r\nContent-Length: 100\r\n\r\nbusy", ABORT]
    async with ScriptedServer(cut) as server:
        error = await failure(HttpModel(session, server.url, "m"))

    assert (error.status, error.usage) == (503, Usage())


async def test_a_redirect_is_not_followed(session):
    async with ScriptedServer() as other:
        moved = reply(b"", 308, Location=other.url)
        async with ScriptedServer(moved) as server:
            error = await failure(HttpModel(session, server.url, "m", Secret(KEY)))

    assert f"308: redirects to {other.url}" in str(error)
    assert other.connections == 0


async def test_a_refused_connection_costs_nothing(session):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

        error = await failure(HttpModel(session, f"http://127.0.0.1:{port}/v1", "m", Secret(KEY)))

    assert f"m at 127.0.0.1:{port}: no connection" in str(error)
    assert (error.status, error.usage) == (None, Usage())


WHOLE_HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"


@pytest.mark.parametrize(
    "script",
    [
        [ABORT],
        [b"HTTP/1.1 200", ABORT],
        [b"\x00\x00 no HTTP\r\n\r\n"],
        [WHOLE_HEAD + b'{"choices"', ABORT],
    ],
)
async def test_what_a_broken_connection_cost_is_unknown(session, script):
    async with ScriptedServer(script) as server:
        error = await failure(HttpModel(session, server.url, "m"))

    assert "the connection broke" in str(error)
    assert error.usage is None


async def test_a_stream_that_breaks_is_an_error_although_text_has_come(session):
    heard = []
    script = [STREAM_HEAD, chunk(delta("abc")), b"5\r\ndat", ABORT]
    async with ScriptedServer(script) as server:
        error = await failure(HttpModel(session, server.url, "m"), heard.append)

    assert "broke" in str(error)
    assert error.usage is None


async def test_overload_inside_a_stream_has_its_status(session):
    overloaded = event({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}})
    async with ScriptedServer(stream(b"event: error\n" + overloaded)) as server:
        error = await failure(HttpModel(session, server.url, "m"), str)

    assert str(error).endswith(": busy")
    assert error.status == 529


@pytest.mark.parametrize("start", [[], [WHOLE_HEAD], [STREAM_HEAD, chunk(delta("a"))]])
async def test_a_call_ends_at_its_time_out_and_so_does_its_connection(session, start):
    async with ScriptedServer([*start, asyncio.Event()]) as server, asyncio.timeout(10):
        error = await failure(HttpModel(session, server.url, "m", timeout_s=0.2), str)

        await server.left.wait()

    assert "no whole answer within 0.2 s" in str(error)
    assert error.usage is None


@pytest.mark.parametrize("on_text", [None, str])
@pytest.mark.parametrize("start", [[], [STREAM_HEAD, chunk(delta("a"))]])
async def test_cancelling_a_call_closes_its_connection(session, start, on_text):
    async with ScriptedServer([*start, asyncio.Event()]) as server, asyncio.timeout(10):
        model = HttpModel(session, server.url, "m")
        task = asyncio.create_task(model.chat(ASK, Sampling(), on_text))
        await server.asked.wait()

        task.cancel()
        await asyncio.wait([task])
        await server.left.wait()

    assert task.cancelled()


async def test_an_endless_reply_is_cut_off(session):
    blank = chunk(b" " * 2**22)
    endless = [STREAM_HEAD, *[blank] * 17, asyncio.Event()]
    async with ScriptedServer(endless) as server, asyncio.timeout(20):
        error = await failure(HttpModel(session, server.url, "m"))

        await server.left.wait()

    assert "longer than 67108864 bytes" in str(error)
    assert error.usage is None


# Set-up


@pytest.mark.parametrize(
    "endpoint", ["", "api.openai.com/v1", "ftp://a/v1", "http://", "http://[::"]
)
async def test_an_endpoint_that_is_no_url_is_refused(session, endpoint):
    with pytest.raises(ConfigError, match=r"expected a URL like https://api\.openai\.com/v1"):
        HttpModel(session, endpoint, "m")


async def test_an_endpoint_with_a_password_is_refused_without_showing_it(session):
    with pytest.raises(ConfigError, match="password") as caught:
        HttpModel(session, f"https://user:{KEY}@a.example/v1", "m")

    assert KEY not in str(caught.value)


@pytest.mark.parametrize("parameter", ["key", "API-Key", "access_token"])
async def test_an_endpoint_with_a_key_in_its_query_is_refused_without_showing_it(
    session, parameter
):
    with pytest.raises(ConfigError, match="holds a key in its parameter") as caught:
        HttpModel(session, f"https://a.example/v1?{parameter}={KEY}", "m")

    assert KEY not in str(caught.value)


async def test_the_proxy_of_the_environment_is_used_but_not_for_this_machine(session, monkeypatch):
    scripts = [reply(completion("a"))] * 2
    async with ScriptedServer(*scripts) as proxy, ScriptedServer(*scripts) as server:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "")

        for endpoint in ("http://model.example/v1", server.url):
            await HttpModel(session, endpoint, "m").chat(ASK, Sampling())

    assert [request.line for request in proxy.requests] == [
        "POST http://model.example/v1/chat/completions HTTP/1.1"
    ]
    assert len(server.requests) == 1


async def test_a_proxy_of_another_kind_is_refused(session, monkeypatch):
    monkeypatch.setenv("https_proxy", "socks5://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")

    with pytest.raises(ConfigError, match="must begin with http"):
        HttpModel(session, "https://model.example/v1", "m")


async def test_presets_are_complete_and_an_endpoint_is_known_by_its_host(session, monkeypatch):
    async with ScriptedServer(*[reply(completion("a"))] * 2) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "")

        for host in ("api.openai.com", "api.anthropic.com"):
            await HttpModel(session, f"http://{host}/v1", "m").chat(ASK, Sampling(max_tokens=5))

    sent = [request.json() for request in proxy.requests]
    assert [("max_completion_tokens" in body, "max_tokens" in body) for body in sent] == [
        (True, False),
        (False, True),
    ]
    names = ["openai", "anthropic", "gemini", "openrouter", "vllm", "ollama", "llamacpp"]
    assert list(PRESETS) == names


# A real server


@pytest.mark.models
async def test_llama_cpp_answers_the_same_whole_and_streamed(session, llama_server):
    model = HttpModel(session, f"{llama_server}/v1", "smollm2-135m")
    ask = [Message("user", "Say hello in one word.")]
    greedy = Sampling(max_tokens=8, temperature=0.0, seed=1)
    heard = []

    whole = await model.chat(ask, greedy)
    streamed = await model.chat(ask, greedy, heard.append)

    assert whole.text == streamed.text == "".join(heard) != ""
    assert whole.usage is not None
    assert streamed.usage is not None
    assert whole.usage.prompt_tokens == streamed.usage.prompt_tokens > 5
    assert whole.usage.completion_tokens == streamed.usage.completion_tokens <= 8
    assert whole.finish_reason == streamed.finish_reason


@pytest.mark.models
async def test_llama_cpp_follows_a_grammar_and_tells_its_limit(session, llama_server):
    model = HttpModel(session, f"{llama_server}/v1", "smollm2-135m")
    sampling = Sampling(max_tokens=3, temperature=0.0, grammar='root ::= "7"+')

    answer = await model.chat(ASK, sampling)

    assert set(answer.text) == {"7"}
    assert answer.finish_reason == "length"
    assert answer.usage is not None
    assert answer.usage.completion_tokens == 3


@pytest.mark.models
async def test_llama_cpp_refuses_a_bad_grammar_in_its_own_words(session, llama_server):
    model = HttpModel(session, f"{llama_server}/v1", "smollm2-135m")

    with pytest.raises(WorkerError, match="grammar") as caught:
        await model.chat(ASK, Sampling(max_tokens=3, grammar="root ::= ("))

    assert (caught.value.status, caught.value.usage) == (400, Usage())


@pytest.mark.models
async def test_llama_cpp_stops_working_for_calls_that_were_cancelled(session, llama_server):
    model = HttpModel(session, f"{llama_server}/v1", "smollm2-135m")
    endless = Sampling(max_tokens=3000, temperature=0.0, grammar='root ::= ("a " | "b ") root')
    began = asyncio.Event()
    calls = [model.chat(ASK, endless, lambda _: began.set()) for _ in range(40)]
    tasks = [asyncio.create_task(call) for call in calls]
    await began.wait()

    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)

    # 40 such calls to their end would take several minutes on two slots.
    async with asyncio.timeout(60):
        answer = await model.chat(ASK, Sampling(max_tokens=2, temperature=0.0))
    assert answer.usage is not None
