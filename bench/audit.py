"""How well the rules of `partbook audit` find work of several stages, in a log of 500 prompts.

    python bench/audit.py             prints precision and recall
    python bench/audit.py --write F   also writes the log, as JSONL with a field `several`
    python bench/audit.py --conductor embedded --limit 100
                                      also lets a Conductor plan prompts of the log, drawn by chance

150 prompts ask for several stages, a quarter of them without saying so; 350 do not. The sentences
are in audit_log.py, by the same hand as the rules. The rules were made beside the first of them;
the later ones, which are counted apart, were written when the rules were finished.
"""

import argparse
import asyncio
import json
import random
import sys
from collections import Counter
from pathlib import Path

from audit_log import (
    IMPLIED,
    IMPLIED_KO,
    LATER_ONE,
    LATER_ONE_KO,
    LATER_SEVERAL,
    LATER_SEVERAL_KO,
    ONE,
    ONE_KO,
    SEVERAL,
    SEVERAL_KO,
    TOPICS,
    TOPICS_KO,
)

from partbook.budget import Limits
from partbook.cli.choosing import choose
from partbook.cli.opening import opened_pool
from partbook.conduct import Conductor
from partbook.config import load_pool
from partbook.economy.conducted import Conducted, read_prompts
from partbook.economy.prompts import Prompt
from partbook.economy.stages import stages_of
from partbook.shares import wilson

MODELS = ("gpt-5", "gpt-5-mini", "claude-sonnet-4-5")


def log(seed: int = 11) -> list[dict[str, object]]:
    rng = random.Random(seed)
    plan = [
        (SEVERAL, TOPICS, 75, "stated"),
        (IMPLIED, TOPICS, 25, "implied"),
        (SEVERAL_KO, TOPICS_KO, 37, "stated"),
        (IMPLIED_KO, TOPICS_KO, 13, "implied"),
        (ONE, TOPICS, 250, "one"),
        (ONE_KO, TOPICS_KO, 100, "one"),
    ]
    rows: list[dict[str, object]] = []
    for sentences, topics, count, kind in plan:
        for i in range(count):
            prompt = sentences[i % len(sentences)].replace("{t}", rng.choice(topics))
            rows.append(
                {
                    "prompt": prompt,
                    "model": rng.choice(MODELS),
                    "cost": f"{rng.uniform(0.001, 0.03):.4f}",
                    "several": kind != "one",
                    "kind": kind,
                }
            )
    rng.shuffle(rows)
    return rows


def told(right: int, said: int, there: int) -> None:
    for name, part, whole in (("precision", right, said), ("recall", right, there)):
        if not whole:
            print(f"  {name} 0/0")
            continue
        low, high = wilson(part, whole)
        print(f"  {name} {part}/{whole} = {part / whole:.2f} (95 %: {low:.2f} to {high:.2f})")


async def conducted(rows: list[dict[str, object]], pool: str, name: str) -> Conducted:
    config = load_pool(pool)
    choice = choose(config, None, name)
    needed = {choice.conductor} if choice.conductor else set()
    async with opened_pool(config, needed) as opened, choice.opened(opened) as conductor:
        assert isinstance(conductor, Conductor)
        prompts = [Prompt(str(row["prompt"])) for row in rows]

        def tell(done: int) -> None:
            if done % 25 == 0:
                print(f"{done}/{len(rows)}", file=sys.stderr, flush=True)

        return await read_prompts(prompts, name, opened, conductor, Limits(), tell)


def beside(rows: list[dict[str, object]], found: Conducted) -> None:
    """Rules alone, the Conductor alone, and both joined, on the prompts that it has read."""
    there = [bool(row["several"]) for row in rows]
    rules = [stages_of(sketch.prompt.text).several for sketch in found.sketches]
    plans = [sketch.several for sketch in found.sketches]
    pairs = list(zip(rules, plans, strict=True))
    ways = {
        "rules": rules,
        "Conductor": plans,
        "either": [a or b for a, b in pairs],
        "both": [a and b for a, b in pairs],
    }
    print(f"the Conductor {found.name} on {len(plans)} of the log, {found.no_plan} without a plan")
    for name, said in ways.items():
        right = sum(a and b for a, b in zip(said, there, strict=True))
        print(name)
        told(right, sum(said), sum(there))
        for kind in ("stated", "implied"):
            of = [s for s, row in zip(said, rows, strict=True) if row["kind"] == kind]
            print(f"  {kind}: {sum(of)} of {len(of)} found")
    print("workflows, and how many of them for work of several stages")
    counts = Counter(sketch.name or "(none)" for sketch in found.sketches)
    for name, count in counts.most_common(8):
        of = sum(t and (s.name or "(none)") == name for t, s in zip(there, found.sketches,
                                                                    strict=True))  # fmt: skip
        print(f"  {name}: {count}, {of}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", type=Path)
    parser.add_argument("--wrong", action="store_true", help="Print what the rules get wrong.")
    parser.add_argument("--conductor", help="Also let it plan prompts of the log.")
    parser.add_argument("--pool", default="embedded")
    parser.add_argument("--limit", type=int, default=100)
    given = parser.parse_args()
    rows = log()
    if given.write:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        given.write.write_text(text, encoding="utf-8")
    found = [(row, stages_of(str(row["prompt"]))) for row in rows]
    said = [row for row, stages in found if stages.several]
    right = sum(bool(row["several"]) for row in said)
    there = sum(bool(row["several"]) for row in rows)
    print("the log of 500")
    told(right, len(said), there)
    for kind in ("stated", "implied"):
        of = [stages.several for row, stages in found if row["kind"] == kind]
        print(f"  {kind}: {sum(of)} of {len(of)} found")
    later = [(True, t) for t in (*LATER_SEVERAL, *LATER_SEVERAL_KO)]
    later += [(False, t) for t in (*LATER_ONE, *LATER_ONE_KO)]
    texts = [(several, text.replace("{t}", "the audit")) for several, text in later]
    marked = [several for several, text in texts if stages_of(text).several]
    print("sentences that were written later, each once")
    told(sum(marked), len(marked), sum(several for several, _ in texts))
    if given.conductor:
        some = random.Random(5).sample(rows, min(given.limit, len(rows)))
        beside(some, asyncio.run(conducted(some, given.pool, given.conductor)))
    if given.wrong:
        for several, text in texts:
            if stages_of(text).several != several:
                print("missed" if several else "false ", stages_of(text).name, "|", text)
        wrong = {
            (bool(row["several"]), str(row["prompt"]), stages.name)
            for row, stages in found
            if stages.several != row["several"]
        }
        for several, prompt, name in sorted(wrong)[:60]:
            print("missed" if several else "false ", name, "|", prompt.replace("\n", " / "))


if __name__ == "__main__":
    main()
