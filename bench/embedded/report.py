"""Prints the examination's table: accuracy with Wilson intervals, calls, and paired comparisons."""

import argparse
from collections import defaultdict
from pathlib import Path

from playing import Results, key_of
from split import exam, known

from partbook.evaluate.reporting.statistics import mcnemar, wilson


def main() -> None:
    """Print it as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--against", default="code-then-run")
    parser.add_argument("--families", action="store_true")
    given = parser.parse_args()
    rows = Results(given.results).rows
    right: dict[str, dict[str, bool]] = defaultdict(dict)
    calls: dict[str, list[int]] = defaultdict(list)
    asked = {key_of(problem) for problem in [*exam(), *known()]}
    for (system, problem), row in rows.items():
        if problem not in asked:
            continue
        right[system][problem] = row["verdict"] == "right"
        calls[system].append(row["calls"])
    print("| system | right | share | 95 % | worker calls | against " + given.against + " |")
    print("|---|---|---|---|---|---|")
    for system, each in sorted(right.items(), key=lambda item: -_share(item[1])):
        low, high = wilson(sum(each.values()), len(each))
        mean = sum(calls[system]) / len(calls[system])
        print(
            f"| {system} | {sum(each.values())} of {len(each)} | {_share(each):.2f} "
            f"| {low:.2f} to {high:.2f} | {mean:.2f} | {_paired(each, right[given.against])} |"
        )
    if given.families:
        _families(right)


def _share(each: dict[str, bool]) -> float:
    return sum(each.values()) / len(each)


def _paired(one: dict[str, bool], other: dict[str, bool]) -> str:
    """Gains, losses, and the exact two-sided p of McNemar's test."""
    both = one.keys() & other.keys()
    gains = sum(one[key] and not other[key] for key in both)
    losses = sum(other[key] and not one[key] for key in both)
    if gains == losses == 0:
        return "the same"
    return f"+{gains} -{losses}, p = {mcnemar(gains, losses):.3f}"


def _families(right: dict[str, dict[str, bool]]) -> None:
    systems = sorted(right, key=lambda name: -_share(right[name]))
    families = sorted({problem.partition("/")[0] for each in right.values() for problem in each})
    print("\n| family | " + " | ".join(systems) + " |\n|---" + "|---" * len(systems) + "|")
    for family in families:
        cells = []
        for system in systems:
            found = [ok for p, ok in right[system].items() if p.partition("/")[0] == family]
            cells.append(f"{sum(found)}/{len(found)}" if found else "")
        print(f"| {family} | " + " | ".join(cells) + " |")


main()
