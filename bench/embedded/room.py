"""Prints what a second round could add to the embedded Conductor, from a replayed examination.

`partbook evaluate --config runs/embedded/pool-exam.toml --replay runs/embedded/pool-exam --out DIR`
writes the `results.jsonl` that this reads. Where the Conductor was wrong, another of the systems
has to be right for a new workflow to help: their share bounds whatever second rounds could be
taught, as far as these systems are what the pool can do. What can be seen to have failed (a run
without an answer, a program that failed) is counted apart: there nobody has to doubt an answer.
"""

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

SEEN = ("The program failed", "The program printed nothing", "No program found")
"""How the sandbox's answer begins where no program came to an end."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--policy", default="trained")
    asked = parser.parse_args()
    right: dict[str, set[str]] = defaultdict(set)
    own: dict[str, dict[str, Any]] = {}
    for line in asked.results.read_text(encoding="utf-8").splitlines():
        cell = json.loads(line).get("cell")
        if cell is None:
            continue
        if cell["outcome"] == "right":
            right[cell["system"]].add(cell["problem"])
        if cell["system"] == asked.policy:
            own[cell["problem"]] = cell
    wrong = own.keys() - right[asked.policy]
    seen = {name for name in wrong if failed_visibly(own[name])}
    print(f"{asked.policy}: {len(own) - len(wrong)} of {len(own)} right, {len(wrong)} wrong")
    print(f"  of the wrong ones {len(seen)} can be seen to have failed")
    for system in sorted(right):
        if system != asked.policy:
            of_wrong, of_seen = len(right[system] & wrong), len(right[system] & seen)
            print(f"  {system}: right on {of_wrong} of the wrong ones, {of_seen} of the seen ones")
    by_others = set().union(*(right[system] for system in right if system != asked.policy))
    print(f"  any of these: {len(by_others & wrong)}, of those seen to have failed: ", end="")
    print(len(by_others & seen))
    print("  by task:", dict(Counter(name.rsplit("/", 1)[0] for name in by_others & wrong)))


def failed_visibly(cell: dict[str, Any]) -> bool:
    """Whether a run ended without an answer or with a program that failed."""
    answer = cell["answer"]
    return answer is None or answer.startswith(SEEN)


if __name__ == "__main__":
    main()
