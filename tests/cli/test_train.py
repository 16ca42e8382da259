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

SMALL = [
    "policy.hidden=32",
    "policy.inner=32",
    "policy.layers=['conv', 'attention']",
    "warm_start.steps=2",
    "grpo.problems=2",
    "grpo.rollouts=2",
    "grpo.steps=2",
    "grpo.stop_below_valid=0",
    "grpo.evaluate_every=2",
    "grpo.evaluation_problems=4",
    "max_completion=8",
    "trainer.gradient_accumulation_steps=1",
]


def changes(*more):
    return [part for change in (*SMALL, *more) for part in ("--set", change)]


def test_a_dry_run_says_what_the_papers_recipe_takes(monkeypatch):
    for maker in ("GEMINI", "ANTHROPIC", "OPENAI", "OPENROUTER"):
        monkeypatch.delenv(f"{maker}_API_KEY", raising=False)

    result = run(train_app, ["--preset", "paper-7b-2xh100", "--dry-run"])

    assert '"learning_rate": 1e-06' in result.output
    assert "weights:      7,620.00 million" in result.output
    assert "memory:       113.55 GiB for weights, gradients and moments" in result.output
    assert "disk:         283.87 GiB, 85.16 for a checkpoint" in result.output
    assert "rollouts:     51,200" in result.output
    assert "worker calls: 153,600" in result.output
    assert "money:        $" in result.output
    assert "were every call the dearest" in result.output
    assert isinstance(result.exception, ConfigError)
    assert "needs an API key" in str(result.exception)


def test_a_price_weight_is_a_value_of_the_preset_and_needs_a_whole_price():
    weight = ["--preset", "tiny", "--dry-run", "--price-weight", "0.3"]

    said = run(train_app, [*weight, "--price-usd", "0.0004"])
    refused = run(train_app, weight)

    assert '"price_weight": 0.3' in said.output
    assert '"price_usd": 0.0004' in said.output
    assert isinstance(refused.exception, ConfigError)
    assert "`price_weight` needs `price_usd`" in str(refused.exception)


@pytest.mark.parametrize("change", ["trainer.learning_rat=1", "grpo.step=1"])
def test_an_unknown_key_is_refused_with_the_nearest_known_one(change):
    result = run(train_app, ["--preset", "tiny", "--dry-run", "--set", change])

    assert isinstance(result.exception, ConfigError)
    assert "did you mean" in str(result.exception)


def test_a_run_is_trained_plotted_and_evaluated(tmp_path):
    out = tmp_path / "run"

    trained = run(train_app, ["--preset", "tiny", "--out", str(out), *changes()])
    plotted = run(train_app, ["plot", str(out)])
    policy = str(out / "policy")
    judged = run(train_app, ["evaluate", policy, "--problems", "4", "--split", "validation"])

    assert trained.exit_code == 0, trained.exception
    kinds = [line["kind"] for line in RunFolder(out).metrics()]
    assert kinds == ["greedy", "sampled", "step", "step", "greedy", "sampled"]
    assert plotted.exit_code == 0
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads(judged.stdout[judged.stdout.index("{") :])["problems"] == 4


def test_a_policy_that_is_not_there_is_looked_for_nowhere_else():
    result = run(train_app, ["evaluate", "nowhere"])

    assert isinstance(result.exception, ConfigError)
    assert "there is no folder nowhere" in str(result.exception)


def test_nothing_to_resume_is_a_users_mistake(tmp_path):
    result = run(train_app, ["--preset", "tiny", "--out", str(tmp_path), "--resume"])

    assert isinstance(result.exception, ConfigError)
    assert "holds no checkpoint" in str(result.exception)
