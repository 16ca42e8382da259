"""Writes demonstrations: for each question the workflow that did best when it was played.

A family's workflows are ranked by how often they were right on its measured problems. A measured
problem gets the best workflow that was right on it; a further problem of the family gets the
family's best. A family in which nothing was ever right gets the fixed workflow `code-then-run`, on
half as many problems: where no better workflow is known, that is what to fall back to. The pool's
order is drawn for each demonstration, some workers are left out and some pools have the larger
coder as well, so that numbers must be read off the cards.
"""

import argparse
import json
import random
from collections import defaultdict
from pathlib import Path

from candidates import CANDIDATES, hinted
from own_questions import own_questions
from playing import Results, key_of
from split import others, training

from partbook.cli.opening import closed_pool
from partbook.config import load_pool
from partbook.fixed import FixedWorkflow
from partbook.parse import render
from partbook.pool import AgentPool
from partbook.prompt import bare_prompt
from partbook.tasks.formats import shown

COSTS = ("calc", "code", "hint")
"""Systems, the cheapest first: a tie goes to the cheaper one."""

OWN = {"form": "code", "steps": "code"}
"""What kinds of our own questions get, where it is not named as they are."""

NEEDS = {
    "calc": "This is an expression to compute",
    "reader": "This needs words, not numbers",
    "code": "A program can answer this",
    "base_conversion": "This converts a number to another base",
    "bitwise_arithmetic": "This is an expression with hexadecimal numbers",
    "number_sequence": "This asks for the next number of a sequence",
    "power_function": "This asks for a power in scientific notation",
    "prime_factorization": "This asks for prime factors",
    "simple_equations": "This is an equation with an unknown",
    "simple_geometry": "This asks for the last angle of a polygon",
    "word_sequence_reversal": "This reverses a list of words",
    "word_sorting": "This sorts a list of words",
}
"""How a demonstration begins: by kind of plan, or by family where the coder gets a hint."""

EACH = {"calc": 8, "hint": 9, "code": 6, None: 4}
"""Demonstrations of a family, by its best system; None: nothing was ever right."""

OTHERS_EACH = 2
MOST_CHARS = 700

OWN_TIMES = {"reader": 2, "steps": 1, "form": 2, "calc": 3}

ENOUGH = 0.5
"""A hint must be right in more than this share of its problems: a Conductor that has learned many
of them invents some for questions of other kinds."""


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tried", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    rng = random.Random(0)
    rights = _rights(Results(given.tried))
    rows: list[dict[str, str]] = []
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for problem in training(max(EACH.values())):
        family = problem.task.removeprefix("gym/")
        system = _best(family, key_of(problem), rights)
        if sum(counts[family].values()) == EACH[system]:
            continue
        counts[family][system or "code"] += 1
        question = shown(problem) if rng.random() < 0.1 else problem.question.strip()
        workflow = hinted(family) if system == "hint" else CANDIDATES[system or "code"]
        if workflow is not None:
            need = NEEDS[family if system == "hint" else system or "code"]
            rows.append(_demonstration(question, workflow, need, rng))
    for problem in others(OTHERS_EACH):
        question = problem.question.strip()
        if len(question) < MOST_CHARS:
            rows.append(_demonstration(question, CANDIDATES["code"], NEEDS["code"], rng))
    for kind, question in own_questions(0, OWN_TIMES):
        system = OWN.get(kind, kind)
        rows.append(_demonstration(question, CANDIDATES[system], NEEDS[system], rng))
    rng.shuffle(rows)
    given.out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for family, found in sorted(counts.items()):
        print(f"{family:24}", dict(found))
    print(f"{len(rows)} demonstrations")


def _rights(results: Results) -> dict[str, dict[str, dict[str, bool]]]:
    """family → system → problem → whether it was right."""
    found: dict[str, dict[str, dict[str, bool]]] = defaultdict(lambda: defaultdict(dict))
    for (system, problem), row in results.rows.items():
        if system in COSTS:
            found[problem.partition("/")[0]][system][problem] = row["verdict"] == "right"
    return found


def _best(family: str, problem: str, rights: dict[str, dict[str, dict[str, bool]]]) -> str | None:
    systems = rights[family]
    share = {name: sum(each.values()) / len(each) for name, each in systems.items()}
    share = {name: found for name, found in share.items() if name != "hint" or found > ENOUGH}
    ranked = sorted(share, key=lambda name: (-share[name], COSTS.index(name)))
    for name in ranked:
        if systems[name].get(problem):
            return name
    return ranked[0] if ranked and share[ranked[0]] > 0 else None


def _demonstration(
    question: str, workflow: FixedWorkflow, need: str, rng: random.Random
) -> dict[str, str]:
    pool = _pool(workflow, rng)
    planned = workflow.resolve(pool)
    who = ", ".join(f"{pool[i].spec.card} ({i})" for i in planned.workers)
    return {
        "prompt": bare_prompt(question, pool),
        "completion": f"{need}: {who}.\n{render(planned)}",
    }


def _pool(workflow: FixedWorkflow, rng: random.Random) -> AgentPool:
    """Workers in random order; who is not needed may be missing."""
    large = rng.random() < 0.2
    pool = closed_pool(load_pool("embedded-large" if large else "embedded"))
    names = {pool.names[step.worker] for step in workflow.resolve(pool).steps}
    kept = [i for i, name in enumerate(pool.names) if name in names or rng.random() < 0.85]
    return pool.pick(rng.sample(kept, len(kept)))


if __name__ == "__main__":
    main()
