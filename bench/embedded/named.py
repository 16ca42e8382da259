"""Of an evaluation: how many answers the judge takes, and how many hold the right one at all.

`python bench/embedded/named.py runs/out/embedded-prompted/results.jsonl`. A judge of bare questions
takes an answer that is one; a sentence around it can be refused. The second figure takes whatever
holds the reference as a word or number of its own: it also counts answers that list several, and
those where a short reference stands by chance, so it is too high, and the first may be too low.
"""

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path

from partbook.shares import wilson


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    references: dict[str, str] = {}
    cells = []
    with parser.parse_args().results.open(encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if "problem" in line:
                references[line["problem"]["id"]] = line["problem"]["reference"]
            elif "cell" in line:
                cells.append(line["cell"])
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for cell in cells:
        whole = re.escape(references[cell["problem"]])
        named = re.search(rf"(?<![\w.]){whole}(?!\w|\.\d)", cell["answer"] or "")
        right = cell["outcome"] == "right"
        count = counts[cell["system"]]
        count[0] += right
        count[1] += right or named is not None
        count[2] += 1
    print("| system | right | 95 % | right, or it holds the right answer | 95 % |")
    print("|---|---|---|---|---|")
    for system, (right, named, problems) in counts.items():
        ends = [wilson(share, problems) for share in (right, named)]
        words = [f"{low * 100:.1f} to {high * 100:.1f}" for low, high in ends]
        print(f"| `{system}` | {right} of {problems} | {words[0]} | {named} | {words[1]} |")


if __name__ == "__main__":
    main()
