import json
import os

import pytest
from typer.testing import CliRunner

from partbook.cli.simulate import simulate_app
from partbook.errors import ConfigError
from partbook.store import Store
from tests.traces import a_trace

POOL = """
name = "demo"
conductor = "checker"
"""
WORKER = """
[[workers]]
name = "{0}"
kind = "http"
model = "{0}"
endpoint = "http://127.0.0.1:9/v1"
max_concurrency = {1}
"""
PRICE = "price = { input_usd = 1, output_usd = 4 }\n"
ASSUMED = ("--assume-latency", "1/2", "--assume-tokens", "1000/200")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(simulate_app, list(arguments), env={"COLUMNS": "120"})
    if result.exception is not None:
        raise result.exception
    return result.output


@pytest.fixture
def pool(tmp_path):
    path = tmp_path / "pool.toml"
    turns = {"coder": 2, "thinker": 2, "checker": 1}
    workers = (WORKER.format(*each) + PRICE for each in turns.items())
    path.write_text(POOL + "".join(workers))
    return str(path)


@pytest.fixture
def kept():
    with Store.open(os.environ["PARTBOOK_STORE"]) as store:
        store.save(a_trace())


def test_a_deployment_is_simulated_from_the_runs_that_are_kept(pool, kept):
    text = run("serving", "--pool", pool, "--rate", "0.5,4", "--minutes", "2", "--seeds", "2")

    assert "workflows: measured in the store: 1 run, 1 different" in text
    assert "calls: measured in the store: 1 call: coder, thinker, checker" in text
    assert "calls: measured in the store: 1 call: the Conductor's calls" not in text
    # A request takes 0.5 s of the checker as the Conductor, and 0.75 s of it in its step.
    assert "full first: checker (concurrency), at 0.8 requests a second" in text
    assert "! at 4 requests/s" in text
    assert "more than checker can do" in text


def test_the_same_seed_prints_the_same(pool, kept):
    arguments = ("serving", "--pool", pool, "--rate", "1", "--minutes", "1", "--json")

    assert run(*arguments) == run(*arguments)
    assert run(*arguments) != run(*arguments, "--seed", "9")


def test_json_has_every_figure_with_its_spread(pool, kept):
    found = json.loads(
        run("serving", "--pool", pool, "--rate", "1", "--minutes", "1", "--seeds", "2", "--json")
    )

    (rate,) = found["rates"]
    assert rate["requests_per_s"] == 1.0
    assert rate["p50_s"]["low"] <= rate["p50_s"]["mean"] <= rate["p50_s"]["high"]
    assert len(rate["answered"]) == 2
    assert rate["usd_per_hour"]["mean"] > 0
    assert found["full_at"][0]["worker"] == "checker"
    assert found["without_price"] == []


def test_a_fixed_workflow_needs_no_run_but_figures(tmp_path):
    path = tmp_path / "pool.toml"
    path.write_text('name = "demo"\n' + WORKER.format("w", 2) + 'roles = ["general", "check"]\n')
    asked = ("serving", "-p", str(path), "-w", "chain", "--rate", "0.2", "--minutes", "1")

    text = run(*asked, *ASSUMED)

    assert "workflows: the fixed workflow 'chain'" in text
    assert "calls: assumed (--assume-latency): w" in text
    assert "dollars an hour" in text
    assert "unknown" in text
    assert "no price known for w: unknown is not 0" in text
    assert "unknown is not 0" not in run(*asked, *ASSUMED, "--assume-price", "1/5")
    with pytest.raises(ConfigError, match="no figures for the calls of worker 'w'"):
        run(*asked)


def test_what_nobody_knows_is_an_error_that_says_what_to_do(pool):
    with pytest.raises(ConfigError, match="no workflows are known for pool 'demo'"):
        run("serving", "--pool", pool, "--rate", "1")
    with pytest.raises(ConfigError, match="--rate: numbers like 5,20"):
        run("serving", "--pool", pool, "--rate", "fast")
    with pytest.raises(ConfigError, match="--assume-latency goes with --assume-tokens"):
        run("serving", "--pool", pool, "--rate", "1", "--assume-latency", "1/2")
    with pytest.raises(ConfigError, match="more than are simulated"):
        run("serving", "--pool", pool, "--rate", "99999", "--minutes", "60")


def test_a_training_is_simulated_from_its_preset_and_stated_figures(tmp_path):
    path = tmp_path / "figures.toml"
    path.write_text(
        '[[workers]]\nname = "*"\np50_s = 6\np95_s = 20\nread_tokens = 1200\nwritten_tokens = 600\n'
        "[policy]\ngenerate_s = 60\nupdate_s = 90\n"
    )
    asked = ("training", "--preset", "paper", "--rollouts", "2560", "--figures", str(path))

    text = run(*asked, "--seeds", "1", "--played-steps", "2")

    assert "preset paper-7b-2xh100: 2,560 rollouts in 10 steps of 4 x 64" in text
    assert "workflows: assumed: 3 steps, each for anybody and reading all before it" in text
    assert "calls: assumed (figures.toml): gemini-2.5-pro, claude-sonnet-4, gpt-5" in text
    assert "policy: 60 s to write a step, 90 s to be updated, assumed (figures.toml)" in text
    assert "113.55 GiB for weights, gradients and moments" in text
    found = json.loads(run(*asked, "--seeds", "1", "--played-steps", "2", "--json"))
    assert found["calls"]["mean"] == 7680
    assert found["generating"]["mean"] + found["updating"]["mean"] + found["waiting"][
        "mean"
    ] == pytest.approx(1.0)


def test_a_policy_without_figures_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="no figures for the policy"):
        run("training", "--preset", "paper", "--assume-latency", "6/20")


def test_the_workers_of_the_lab_need_figures_and_have_prices():
    found = json.loads(
        run("training", "--preset", "tiny", "--generate-s", "2", "--update-s", "1", *ASSUMED,
            "--played-steps", "2", "--seeds", "1", "--json")
    )  # fmt: skip

    assert found["usd"]["mean"] > 0
    assert found["without_price"] == []
