"""Prints how often each candidate was right, by family."""

import argparse
from collections import defaultdict
from pathlib import Path

from playing import Results


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    given = parser.parse_args()
    found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    systems: list[str] = []
    for (system, problem), row in Results(given.results).rows.items():
        if system not in systems:
            systems.append(system)
        right = row["verdict"] == "right"
        found[problem.partition("/")[0]][system].append(right)
        found["all"][system].append(right)
    print("| family | " + " | ".join(systems) + " |")
    print("|---" * (1 + len(systems)) + "|")
    for family in sorted(found, key=lambda name: (name == "all", name)):
        each = [found[family][system] for system in systems]
        cells = [f"{sum(one)}/{len(one)}" if one else "" for one in each]
        print(f"| {family} | " + " | ".join(cells) + " |")


main()
