import json
import resource
import signal

import pytest

from partbook.errors import StoreError, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.recorded import Recording, described
from partbook.pool import WorkerSpec
from tests.fakes import Echo, Failing

ASK = [Message("user", "q")]
WORKERS = {"far": "http m"}


def lines(folder) -> list[dict]:
    return [json.loads(line) for line in (folder / "calls.jsonl").read_text().splitlines()]


async def test_a_call_is_recorded_with_what_came_back(tmp_path):
    recording = Recording.open(tmp_path / "rec", "mine", WORKERS)

    answer = await recording.of("far", Echo("a")).chat(ASK, Sampling(5, seed=1, stop=("x",)))
    recording.close()

    assert answer == Completion("a(q)", Usage(10, 5), "a")
    (line,) = lines(tmp_path / "rec")
    assert line["worker"] == "far"
    assert line["messages"] == [["user", "q"]]
    assert line["sampling"] == {"max_tokens": 5, "seed": 1, "stop": ["x"]}
    assert line["completion"]["text"] == "a(q)"


async def test_a_failure_is_recorded_and_still_a_failure(tmp_path):
    recording = Recording.open(tmp_path / "rec", "mine", WORKERS)

    with pytest.raises(WorkerError):
        await recording.of("far", Failing()).chat(ASK, Sampling())
    recording.close()

    assert lines(tmp_path / "rec")[0]["error"]["message"] == "the worker is down"


async def test_a_recording_says_whose_it_is(tmp_path):
    workers = described([WorkerSpec("far", "http", "m"), WorkerSpec("sums", "calculator")])
    Recording.open(tmp_path / "rec", "mine", workers).close()

    manifest = json.loads((tmp_path / "rec" / "manifest.json").read_text())

    assert manifest["recording"] == 1
    assert manifest["pool"] == "mine"
    assert manifest["workers"] == {"far": "http m", "sums": "calculator"}


async def test_a_recording_of_the_same_pool_goes_on(tmp_path):
    for _ in range(2):
        recording = Recording.open(tmp_path / "rec", "mine", WORKERS)
        await recording.of("far", Echo("a")).chat(ASK, Sampling())
        recording.close()

    assert len(lines(tmp_path / "rec")) == 2


@pytest.mark.parametrize(
    ("pool", "workers", "message"),
    [
        ("other", WORKERS, "a recording with another 'pool' ('mine', here it is 'other')"),
        ("mine", {"far": "http m2"}, "a recording with another 'workers'"),
    ],
)
def test_a_recording_of_another_pool_is_refused(tmp_path, pool, workers, message):
    Recording.open(tmp_path / "rec", "mine", WORKERS).close()

    with pytest.raises(StoreError) as refused:
        Recording.open(tmp_path / "rec", pool, workers)

    assert message in str(refused.value)


def test_a_folder_of_something_else_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")

    with pytest.raises(StoreError, match="holds something else than a recording"):
        Recording.open(tmp_path, "mine", WORKERS)

    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match=r"cannot record into .*: Not a directory"):
        Recording.open(tmp_path / "file" / "rec", "mine", WORKERS)


async def test_a_full_disk_does_not_stop_the_run_but_is_told_at_the_end(tmp_path):
    recording = Recording.open(tmp_path / "rec", "mine", WORKERS)
    model = recording.of("far", Echo("a"))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        answer = await model.chat(ASK, Sampling())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)

    assert answer.text == "a(q)"
    with pytest.raises(StoreError, match="is not whole: File too large; a replay will miss"):
        recording.close()
