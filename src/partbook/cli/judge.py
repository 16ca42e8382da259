"""`partbook judge`: one verdict on one text, read from standard input as JSON.

The object holds what the kind of judge needs: `gold` and `pred` for mathematics and short answers;
`text`, `letters` and, where known, `choices` and `gold` for multiple choice; `question`, `rubric`,
`pred` and, where known, `gold` for a rubric, by which a worker of a pool judges; `response` and
`tests` for programs, which are run in the sandbox (`judge_code.py`); `pred`, and `gold` for what is
called the reference elsewhere, for a judge that an installed package adds. Other keys are ignored,
because such objects come from other people's files.
"""

import asyncio
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from partbook.cli.asking import PoolOption
from partbook.cli.case import read_case
from partbook.cli.grading import GraderOption, judged_by, opened_grader
from partbook.cli.plain import clean, print_json
from partbook.errors import ConfigError

if TYPE_CHECKING:
    from partbook.tasks.judges.verdict import Verdict

__all__ = ["JudgeKind", "judge_command"]


class JudgeKind(StrEnum):
    """The judges that the command offers."""

    MATHS = "maths"
    CHOICE = "choice"
    SHORT = "short"
    RUBRIC = "rubric"
    CODE = "code"


def judge_command(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="[" + "|".join(JudgeKind) + "|PLUGIN]",
            help="What kind of answer is judged, or a judge of `partbook plugins`.",
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    grader: GraderOption = None,
    pool: PoolOption = "embedded",
) -> None:
    """Judge one answer, read from standard input as a JSON object.

    For maths and short: {"gold": "1/2", "pred": "It is \\\\boxed{0.5}."}
    For choice: {"text": "Answer: B", "letters": ["A", "B", "C"], "gold": "B"}
    For rubric, with --grader: {"question": "...", "rubric": "names a metal", "pred": "Iron."}
    For code: {"response": "...", "tests": [{"stdin": "4", "stdout": "5"}]}, or "tests" as asserts
    """
    from partbook.cli.judge_code import tests_of
    from partbook.tasks.judges.choice import ChoiceJudge, choose
    from partbook.tasks.judges.code import CodeJudge
    from partbook.tasks.judges.judge import Judge
    from partbook.tasks.judges.maths import MathsJudge
    from partbook.tasks.judges.short import ShortJudge
    from partbook.tasks.judges.verdict import Verdict

    if kind not in list(JudgeKind):
        _check_plugin(kind)
    case = read_case()
    judge: Judge
    if kind == JudgeKind.CHOICE:
        text = _text(case, "text")
        letters = _letters(case)
        options = _options(case)
        if case.get("gold") is None:
            chosen = choose(text, letters, options)
            verdict = Verdict(
                "not judged", chosen.letter, f"no right option is given; {chosen.reason}"
            )
        else:
            verdict = asyncio.run(ChoiceJudge(_text(case, "gold"), letters, options).judge(text))
    elif kind == JudgeKind.RUBRIC:
        verdict = asyncio.run(_by_rubric(case, grader, pool))
    elif kind == JudgeKind.CODE:
        verdict = asyncio.run(CodeJudge(tests_of(case)).judge(_text(case, "response")))
    elif kind in (JudgeKind.MATHS, JudgeKind.SHORT):
        judge = (MathsJudge if kind == JudgeKind.MATHS else ShortJudge)(_text(case, "gold"))
        verdict = asyncio.run(judge.judge(_text(case, "pred")))
    else:
        verdict = asyncio.run(_by_plugin(kind, case))
    if json:
        found = {
            "verdict": verdict.outcome,
            "answer": verdict.answer,
            "reason": verdict.reason,
            "judged_by": verdict.judged_by or None,
        }
        print_json(found)
    else:
        print(f"{verdict.outcome}{judged_by(verdict.judged_by)}: {clean(verdict.reason)}")


def _check_plugin(kind: str) -> None:
    from partbook.plugins import JUDGES, near, plugin_names
    from partbook.tasks.judges.judge import JUDGES as RULES
    from partbook.tasks.judges.judge import is_judge

    if kind in RULES or not is_judge(kind):
        known = (*JudgeKind, *plugin_names(JUDGES))
        raise ConfigError(f"no judge {kind!r} for single answers; {near(kind, known)}")


async def _by_plugin(kind: str, case: Mapping[str, object]) -> "Verdict":
    from partbook.tasks.judges.judge import fields_of, judge_from

    row = {name: case[name] for name in fields_of(kind) if name in case}
    if case.get("gold") is not None:
        row["reference"] = _text(case, "gold")
    return await judge_from(kind, row).judge(_text(case, "pred"))


async def _by_rubric(case: Mapping[str, object], grader: str | None, pool: str) -> "Verdict":
    from partbook.tasks.judges.judge import judge_from

    row: dict[str, object] = {key: _text(case, key) for key in ("question", "rubric")}
    if case.get("gold") is not None:
        row["reference"] = _text(case, "gold")
    text = _text(case, "pred")
    async with opened_grader(grader, pool) as worker:
        return await judge_from("rubric", row, worker).judge(text)


def _text(case: Mapping[str, object], key: str) -> str:
    value = case.get(key)
    if not isinstance(value, str):
        raise ConfigError(
            f"key {key!r} must be text; found {value!r} among {', '.join(case) or 'no keys'}"
        )
    return value


def _letters(case: Mapping[str, object]) -> tuple[str, ...]:
    letters = case.get("letters", ["A", "B", "C", "D"])
    if not isinstance(letters, list) or not all(isinstance(letter, str) for letter in letters):
        raise ConfigError(f"key 'letters' must be a list of letters; found {letters!r}")
    return tuple(letters)


def _options(case: Mapping[str, object]) -> dict[str, str]:
    options = case.get("choices") or {}
    if not isinstance(options, dict):
        raise ConfigError(f"key 'choices' must be an object of texts by letter; found {options!r}")
    return {str(letter): str(text) for letter, text in options.items()}
