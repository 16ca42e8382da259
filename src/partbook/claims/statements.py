"""Statements: the paper's eight claims, put so that the lab can refute them (docs/claims.md).

The bars stand here, and were set before the stages were run. Where several rivals could
stand for one, the best on the very problems that decide does, which favours it over the policy.
"""

from collections.abc import Callable, Sequence
from statistics import fmean

from partbook.claims.answers import Answer, apart
from partbook.claims.effect import Effect, between, unpaired
from partbook.claims.material import Material, by_problem
from partbook.claims.verdicts import Claim, Finding, finding

__all__ = ["verdicts"]

PAPER_STEPS = 3.0
"""Of five that are allowed (arXiv:2512.04388, section 4)."""

LONGER = 0.5
"""So many steps more than at its beginning, and training is said to make workflows longer."""

ALIKE = 0.05
"""Accuracies this close are called alike."""

SAME_WORKERS = 0.1
"""Share of the steps that may go to other workers where two sizes are said to pick the same."""

TWICE = 2.0


def verdicts(material: Material, letters: str = "abcdefgh") -> list[Claim]:
    """Decide the claims that are asked for."""
    deciders: dict[str, Callable[[Material], Claim]] = {
        "a": _beats_each,
        "b": _beats_rivals,
        "c": _few_steps,
        "d": _effort,
        "e": _recursion,
        "f": _unseen_pools,
        "g": _ablations,
        "h": _sizes,
    }
    return [decide(material) for letter, decide in deciders.items() if letter in letters]


def _against(
    ours: Sequence[Sequence[Answer]], theirs: Sequence[Sequence[Answer]], what: str = "right"
) -> Effect | None:
    """Paired by problem; theirs may be one for all seeds."""
    if not ours or not theirs:
        return None
    others = list(theirs) * len(ours) if len(theirs) == 1 else theirs
    return between([by_problem(a, what) for a in ours], [by_problem(a, what) for a in others])


def _mean_of(ours: Sequence[Sequence[Answer]], what: str) -> Effect | None:
    return between([by_problem(answers, what) for answers in ours], []) if ours else None


def _accuracy(answers: Sequence[Answer]) -> float:
    return fmean(answer.right for answer in answers)


def _shown(ours: Sequence[Sequence[Answer]]) -> str:
    return " ".join(f"{_accuracy(answers):.3f}" for answers in ours)


def _best(systems: Sequence[tuple[str, Sequence[Answer]]]) -> tuple[str, Sequence[Answer]]:
    """The best on the very problems that decide, which favours it over us."""
    return max(systems, key=lambda item: _accuracy(item[1]))


def _beats_each(material: Material) -> Claim:
    ours = material.of("seed")
    findings: list[Finding] = []
    plans = list(material.constants.items())
    alone = [item for item in plans if item[0].endswith(" alone")]
    for what, published, among in (
        ("the best single worker", "72.35 against 64.14 (Table 7)", alone),
        ("the best constant plan", "", plans),
    ):
        name, theirs = _best(among)
        note = f"{_shown(ours)} against {_accuracy(theirs):.3f} ({name})" if ours else ""
        if ours and material.warm:
            note += f"; before training by reward {_accuracy(material.warm):.3f}"
        effect = _against(ours, [theirs])
        statement = f"more right answers than {what}"
        findings.append(finding(statement, published, effect, above=0, note=note))
    return Claim("a", "beats every single worker and a constant plan", tuple(findings))


_RIVALS = (
    ("moa", "Mixture-of-Agents", "72.35 against 62.13 (Table 7)"),
    ("masrouter", "MasRouter", "72.35 against 56.89 (Table 7)"),
    ("routerdc", "RouterDC", "72.35 against 52.41 (Table 7)"),
    ("smoothie", "Smoothie", "72.35 against 56.48 (Table 7)"),
    ("self-reflection", "self-reflection", "72.35 against 64.52 (Table 7)"),
    ("self-fusion", "self-fusion", ""),
)


def _beats_rivals(material: Material) -> Claim:
    ours = material.of("seed")
    findings: list[Finding] = []
    for kind, name, published in _RIVALS:
        systems = [(n, a) for n, a in material.rivals.items() if n.split(":")[0] == kind]
        effect, note = None, ""
        if systems and ours:
            system, theirs = _best(systems)
            effect = _against(ours, [theirs])
            note = f"{_accuracy(theirs):.3f} ({system})"
        statement = f"more right answers than {name}"
        findings.append(finding(statement, published, effect, above=0, note=note))
    moa = [a for n, a in material.rivals.items() if n.startswith("moa:2")]
    effect = _against(ours, moa[:1], "calls") if moa else None
    note = f"{fmean(a.calls for one in ours for a in one):.2f} calls" if ours else ""
    findings.append(
        finding(
            "fewer calls than Mixture-of-Agents, the Conductor's own included",
            "3 steps against 8 calls",
            effect,
            below=0,
            unit="count",
            note=note,
        )
    )
    return Claim("b", "better than its rivals, with fewer calls than MoA", tuple(findings))


