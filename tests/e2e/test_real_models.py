"""Whole runs on real models: the embedded pool, and a real OpenAI-compatible server on loopback."""

import json
import os
import subprocess
import sys

import pytest

from partbook.errors import ConfigError
from partbook.models.registry import model_path

pytestmark = pytest.mark.models


def run(*arguments: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "partbook", "run", "--json", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ,
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def _the_coder_is_here():
    try:
        model_path("qwen2.5-coder-0.5b")
    except ConfigError as err:
        pytest.skip(str(err))


@pytest.mark.sandbox
@pytest.mark.usefixtures("_the_coder_is_here")
def test_the_embedded_pool_answers_the_question_of_the_readme():
    trace = run("How many primes are there below 200?")

    assert (trace["status"], trace["answer"]) == ("answered", "46")
    assert trace["calls"] == 3  # the Conductor, the coder, the sandbox
    assert trace["cost_usd"] == "0"


@pytest.mark.usefixtures("_the_coder_is_here")
def test_a_small_local_conductor_writes_a_workflow_that_can_be_carried_out():
    done = subprocess.run(
        [sys.executable, "-m", "partbook", "plan", "--json", "-c", "reader", "What is 6 * 7?"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    planned = json.loads(done.stdout)

    assert done.returncode == 0
    assert planned["source"] == "conductor"
    assert 1 <= len(planned["steps"]) <= 5


def test_a_real_server_is_a_worker(tmp_path, llama_server):
    pool = tmp_path / "pool.toml"
    pool.write_text(
        'name = "mine"\nworkflow = "single"\n[[workers]]\nname = "smol"\nkind = "http"\n'
        f'endpoint = "{llama_server}/v1"\nmodel = "smollm2"\nroles = ["general"]\n'
        "sampling = { max_tokens = 12, temperature = 0 }\n"
    )

    trace = run("--pool", str(pool), "Say hello.")

    assert trace["status"] == "answered"
    assert trace["answer"]
    assert trace["cost_usd"] is None
    assert trace["usage"]["completion_tokens"] in range(1, 13)
