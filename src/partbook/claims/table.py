"""The claims as a Markdown table and as JSON."""

from collections.abc import Sequence
from math import isfinite

from partbook.claims.effect import Effect
from partbook.claims.verdicts import Claim

__all__ = ["claims_data", "claims_text"]

_NOTE = (
    "The workers are scripts and the policy is a net of less than a million weights: a verdict is "
    "about the method in this world, and no evidence about language models. Published figures are "
    "those of arXiv:2512.04388, of other workers and other tasks. `not run`: the stages that it "
    "needs are not finished."
)


def claims_text(claims: Sequence[Claim]) -> str:
    """One table: a line for each claim with its verdict, and one for each of its statements."""
    lines = [
        "| claim | statement | published | ours, with 95 % | verdict |",
        "|---|---|---|---|---|",
    ]
    for claim in claims:
        lines.append(f"| **({claim.letter})** | **{claim.claim}** |  |  | **{claim.word}** |")
        for one in claim.findings:
            said = {True: "yes", False: "no", None: "–"}[one.holds]
            published = f"published: {one.published}" if one.published else "–"
            lines.append(f"|  | {one.statement} | {published} | {one.ours} | {said} |")
        if claim.untestable:
            lines.append(f"|  | {claim.untestable} | – | – | not testable here |")
    return "\n".join(lines) + f"\n\n{_NOTE}\n"


def claims_data(claims: Sequence[Claim]) -> list[dict[str, object]]:
    """The same as plain data."""
    return [
        {
            "claim": claim.letter,
            "text": claim.claim,
            "verdict": claim.word,
            "not_testable": claim.untestable or None,
            "statements": [
                {
                    "statement": one.statement,
                    "published": one.published or None,
                    "ours": one.ours,
                    "holds": one.holds,
                    "effect": None if one.effect is None else _effect(one.effect),
                }
                for one in claim.findings
            ],
        }
        for claim in claims
    ]


def _effect(effect: Effect) -> dict[str, object]:
    ends = effect.over_seeds
    return {
        "mean": effect.mean,
        "seeds": list(effect.seeds),
        "over_seeds": list(ends) if all(map(isfinite, ends)) else None,
        "over_problems": None if effect.problems is None else list(effect.problems),
    }
