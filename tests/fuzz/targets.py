"""What is fuzzed: each target takes any bytes, and raises only where Partbook is wrong.

A target turns the bytes into what an enemy controls (a text, a reply, a file), lets Partbook read
it, and allows the errors that its docstring promises and no others. `seeds.py` has well-formed
inputs. `run.py` changes them for minutes or hours, `test_targets.py` plays them and what was once
found (`found/`) in every check.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from partbook.config import load_pool, load_workflow
from partbook.economy.pairwise import verdict_in
from partbook.economy.prompts import prompts_in
from partbook.economy.read import read_bill
from partbook.errors import ConfigError, ParseError, WorkerError
from partbook.message import Completion
from partbook.models.gguf import gguf_facts
from partbook.models.wire import StreamDecoder, decode
from partbook.parse import parse, render
from partbook.server.anthropic_request import read_anthropic
from partbook.server.chat_request import read_chat
from partbook.server.refusal import Refusal
from partbook.server.responses_request import read_responses
from partbook.tasks.judges.choice import ChoiceJudge
from partbook.tasks.judges.maths_leaf import Unreadable
from partbook.tasks.judges.maths_number import exact
from partbook.tasks.judges.maths_read import read
from partbook.tasks.judges.maths_text import tidy, unreadable
from partbook.tasks.judges.short import ShortJudge
from partbook.tasks.own import load_own

__all__ = ["TARGETS"]

SCRATCH = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None
"""Where files are written that are read again at once: memory, where there is some to write to."""


def parser(data: bytes) -> None:
    """A Conductor's text; what is read is written back and read the same."""
    # Half characters come out of JSON that was cut in two, so they are tried as well.
    text = data.decode("utf-8", "surrogateescape" if len(data) % 2 else "replace")
    for later in (False, True):
        with suppress(ParseError):
            workflow = parse(text, 1 + len(data) % 9, later=later)
            assert parse(render(workflow), 9, later=True) == workflow


def wire(data: bytes) -> None:
    """A provider's reply: whole, and as a stream in pieces that depend on its bytes."""
    with suppress(WorkerError):
        decode(data)
    texts = []
    for size in (len(data) or 1, 1 + len(data) % 7):
        decoder = StreamDecoder()
        text = ""
        try:
            for start in range(0, len(data), size):
                text += decoder.feed(data[start : start + size])
            text += decoder.close()
            decoder.completion()
        except WorkerError:
            text = ""
        texts.append(text)
    assert texts[0] == texts[1], "the same bytes in other pieces say something else"


def judges(data: bytes) -> None:
    """An answer before the judges that read texts themselves."""
    text = data.decode("utf-8", "replace")
    ChoiceJudge("B").judge_now(text)
    ChoiceJudge("B", options={"A": "red", "B": "blue (deep)", "C": "1/2", "D": "0.5"}).judge_now(
        text
    )
    ShortJudge("Vienna").judge_now(text)
    ShortJudge("3.5 km").judge_now(text)
    exact(text)
    verdict_in(Completion(text, None))
    clean = tidy(text)
    if unreadable(clean) is None:
        with suppress(Unreadable):
            read(clean)


def rows(data: bytes) -> None:
    """A data file of a task, by each ending."""
    for ending in (".jsonl", ".json", ".csv", ".tsv", ".jsonl.gz"):
        with _file(data, ending) as path, suppress(ConfigError):
            load_own(path)


def pool(data: bytes) -> None:
    """A pool file, and the same as a workflow file."""
    with _file(data, ".toml") as path:
        with suppress(ConfigError):
            load_pool(str(path))
        with suppress(ConfigError):
            load_workflow(str(path))


def bodies(data: bytes) -> None:
    """The body of a request, for each of the three APIs."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(body, dict):
        for reads in (read_chat, read_responses, read_anthropic):
            with suppress(Refusal):
                reads(body, {}, strict=False)


def bills(data: bytes) -> None:
    """A provider's bill and a log of prompts, by each ending."""
    for ending in (".csv", ".json", ".jsonl"):
        with _file(data, ending) as path:
            with suppress(ConfigError):
                read_bill([path])
            with suppress(ConfigError):
                for _ in prompts_in(path):
                    pass


def model_files(data: bytes) -> None:
    """The head of a model file."""
    with _file(data, ".gguf") as path, suppress(ConfigError):
        gguf_facts(path)


@contextmanager
def _file(data: bytes, ending: str) -> Iterator[Path]:
    with tempfile.NamedTemporaryFile(suffix=ending, dir=SCRATCH, delete=False) as file:
        file.write(data)
    try:
        yield Path(file.name)
    finally:
        os.unlink(file.name)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "parser": parser,
    "wire": wire,
    "judges": judges,
    "rows": rows,
    "pool": pool,
    "bodies": bodies,
    "bills": bills,
    "model_files": model_files,
}
