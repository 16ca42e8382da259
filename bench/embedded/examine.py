"""Examines systems on the held-out problems: workers alone, fixed workflows, Conductors."""

import argparse
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from candidates import CANDIDATES, one
from playing import CONTEXT, SLOTS, Played, Results, opened, play_all
from split import exam, known

from partbook.conduct import Conductor, Fixed, Proposer
from partbook.config import load_workflow
from partbook.message import Sampling
from partbook.models.local import LocalModels, LocalSpec
from partbook.models.registry import model_path
from partbook.pool import AgentPool
from partbook.price import FREE

ALONE = "Answer the question."
CONDUCTOR_TOKENS = 300


async def main() -> None:
    """Play what is asked for and not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "systems",
        help="with commas between: a worker's name, a workflow's, a candidate's, "
        "`prompted`, `untrained`, `trained`",
    )
    parser.add_argument("--pool", default="embedded")
    parser.add_argument("--adapter", type=Path)
    parser.add_argument("--label", default="trained", help="name of the trained Conductor's rows")
    parser.add_argument("--first", type=int, default=1000, help="only so many problems")
    parser.add_argument("--known", action="store_true", help="new problems of trained families")
    parser.add_argument("--each", type=int, default=8)
    parser.add_argument("--out", type=Path, default=Path("runs/embedded/exam.jsonl"))
    given = parser.parse_args()
    results = Results(given.out)
    problems = (known() if given.known else exam(given.each))[: given.first]
    async with opened(given.pool) as pool, LocalModels() as models:
        for name in given.systems.split(","):
            async with _proposer(name, pool, models, given.adapter) as proposer:
                label = given.label if name == "trained" else name
                jobs = [Played(label, problem, proposer, pool) for problem in problems]
                await play_all(jobs, results)


@asynccontextmanager
async def _proposer(
    name: str, pool: AgentPool, models: LocalModels, adapter: Path | None
) -> AsyncIterator[Proposer]:
    fallback = load_workflow("code-then-run")
    if name in pool.names:
        yield Fixed(one(name, name, ALONE))
    elif name in CANDIDATES:
        yield Fixed(CANDIDATES[name])
    elif name == "prompted":
        sampling = Sampling(max_tokens=CONDUCTOR_TOKENS, temperature=0)
        model = models.get(LocalSpec(model_path("qwen2.5-coder-0.5b"), 2 * CONTEXT, 2, 1))
        yield Conductor(model, sampling, FREE, fallback=fallback)
    elif name in ("trained", "untrained"):
        lora = adapter if name == "trained" else None
        sampling = Sampling(max_tokens=CONDUCTOR_TOKENS, temperature=0)
        model = models.get(LocalSpec(model_path("smollm2-135m"), CONTEXT, SLOTS, 1, lora))
        yield Conductor(model, sampling, FREE, fallback=fallback, style="cards")
    else:
        yield Fixed(load_workflow(name))


asyncio.run(main())
