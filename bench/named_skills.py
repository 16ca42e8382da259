"""How a lab policy fails: texts without a workflow, clauses copied wrongly, skills named wrongly.

Run it on the folder of a policy: `python bench/named_skills.py runs/out/tiny-seeds/seed-0/policy`.
It asks 200 validation and 200 test problems, greedily.
"""

import argparse
import re
from pathlib import Path

from partbook.errors import ParseError
from partbook.lab.operations import SKILLS
from partbook.lab.optimum import CHECK
from partbook.lab.table import WHOLE
from partbook.lab.values import Split
from partbook.parse import parse
from partbook.train.environment import lab_environment
from partbook.train.policy import Net, open_net, prompt_text, sample
from partbook.train.preset import load_preset
from partbook.train.row import lab_rows, problem_of

NAMED = re.compile(rf"(?:^|, |\. )({'|'.join(SKILLS)}|check|all)\b[a-z ]*? by ")


def report(net: Net, split: Split, count: int) -> None:
    """Print the figures of one split."""
    preset, environment = load_preset("tiny"), lab_environment()
    rows = lab_rows(count, split)
    prompts = [prompt_text(net.tokenizer, preset.prompt_style, row, environment) for row in rows]
    invalid = steps = miscopied = named = right = 0
    for row, text in zip(rows, sample(net, prompts, preset, None), strict=True):
        try:
            workflow = parse(text, len(row.order))
        except ParseError:
            invalid += 1
            continue
        skills = NAMED.findall(text.partition("\n")[0])
        skill_of = {part.subtask.lower(): part.skill for part in problem_of(row).parts}
        for i, step in enumerate(workflow.steps):
            subtask, question = step.subtask.lower(), row.question.lower()
            steps += 1
            is_known = subtask in (WHOLE.lower(), CHECK.lower())
            miscopied += not is_known and any(c not in question for c in subtask.split(", then "))
            if subtask in skill_of and len(skills) == len(workflow.steps):
                named += 1
                right += skill_of[subtask] == skills[i]
    print(
        f"{split}: {count} problems, {invalid} texts without a workflow, {miscopied} of {steps} "
        f"subtasks copied wrongly, the skill named rightly for {right} of {named} steps"
    )


def main() -> None:
    """Print both splits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policy", type=Path)
    parser.add_argument("--problems", type=int, default=200)
    given = parser.parse_args()
    net = open_net(str(given.policy))
    splits: tuple[Split, ...] = ("validation", "test")
    for split in splits:
        report(net, split, given.problems)


main()
