"""Whole traces over a real connection."""

from dataclasses import replace

from partbook.server.admission import KeyDesk
from partbook.store import ApiKeys
from tests.fakes import pool_of
from tests.server.live import serving
from tests.server.models import Saying
from tests.traces import a_trace


async def test_rule_24_a_trace_with_half_a_surrogate_pair_is_shown(tmp_path):
    trace = replace(a_trace(), question="half a pair: \ud83d")

    async def kept(run_id: str):
        return trace

    with ApiKeys.open(tmp_path / "runs.db") as keys:
        _, key = keys.create("ann", sees_traces=True)
        async with serving(pool_of(Saying(("42",))), admission=KeyDesk(keys), kept=kept) as client:
            shown = await client.get("/v1/runs/run-1", Authorization=f"Bearer {key}")

    assert shown.status == 200
    assert shown.body["question"] == "half a pair: \ud83d"
