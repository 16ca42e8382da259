import json
from contextlib import suppress

import pytest

from partbook.errors import ConfigError, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.recorded import Recording
from partbook.models.replayed import Replay
from tests.fakes import Echo, Failing, Scripted

WORKERS = {"far": "http m", "near": "local n"}


def ask(text: str) -> list[Message]:
    return [Message("system", "Be brief."), Message("user", text)]


async def recorded(folder, *calls) -> Replay:
    """A replay of these calls: worker, model, text, sampling."""
    recording = Recording.open(folder, "mine", WORKERS)
    for worker, model, text, sampling in calls:
        with suppress(WorkerError):
            await recording.of(worker, model).chat(ask(text), sampling)
    recording.close()
    return Replay.open(folder)


async def test_a_call_is_answered_as_it_was_then(tmp_path):
    replay = await recorded(tmp_path / "rec", ("far", Echo("a"), "q", Sampling(seed=1)))
    pieces: list[str] = []

    answer = await replay.of("far").chat(ask("q"), Sampling(seed=1), pieces.append)

    assert answer == Completion("a(q)", Usage(10, 5), "a")
    assert pieces == ["a(q)"]


async def test_the_same_call_made_twice_is_answered_in_order(tmp_path):
    model = Scripted(["one", "two"])
    call = ("far", model, "q", Sampling())
    replay = await recorded(tmp_path / "rec", call, call)
    far = replay.of("far")

    texts = [(await far.chat(ask("q"), Sampling())).text for _ in range(2)]

    assert texts == ["one", "two"]
    with pytest.raises(ConfigError, match="it is there 2 times, and was replayed as often"):
        await far.chat(ask("q"), Sampling())


async def test_a_failure_fails_again_and_is_not_waited_for(tmp_path):
    replay = await recorded(
        tmp_path / "rec",
        ("far", Failing(Usage(3, 0)), "q", Sampling()),
        ("far", Echo("a"), "q", Sampling()),
    )
    far = replay.of("far")

    with pytest.raises(WorkerError, match="the worker is down") as failed:
        await far.chat(ask("q"), Sampling())

    assert failed.value.usage == Usage(3, 0)
    assert (await far.chat(ask("q"), Sampling())).text == "a(q)"


async def test_a_wait_that_was_asked_for_is_not_waited_again(tmp_path):
    class Busy:
        async def chat(self, messages, sampling, on_text=None):
            raise WorkerError("busy", status=429, kind="rate_limit", retry_after_s=30.0)

    replay = await recorded(tmp_path / "rec", ("far", Busy(), "q", Sampling()))

    with pytest.raises(WorkerError) as failed:
        await replay.of("far").chat(ask("q"), Sampling())

    assert (failed.value.kind, failed.value.status) == ("rate_limit", 429)
    assert failed.value.retry_after_s == 0.0


@pytest.mark.parametrize(
    ("worker", "text", "sampling", "message"),
    [
        (
            "far",
            "How many cats are there?",
            Sampling(),
            "worker 'far': a call was not recorded in {}; the nearest, line 2, differs in message "
            "1 (user) from character 9: 'How many dogs are there?' there, "
            "'How many cats are there?' here",
        ),
        (
            "far",
            "Why?",
            Sampling(seed=2),
            "the nearest, line 1, has other sampling: {{'max_tokens': 4096}} there, "
            "{{'max_tokens': 4096, 'seed': 2}} here",
        ),
        ("near", "Why?", Sampling(), "worker 'near': a call was not recorded in {}; this worker"),
    ],
)
async def test_a_call_that_was_not_recorded_is_told_with_the_nearest(
    tmp_path, worker, text, sampling, message
):
    folder = tmp_path / "rec"
    replay = await recorded(
        folder,
        ("far", Echo("a"), "Why?", Sampling()),
        ("far", Echo("a"), "How many dogs are there?", Sampling()),
    )

    with pytest.raises(ConfigError) as missing:
        await replay.of(worker).chat(ask(text), sampling)

    assert message.format(folder) in str(missing.value)


async def test_more_or_fewer_messages_are_told(tmp_path):
    replay = await recorded(tmp_path / "rec", ("far", Echo("a"), "q", Sampling()))

    with pytest.raises(ConfigError, match="line 1, has 2 messages, here there are 1"):
        await replay.of("far").chat(ask("q")[:1], Sampling())