def _few_steps(material: Material) -> Claim:
    ours = material.of("seed")
    steps = _mean_of(ours, "steps")
    longer = _against(ours, [material.warm] if material.warm else [], "steps")
    return Claim(
        "c",
        "fewer steps than allowed, without being told",
        (
            finding(
                f"at most {PAPER_STEPS:g} steps of the 5 that are allowed",
                "3 of 5 on average",
                steps,
                below=PAPER_STEPS,
                unit="count",
                is_difference=False,
            ),
            finding(
                f"reward makes workflows no more than {LONGER} steps longer than at the beginning",
                "",
                longer,
                below=LONGER,
                unit="count",
            ),
        ),
    )


def _effort(material: Material) -> Claim:
    ours = material.of("seed")
    findings: list[Finding] = []
    for level in (1, 2, 3):
        effect = None
        if ours:
            upper = [_steps_at(answers, level + 1) for answers in ours]
            lower = [_steps_at(answers, level) for answers in ours]
            if all(upper) and all(lower):
                effect = unpaired(upper, lower)
        statement = f"more steps where {level + 1} parts are needed than where {level}"
        published = "MMLU 1 to 2, LiveCodeBench 3 to 4" if level == 1 else ""
        before = [_steps_at(material.warm, each) for each in (level, level + 1)]
        note = ""
        if all(before):
            more = fmean(before[1].values()) - fmean(before[0].values())
            note = f"before training by reward {more:+.2f}"
        findings.append(finding(statement, published, effect, above=0, unit="count", note=note))
    return Claim("d", "more steps on harder problems", tuple(findings))


def _steps_at(answers: Sequence[Answer], level: int) -> dict[str, float]:
    return by_problem([answer for answer in answers if answer.difficulty == level], "steps")


def _recursion(material: Material) -> Claim:
    first, second = material.of("again", "first"), material.of("again", "second")
    fresh = material.of("again", "fresh")
    gain = _against(second, first)
    excess = None
    if first:
        # Both rounds less twice the first: below 0 is under twice the calls.
        twice = [_doubled(by_problem(answers, "calls")) for answers in first]
        excess = between([by_problem(answers, "calls") for answers in second], twice)
    note = f"{_shown(first)}, then {_shown(second)}; afresh {_shown(fresh)}" if first else ""
    return Claim(
        "e",
        "recursion adds accuracy at under twice the calls",
        (
            finding(
                "more right answers after the second round than after the first",
                "63.00 against 61.93 (Table 2)",
                gain,
                above=0,
                note=note,
            ),
            finding(
                "fewer calls than twice those of the first round",
                "under twice",
                excess,
                below=0,
                unit="count",
            ),
        ),
    )


def _doubled(values: dict[str, float]) -> dict[str, float]:
    return {problem: TWICE * value for problem, value in values.items()}


def _unseen_pools(material: Material) -> Claim:
    findings: list[Finding] = []
    for pool, words, published in (
        ("fours", "pools of four of the known workers", "almost 10 points above Claude (Figure 6)"),
        ("guests", "a pool of workers never seen", ""),
    ):
        random, fixed = material.of("random", pool), material.of("control", pool)
        note = f"{_shown(random)} against {_shown(fixed)}" if random and fixed else ""
        statement = f"more right answers in {words} than after training with a fixed pool"
        effect = _against(random, fixed)
        findings.append(finding(statement, published, effect, above=0, note=note))
    return Claim("f", "training with random pools transfers to unseen ones", tuple(findings))


def _ablations(material: Material) -> Claim:
    full = material.of("control")
    whole, chain = material.of("whole"), material.of("chain")
    return Claim(
        "g",
        "subtasks matter, finer access does not, few-shots do",
        (
            finding(
                "fewer right answers where every worker is told to answer the question",
                "70.46 against 72.35 (Table 9, mean of four)",
                _against(full, whole),
                above=0,
                note=f"{_shown(full)} against {_shown(whole)}" if full and whole else "",
            ),
            finding(
                f"access to single steps is worth less than {ALIKE} over access to all or none",
                "71.44 against 72.35 (Table 9, mean of four)",
                _against(full, chain),
                above=-ALIKE,
                below=ALIKE,
                note=f"{_shown(full)} against {_shown(chain)}" if full and chain else "",
            ),
        ),
        "without few-shots: a net from scratch is shown none",
    )


def _sizes(material: Material) -> Claim:
    large, small = material.of("seed"), material.of("small")
    shares, note = None, ""
    if large and small:
        shares = Effect(tuple(apart(a, b) for a, b in zip(large, small, strict=True)), None)
        seeds = [apart(large[i - 1], large[i]) for i in range(1, len(large))]
        if seeds:
            note = f"between seeds of the larger one {fmean(seeds):.3f}"
    return Claim(
        "h",
        "a larger Conductor picks the same workers and writes better subtasks",
        (
            finding(
                f"less than {SAME_WORKERS} of the steps go to other workers",
                "3B and 7B: the same distribution (Figure 7)",
                shares,
                below=SAME_WORKERS,
                is_difference=False,
                note=note,
            ),
            finding(
                "more of its subtasks are faithful to the question",
                "better text on LiveCodeBench, no figure",
                _against(large, small, "faithful"),
                above=0,
                note=f"right: {_shown(large)} against {_shown(small)}" if small and large else "",
            ),
        ),
    )
