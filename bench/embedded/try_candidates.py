"""Play candidate workflows on training problems."""

import argparse
import asyncio
from pathlib import Path

from candidates import CANDIDATES, hinted
from playing import Played, Results, opened, play_all
from split import training

from partbook.conduct import Fixed
from partbook.fixed import FixedWorkflow


def _candidate(name: str, family: str) -> FixedWorkflow | None:
    return hinted(family) if name == "hint" else CANDIDATES[name]


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("runs/embedded/tried.jsonl"))
    parser.add_argument("--families", default="", help="only these, with commas between")
    given = parser.parse_args()
    results = Results(given.out)
    problems = training(given.each, given.start)
    async with opened("embedded") as pool:
        for name in given.names.split(","):
            jobs = []
            wanted = set(filter(None, given.families.split(",")))
            for problem in problems:
                if wanted and problem.task.removeprefix("gym/") not in wanted:
                    continue
                found = _candidate(name, problem.task.removeprefix("gym/"))
                if found is not None:
                    jobs.append(Played(name, problem, Fixed(found), pool))
            await play_all(jobs, results)


asyncio.run(main())
