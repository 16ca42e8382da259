"""Commands on a real Ray cluster of several nodes on this machine, one of which is killed."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from partbook.evaluate.running.calls import CALLS
from partbook.evaluate.running.results import RESULTS
from tests.paid_server import paid_server

pytestmark = pytest.mark.filterwarnings("default")  # Ray's own are not ours to mend

POOL = """
name = "two"
[[workers]]
name = "one"
kind = "http"
endpoint = "{url}"
model = "m1"
roles = ["general"]
max_concurrency = 3
sampling = {{ max_tokens = 100 }}
price = {{ input_usd = 1.0, output_usd = 2.0 }}
[[workers]]
name = "two"
kind = "http"
endpoint = "{url}"
model = "m2"
roles = ["check"]
sampling = {{ max_tokens = 100 }}
price = {{ input_usd = 1.0, output_usd = 2.0 }}
"""

CALL_USD = Decimal("0.0003")
"""What the provider takes for a call: 200 tokens at 1 and 50 at 2 dollars a million."""


def write_world(folder: Path, url: str, count: int = 16) -> list[str]:
    """A pool and a task in a folder; the command that evaluates them."""
    (folder / "pool.toml").write_text(POOL.format(url=url))
    rows = [{"id": str(i), "question": f"What is {i} + 1?", "answer": "m1"} for i in range(count)]
    (folder / "task.jsonl").write_text("\n".join(map(json.dumps, rows)))
    asked = ["evaluate", str(folder / "task.jsonl"), "--pool", str(folder / "pool.toml")]
    return [*asked, "--systems", "worker:*,workflow:chain", "--out", str(folder / "out")]


def start(arguments: list[str], folder: Path, address: str = "") -> subprocess.Popen[str]:
    env = {"PARTBOOK_STORE": str(folder / "runs.db"), "RAY_ADDRESS": address}
    return subprocess.Popen(
        [sys.executable, "-m", "partbook", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | env,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = process.communicate(timeout=180)
    return process.returncode, out + err


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def calls_of(folder: Path) -> tuple[Counter[str], Decimal, int]:
    """Of the log: answers by call, the dollars that count, calls without an end."""
    answers: Counter[str] = Counter()
    worst: dict[int, Decimal] = {}
    usd = Decimal(0)
    for line in lines(folder / "out" / CALLS):
        if "begin" in line:
            worst[line["begin"]] = Decimal(line["worst_usd"])
            continue
        usd += worst.pop(line["end"]) if line["usd"] is None else Decimal(line["usd"])
        worst.pop(line["end"], None)
        if "call" in line:
            answers[json.dumps(line["call"])] += 1
    return answers, usd + sum(worst.values(), Decimal(0)), len(worst)


def outcomes(folder: Path) -> Counter[str]:
    cells = [line["cell"] for line in lines(folder / "out" / RESULTS) if "cell" in line]
    assert max(Counter((c["system"], c["problem"]) for c in cells).values()) == 1
    return Counter(cell["outcome"] for cell in cells)


def test_a_node_that_is_killed_loses_nothing_and_pays_nothing_twice(tmp_path, ray_cluster):
    victim = next(iter(ray_cluster.worker_nodes))
    with paid_server(0.15) as provider:
        asked = write_world(tmp_path, provider.url)
        limit = Decimal("0.05")
        process = start(
            [*asked, "--on", "ray", "--concurrency", "9", "--max-usd", str(limit)],
            tmp_path,
            ray_cluster.address,
        )
        while provider.requests < 25 and process.poll() is None:
            time.sleep(0.01)
        ray_cluster.remove_node(victim, allow_graceful=False)
        status, said = ended(process)

    assert status == 0, said
    assert "playing on 3 nodes" in said
    assert "is lost; what it had begun is played on others" in said
    # Two systems of one call, one of three, on 16 problems.
    assert outcomes(tmp_path) == {"right": 32, "wrong": 16}
    answers, usd, lost = calls_of(tmp_path)
    assert sum(answers.values()) == len(answers) == 80
    # Only what was on its way when the node was killed was asked again, if it was asked at all.
    assert 80 <= provider.requests <= 80 + lost
    assert max(provider.asked.values()) <= 2
    assert lost <= 9, "so many cells were played at once"
    # Whatever the provider bills for those is within what stays reserved for them.
    assert provider.requests * CALL_USD <= usd <= limit


def test_the_limits_hold_for_all_nodes_together_and_one_process_goes_on(tmp_path, ray_cluster):
    with paid_server(0.03) as provider:
        asked = write_world(tmp_path, provider.url, count=8)
        limit = Decimal("0.009")
        client = ray_cluster.head_node._ray_params.ray_client_server_port
        on = [*asked, "--on", f"ray://127.0.0.1:{client}", "--concurrency", "8"]
        stopped, said = ended(start([*on, "--max-usd", str(limit)], tmp_path))
        paid = provider.requests * CALL_USD

        whole, rest = ended(start([*asked, "--max-usd", "1"], tmp_path))

    assert stopped == 1, said
    assert "the limit of $0.009 is reached" in said
    assert limit / 2 < paid <= limit
    assert whole == 0, rest
    assert provider.peak["m1"] == 3
    assert outcomes_at_last(tmp_path) == {"right": 16, "wrong": 8}
    assert set(provider.asked.values()) == {1}


def outcomes_at_last(folder: Path) -> Counter[str]:
    cells = [line["cell"] for line in lines(folder / "out" / RESULTS) if "cell" in line]
    newest = {(cell["system"], cell["problem"]): cell["outcome"] for cell in cells}
    return Counter(newest.values())