async def test_messages_that_differ_in_their_tool_calls_are_told(tmp_path):
    def calling(city: str) -> list[Message]:
        return [*ask("q"), Message("assistant", "", tool_calls=f'[{{"id": "{city}"}}]')]

    recording = Recording.open(tmp_path / "rec", "mine", WORKERS)
    await recording.of("far", Echo("a")).chat(calling("Oslo"), Sampling())
    recording.close()

    with pytest.raises(ConfigError, match=r"message 2 \(assistant\) in the tools that it calls"):
        await Replay.open(tmp_path / "rec").of("far").chat(calling("Rome"), Sampling())


@pytest.mark.parametrize(
    ("pool", "workers", "message"),
    [
        ("other", WORKERS, "is a recording of pool 'mine', not of 'other'"),
        ("mine", {"far": "http m2"}, "worker 'far' of pool 'mine' is 'http m2' now and was"),
        ("mine", {"new": "http m"}, "worker 'new' of pool 'mine' is 'http m' now and was None"),
    ],
)
async def test_another_pool_is_refused(tmp_path, pool, workers, message):
    replay = await recorded(tmp_path / "rec")

    with pytest.raises(ConfigError) as refused:
        replay.check(pool, workers)

    assert message in str(refused.value)


async def test_a_part_of_the_pool_is_enough(tmp_path):
    replay = await recorded(tmp_path / "rec")

    replay.check("mine", {"near": "local n"})


def test_a_folder_that_is_no_recording_is_refused_with_how_to_make_one(tmp_path):
    with pytest.raises(ConfigError, match="is no recording; make one with `partbook run --record"):
        Replay.open(tmp_path)


FAILED = b'{"message":"no","usage":null,"status":null,"retry_after_s":null'
ANSWERED = b'"sampling":{},"completion":{"text":"","usage":null,"model":"","finish_reason":"stop"'


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"[" * 100_000,
        b'{"worker":"far"}',
        b'{"worker":"far","messages":[],"sampling":{}}',
        b'{"worker":"far","messages":7,' + ANSWERED + b',"cached":false}}',
        b'{"worker":"far","messages":["q"],' + ANSWERED + b',"cached":false}}',
        b'{"worker":"far","messages":[["user",7]],' + ANSWERED + b',"cached":false}}',
        b'{"worker":"far","messages":[],"sampling":{},"error":' + FAILED + b',"kind":"odd"}}',
    ],
)
async def test_a_damaged_line_is_refused_with_its_number(tmp_path, line):
    await recorded(tmp_path / "rec", ("far", Echo("a"), "q", Sampling()))
    with (tmp_path / "rec" / "calls.jsonl").open("ab") as file:
        file.write(line + b"\n")

    with pytest.raises(ConfigError, match=r"calls\.jsonl, line 2 is damaged"):
        Replay.open(tmp_path / "rec")


async def test_a_last_line_that_was_cut_off_is_left_out(tmp_path):
    await recorded(tmp_path / "rec", ("far", Echo("a"), "q", Sampling()))
    with (tmp_path / "rec" / "calls.jsonl").open("ab") as file:
        file.write(b'{"worker":"fa')

    replay = Replay.open(tmp_path / "rec")

    assert (await replay.of("far").chat(ask("q"), Sampling())).text == "a(q)"


async def test_a_newer_or_damaged_manifest_is_refused(tmp_path):
    await recorded(tmp_path / "rec")
    manifest = tmp_path / "rec" / "manifest.json"
    data = json.loads(manifest.read_text())

    manifest.write_text(json.dumps(data | {"recording": 2}))
    with pytest.raises(ConfigError, match="recorded by a newer Partbook"):
        Replay.open(tmp_path / "rec")
    for damaged in ("{", json.dumps(data | {"workers": 7})):
        manifest.write_text(damaged)
        with pytest.raises(ConfigError, match=r"manifest\.json is damaged"):
            Replay.open(tmp_path / "rec")


async def test_any_text_is_replayed_as_it_was(tmp_path):
    text = "half \ud83d, \0, “quotes”\n\u2028 and a tab\t"
    replay = await recorded(tmp_path / "rec", ("far", Scripted([text]), text, Sampling()))

    assert (await replay.of("far").chat(ask(text), Sampling())).text == text
