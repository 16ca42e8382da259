"""How many calls a second the lab's workers answer, how many problems are made, what each takes.

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

PROBLEMS = 1000


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=20_000)
    calls = parser.parse_args().calls
    begun, used = time.perf_counter(), time.process_time()
    problems = lab_problems(PROBLEMS, "test")
    made_s, made_cpu_s = time.perf_counter() - begun, time.process_time() - used
    pool = lab_pool()
    asked = [
        (worker, worker_messages(problem.question, part.subtask, [], worker.spec))
        for problem in problems
        for part in problem.parts
        for worker in pool.workers
    ]
    begun, used = time.perf_counter(), time.process_time()
    for i in range(calls):
        worker, messages = asked[i % len(asked)]
        await worker.model.chat(messages, worker.spec.sampling)
    took_s, took_cpu_s = time.perf_counter() - begun, time.process_time() - used
    keep({"calls_per_s": calls / took_s, "problems_per_s": PROBLEMS / made_s})
    print(
        f"lab: {calls / took_s:,.0f} worker calls/s, {1e6 * took_cpu_s / calls:.1f} CPU us each; "
        f"{PROBLEMS / made_s:,.0f} problems/s, {1e6 * made_cpu_s / PROBLEMS:,.0f} CPU us each"
    )


if __name__ == "__main__":
    asyncio.run(main())
