"""How many calls a second the lab's workers answer, and how many problems are made.

    python bench/lab.py [--calls 20000]

One process, through `ChatModel.chat`, as the executor calls them. The bar is 2,000 calls a second.
"""

import argparse
import asyncio
import time

from figures import keep

from partbook.lab.pool import lab_pool
from partbook.lab.problem import lab_problems
from partbook.prompt import worker_messages


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=20_000)
    calls = parser.parse_args().calls
    begun = time.perf_counter()
    problems = lab_problems(1000, "test")
    made_s = time.perf_counter() - begun
    pool = lab_pool()
    asked = [
        (worker, worker_messages(problem.question, part.subtask, [], worker.spec))
        for problem in problems
        for part in problem.parts
        for worker in pool.workers
    ]
    begun = time.perf_counter()
    for i in range(calls):
        worker, messages = asked[i % len(asked)]
        await worker.model.chat(messages, worker.spec.sampling)
    took_s = time.perf_counter() - begun
    keep({"calls_per_s": calls / took_s, "problems_per_s": 1000 / made_s})
    print(f"lab: {calls / took_s:,.0f} worker calls/s, {1000 / made_s:,.0f} problems/s")


if __name__ == "__main__":
    asyncio.run(main())
