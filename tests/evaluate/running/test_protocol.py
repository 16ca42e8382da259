"""Protocol files, and those of the paper's tables."""

from decimal import Decimal
from pathlib import Path

import pytest

from partbook.budget import Limits
from partbook.errors import ConfigError
from partbook.evaluate.running.protocol import match_of, read_protocol

PAPER = sorted((Path(__file__).parents[3] / "runs" / "paper").glob("table-*.toml"))

GOOD = """
systems = ["worker:*", "trained"]
source = "a paper, Table 3"
pool = "mine.toml"
repeats = 2
column_names = ["M", "avg"]
[[tasks]]
name = "math500"
limit = 10
[columns]
M = "math500"
avg = "avg"
[[published]]
system = "GPT-5"
ours = "worker:gpt-5"
values = { M = 99, avg = 74.78 }
errors = { M = 1.5 }
"""


def test_a_protocol_is_read_with_its_published_figures(tmp_path):
    path = tmp_path / "table-3.toml"
    path.write_text(GOOD)

    protocol = read_protocol(path)

    assert protocol.name == "table-3"
    assert protocol.systems == "worker:*,trained"
    assert protocol.pool == str(tmp_path / "mine.toml")
    assert (protocol.tasks[0].name, protocol.tasks[0].limit, protocol.repeats) == ("math500", 10, 2)
    first, second = protocol.published
    assert (first.system, first.column, first.value, first.error) == ("GPT-5", "M", 99.0, 1.5)
    assert (first.task, first.ours, first.source) == ("math500", "worker:gpt-5", "a paper, Table 3")
    assert (second.column, second.task, second.error) == ("avg", "avg", None)


def test_files_of_a_data_set_are_looked_for_beside_the_protocol(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'systems = ["worker:*"]\nshare_calls = true\nbrief = true\n'
        '[[tasks]]\nname = "gsm8k"\ndata = "rows.jsonl"\nbare = true\n'
        '[[tasks]]\nname = "math500"\n'
    )

    protocol = read_protocol(path)

    assert (protocol.share_calls, protocol.brief) == (True, True)
    assert [task.data for task in protocol.tasks] == [tmp_path / "rows.jsonl", None]
    assert [task.bare for task in protocol.tasks] == [True, False]


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ("repeats = 2", "repeat = 2", "did you mean `repeats`"),
        ("repeats = 2", "repeats = 0", "`repeats` must be at least 1"),
        ("limit = 10", "limit = 0", "`limit` must be at least 1"),
        ("limit = 10", "limits = 10", "did you mean `limit`"),
        ('systems = ["worker:*", "trained"]', "", "at least one"),
        ("errors = { M = 1.5 }", "errors = { N = 1.5 }", "unknown key `N`"),
        ("repeats = 2", 'match = "seconds"', "--match"),
    ],
)
def test_a_wrong_protocol_is_refused(tmp_path, was, becomes, said):
    path = tmp_path / "p.toml"
    path.write_text(GOOD.replace(was, becomes))

    with pytest.raises(ConfigError, match=said):
        read_protocol(path)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("", Limits()),
        ("calls", Limits(calls=5)),
        ("calls=8", Limits(calls=8)),
        ("tokens=20000", Limits(tokens=20000)),
        ("usd=0.05", Limits(usd=Decimal("0.05"))),
        ("usd=$0.05", Limits(usd=Decimal("0.05"))),
    ],
)
def test_what_is_matched_is_a_limit_for_each_problem(text, limits):
    assert match_of(text).limits == limits


@pytest.mark.parametrize("text", ["usd", "tokens", "calls=0", "calls=x", "usd=nan", "steps=3"])
def test_what_cannot_be_matched_is_refused(text):
    with pytest.raises(ConfigError, match="--match"):
        match_of(text)


def test_the_papers_tables_are_all_there():
    numbers = {path.stem.split("-")[1] for path in PAPER}

    assert numbers == {"1", "2", "5", "6", "7", "9", "10", "11"}


@pytest.mark.parametrize("path", PAPER, ids=[path.stem for path in PAPER])
def test_a_table_of_the_paper_can_be_read_and_its_pools_exist(path):
    protocol = read_protocol(path)

    assert protocol.published
    assert protocol.source.startswith("arXiv:2512.04388v5, Table ")
    assert all(task.problems for task in protocol.tasks)
    for pool in (protocol.pool, *(task.pool for task in protocol.tasks if task.pool)):
        assert Path(pool).is_file()


def test_published_figures_are_those_that_the_paper_prints():
    figures = {
        (path.stem, one.system, one.column): one.value_text
        for path in PAPER
        for one in read_protocol(path).published
    }

    assert figures["table-1", "Conductor", "LCB"] == "83.93"
    assert figures["table-2", "Recursive Conductor", "BCB"] == "40"
    assert figures["table-5", "Conductor", "tokens"] == "735.2"
    assert figures["table-6", "MoA", "avg"] == "62.13"
    assert figures["table-7", "Conductor", "M500"] == "89.33 ± 0.58"
    assert figures["table-9", "without few-shot examples", "M500"] == "82"
    assert figures["table-10", "Conductor, all workers GPT-5", "GPQA-D"] == "82.6"
    assert figures["table-11", "GPT-5 conducts seven", "LCB"] == "50.86"
