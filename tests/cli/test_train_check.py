import json

import pytest
from typer.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("trl")

from partbook.cli.train import train_app
from partbook.errors import ConfigError
from partbook.train.run_folder import RunFolder

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

run = CliRunner().invoke

POOL = """
name = "tools"
[[workers]]
name = "sums"
kind = "calculator"
card = "exact arithmetic"
[[workers]]
name = "ada"
kind = "lab"
model = "ada"
"""
ABSENT = """
[[workers]]
name = "far"
kind = "http"
model = "m"
endpoint = "http://127.0.0.1:9/v1"
retries = 0
"""
PROBLEMS = [
    {"id": str(i), "question": f"What is {i} + 2?", "answer": str(i + 2), "split": split}
    for i, split in enumerate(("train",) * 6 + ("validation",) * 2)
]
SMALL = [
    "policy.hidden=32",
    "policy.inner=32",
    "policy.layers=['conv', 'attention']",
    "policy.context=200",
    "warm_start.steps=2",
    "grpo.problems=2",
    "grpo.rollouts=2",
    "grpo.steps=2",
    "grpo.stop_below_valid=0",
    "grpo.evaluate_every=2",
    "max_completion=8",
    "trainer.gradient_accumulation_steps=1",
    "estimate.read_tokens=100",
    "estimate.written_tokens=10",
]


@pytest.fixture
def arguments(tmp_path):
    """What trains `tiny` on a task file of one's own and a pool of a calculator and a script."""
    (tmp_path / "sums.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in PROBLEMS))
    (tmp_path / "pool.toml").write_text(POOL)
    changes = [*SMALL, f"data.tasks=['{tmp_path}/sums.jsonl']", f"data.pool={tmp_path}/pool.toml"]
    out = ["--out", str(tmp_path / "run")]
    return ["--preset", "tiny", *out, *(part for one in changes for part in ("--set", one))]


def test_a_dry_run_asks_every_worker_and_judges_some_references(arguments, tmp_path):
    result = run(train_app, [*arguments, "--dry-run"])

    assert result.exit_code == 0, result.exception
    assert "workers:      2 of 2 answer, which cost $0.0000" in result.output
    assert "problems:     6 to train on, 2 held out" in result.output
    assert "ground truth: 6 of 6 references, 1.000" in result.output
    assert "rollouts:     8" in result.output
    assert "money:        $0.00; at most $" in result.output
    assert not (tmp_path / "run").exists()


def test_workers_that_do_not_answer_are_named_before_anything_starts(arguments, tmp_path):
    (tmp_path / "pool.toml").write_text(POOL + ABSENT)

    for more in ([], ["--dry-run"]):
        result = run(train_app, [*arguments, *more])
        assert isinstance(result.exception, ConfigError)
        assert "workers:      2 of 3 answer" in result.output
        assert "do not answer, so nothing was started:\n  far: " in str(result.exception)
    assert not (tmp_path / "run").exists()


def test_a_reference_that_its_judge_refuses_stops_everything(arguments, tmp_path):
    wrong = {"question": "Spell a twice.", "answer": "aa", "pattern": "b+", "id": "7"}
    (tmp_path / "sums.jsonl").write_text(json.dumps({**wrong, "split": "train"}))

    result = run(train_app, [*arguments, "--dry-run"])

    assert isinstance(result.exception, ConfigError)
    assert "only 0 of 1 references get the full reward" in str(result.exception)
    assert "sums/7: wrong: the text does not match 'b+'" in str(result.exception)


def test_a_run_on_a_task_file_and_a_pool_of_ones_own(arguments, tmp_path):
    result = run(train_app, arguments)

    assert result.exit_code == 0, result.exception
    lines = RunFolder(tmp_path / "run").metrics()
    assert [line["kind"] for line in lines] == [
        "greedy", "sampled", "step", "step", "greedy", "sampled",
    ]  # fmt: skip
    assert {line["problems"] for line in lines if line["kind"] == "greedy"} == {2}
    assert "step 2/2  reward " in result.output
    assert " left" in result.output


def test_what_costs_nothing_to_find_out_is_found_out_before_a_worker_is_asked(arguments, tmp_path):
    def refused(*more):
        result = run(train_app, [*arguments, *more])
        assert isinstance(result.exception, ConfigError)
        assert "workers:" not in result.output
        return str(result.exception)

    assert "needs about" in refused("--set", "policy.hidden=200000")
    assert "nothing to resume" in refused("--resume")
    assert "no task 'gsm9k'; did you mean 'gsm8k'?" in refused("--set", "data.tasks=['gsm9k']")
    RunFolder(tmp_path / "run").begin({}, 0)
    assert "holds a run already" in refused()


def test_a_run_that_was_refused_leaves_no_directory_behind(arguments, tmp_path):
    warm = tmp_path / "warm"
    warm.mkdir()
    (warm / "config.json").write_text('{"hidden_size": 64}')

    result = run(train_app, [*arguments, "--warm", str(warm)])

    assert "its hidden_size is 64, preset tiny has 32" in str(result.exception)
    assert not (tmp_path / "run").exists()


def test_a_dry_run_says_whether_there_is_memory_enough(arguments):
    result = run(train_app, [*arguments, "--dry-run", "--set", "policy.hidden=200000"])

    assert "ground truth: 6 of 6" in result.output
    assert isinstance(result.exception, ConfigError)
    assert "GiB are available" in str(result.exception)


@pytest.mark.parametrize(
    ("price", "changes", "money"),
    [
        ("", [], "unknown: a worker has no known price"),
        (
            "price = { input_usd = 1, output_usd = 2 }",
            ["estimate.read_tokens=0"],
            "unknown: estimate.read_tokens and estimate.written_tokens say how long calls are; "
            "at most $",
        ),
    ],
)
def test_money_that_cannot_be_known_is_never_the_labs(arguments, tmp_path, price, changes, money):
    (tmp_path / "pool.toml").write_text(f"{POOL}{ABSENT}{price}")
    more = [part for one in changes for part in ("--set", one)]

    result = run(train_app, [*arguments, "--dry-run", *more])

    assert f"money:        {money}" in result.output
