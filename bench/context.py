"""Compares the two ways to show a worker what it may read: past turns, or one tagged message.

    python bench/context.py [--questions 24] [--model qwen2.5-coder-0.5b]

Real model, real sandbox. Each question is played with two workflows: `direct` (a coder writes a
program, the sandbox runs it) and `notes` (a reader lists the numbers first, and the coder reads
that). The worker's own examples are shown in the same form as its task, so that neither form has an
advantage. The questions are made here, with their answers computed; an answer is right if it is the
same number. Prints right answers with 95 % Wilson intervals, for docs/adr/0001.
"""

import argparse
import asyncio
import random
import re
from dataclasses import replace
from pathlib import Path

from partbook.conduct import Fixed, conduct
from partbook.config import load_pool
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.models.local import LocalModels, LocalSpec
from partbook.models.program import PythonRunner
from partbook.models.registry import model_path
from partbook.pool import AgentPool, Context, Example, Worker, WorkerSpec
from partbook.price import FREE
from partbook.prompt import worker_messages
from partbook.sandbox import run_program
from partbook.shares import wilson

PROGRAM = "Write a Python program that prints the answer to the question."
WORKFLOWS = (
    FixedWorkflow("direct", "", (FixedStep("code", PROGRAM), FixedStep("run", "Run it.", (0,)))),
    FixedWorkflow(
        "notes",
        "",
        (
            FixedStep("general", "List the numbers in the question and what is asked for."),
            FixedStep("code", PROGRAM, (0,)),
            FixedStep("run", "Run it.", (1,)),
        ),
    ),
)


def question(rng: random.Random) -> tuple[str, int]:
    a, b, c = rng.randint(12, 60), rng.randint(3, 12), rng.randint(11, 40)
    return rng.choice(
        [
            (f"A farm has {a} pens with {b} hens each and {c} more hens in the yard. How many "
             "hens is that?", a * b + c),
            (f"Mia reads {a} pages a day for {b} days, then {c} pages on the last day. How many "
             "pages does she read?", a * b + c),
            (f"A bus starts with {a + c} people. {b} get off and {c} get on. How many are on the "
             "bus?", a + 2 * c - b),
            (f"How many numbers from 1 to {a * 10} are divisible by {b}?", a * 10 // b),
            (f"What is the sum of the squares of the numbers from 1 to {a}?",
             sum(n * n for n in range(1, a + 1))),
            (f"What is the remainder of {a} to the power of {b} divided by {c}?", a**b % c),
            (f"A shop sells {a} boxes of {b} eggs. {c} eggs are broken. How many whole eggs are "
             "sold?", a * b - c),
            (f"What is the sum of the digits of 2 to the power of {a}?",
             sum(map(int, str(2**a)))),
        ]
    )  # fmt: skip


def in_context(spec: WorkerSpec, context: Context) -> WorkerSpec:
    """The worker with its examples in this form."""
    shown = []
    for example in spec.examples:
        asked, subtask = example.user.split("\n\nYour part: ")
        bare = replace(spec, context=context, examples=(), instructions="")
        (message,) = worker_messages(asked, subtask, [], bare)
        shown.append(Example(message.text, example.assistant))
    return replace(spec, context=context, examples=tuple(shown), price=FREE)


def is_right(answer: str | None, expected: int) -> bool:
    numbers = re.findall(r"-?\d+(?:\.\d+)?", (answer or "").replace(",", ""))
    return bool(numbers) and float(numbers[-1]) == expected


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=24)
    parser.add_argument("--model", default="qwen2.5-coder-0.5b")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workflows", nargs="+", default=[w.name for w in WORKFLOWS])
    options = parser.parse_args()
    rng = random.Random(0)
    questions = [question(rng) for _ in range(options.questions)]
    specs = {spec.name: spec for spec in load_pool("embedded").workers}
    async with LocalModels() as models:
        path: Path = model_path(options.model)
        model = models.get(LocalSpec(path, 4096, 1, options.threads))
        for workflow in (w for w in WORKFLOWS if w.name in options.workflows):
            for context in ("turns", "tagged"):
                pool = AgentPool(
                    "bench",
                    (
                        Worker(in_context(specs["coder"], context), model),
                        Worker(in_context(specs["reader"], context), model),
                        Worker(replace(specs["python"], price=FREE), PythonRunner(run_program)),
                    ),
                )
                right = 0
                for text, expected in questions:
                    trace = await conduct(text, pool, Fixed(workflow))
                    right += is_right(trace.answer, expected)
                low, high = wilson(right, len(questions))
                print(
                    f"{options.model} {workflow.name:7} {context:7} {right:3} of "
                    f"{len(questions)}  ({low:.2f} to {high:.2f})",
                    flush=True,
                )


if __name__ == "__main__":
    asyncio.run(main())
