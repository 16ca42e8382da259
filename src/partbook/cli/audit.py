"""`partbook audit`: which prompts of a log ask for several stages, and so are worth splitting."""

import csv
import json as json_module
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from partbook.cli.figures import price
from partbook.cli.plain import head, open_console
from partbook.cli.savings import Lang
from partbook.errors import ConfigError
from partbook.spend_json import money

if TYPE_CHECKING:
    from partbook.economy.audit import Audit, Candidate
    from partbook.economy.prompts import Prompt

__all__ = ["audit_command"]

_WORDS = {
    "en": {
        "found": "{several} of {prompts} prompts ask for several stages.",
        "heading": ("stages", "prompts", "spent", "calls if split", "cost if split", "workflow"),
        "note": "Found by rules: what a prompt only implies is missed. `Cost if split` is as if "
        "each step took what the single call takes; whether answers become better, only "
        "`partbook evaluate` tells.",
        "unknown": "{count} prompts have no cost and are in no sum.",
    },
    "ko": {
        "found": "프롬프트 {prompts}개 가운데 {several}개가 여러 단계를 요구합니다.",
        "heading": ("단계", "프롬프트", "지출", "나눈 뒤 호출", "나눈 뒤 비용", "워크플로"),
        "note": "규칙으로 찾았으므로 암시만 된 단계는 놓칩니다. 나눈 뒤 비용은 단계마다 지금 "
        "호출 한 번만큼 든다고 본 값이며, 답이 좋아지는지는 `partbook evaluate`로만 알 수 "
        "있습니다.",
        "unknown": "{count}개는 비용이 없어 합계에 들어 있지 않습니다.",
    },
}


def audit_command(
    logs: Annotated[
        list[Path] | None,
        typer.Argument(help="Logs of prompts: chat requests or OpenAI batches as JSONL, or CSV."),
    ] = None,
    store: Annotated[
        bool, typer.Option("--store", help="Take the questions of the runs that are kept.")
    ] = False,
    top: Annotated[int, typer.Option(min=1, help="List at most so many kinds of work.")] = 10,
    masked: Annotated[
        bool, typer.Option("--mask", help="Mask addresses, numbers and keys in the examples.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    lang: Annotated[Lang, typer.Option(help="Language of what is said.")] = Lang.EN,
) -> None:
    """Find work of several stages in a log of prompts, by rules, on this machine alone.

    Such work (extract, then analyse, then write) is where splitting may help.
    """
    from partbook.economy.audit import audit

    if not logs and not store:
        raise ConfigError("which log? Name its files, or --store for the runs that are kept")
    if as_csv and as_json:
        raise ConfigError("--csv and --json: give one of them")
    found = audit(_prompts(logs or [], store))
    if not found.prompts:
        raise ConfigError("there is no prompt in it")
    shown = [_data(one, masked) for one in found.candidates[:top]]
    if as_json:
        known = {
            "prompts": found.prompts,
            "several": found.several,
            "known_usd": money(found.known_usd),
            "unknown_costs": found.unknown_costs,
        }
        print(json_module.dumps({**known, "candidates": shown}, ensure_ascii=False))
    elif as_csv:
        writer = csv.DictWriter(sys.stdout, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _in_cell(value) for key, value in row.items()} for row in shown)
    else:
        _print(found, shown, lang.value)


_COLUMNS = ("stages", "steps", "prompts", "known_usd", "unknown_costs", "calls_split", "split_usd",
            "workflow", "example")  # fmt: skip


def _prompts(logs: list[Path], store: bool) -> "Iterator[Prompt]":
    from partbook.economy.prompts import prompts_in

    yield from chain.from_iterable(map(prompts_in, logs))
    if store:
        yield from _kept()


def _kept() -> "Iterator[Prompt]":
    from partbook.economy.prompts import Prompt
    from partbook.ledger import Total, entries_of
    from partbook.store import Store, default_url

    with Store.open(default_url()) as opened:
        for trace, _ in opened.with_tasks():
            total = Total()
            for entry in entries_of(trace):
                total.add(entry)
            yield Prompt(trace.question, "", total.cost_usd)


def _data(one: "Candidate", masked: bool) -> dict[str, Any]:
    from partbook.economy.mask import mask

    return {
        "stages": one.name,
        "steps": one.steps,
        "prompts": one.prompts,
        "known_usd": money(one.known_usd),
        "unknown_costs": one.unknown_costs,
        "calls_split": one.calls_split,
        "split_usd": money(one.split_usd),
        "workflow": one.workflow,
        "example": mask(one.example) if masked else one.example,
    }


def _in_cell(value: Any) -> Any:
    """Text that no spreadsheet takes for a formula: a prompt may be anybody's."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t")):
        return f"'{value}"
    return value


def _print(found: "Audit", shown: list[dict[str, Any]], language: str) -> None:
    words: dict[str, Any] = _WORDS[language]
    console = open_console()
    said = words["found"].format(several=f"{found.several:,}", prompts=f"{found.prompts:,}")
    console.print(Text(said, "bold"))
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for i, name in enumerate(words["heading"]):
        table.add_column(name, justify="left" if i in (0, 5) else "right", overflow="fold")
    for row, one in zip(shown, found.candidates, strict=False):
        known = one.unknown_costs < one.prompts
        table.add_row(
            row["stages"],
            f"{one.prompts:,}",
            price(one.known_usd) if known else "?",
            f"{one.calls_split:,}",
            price(one.split_usd) if known else "?",
            one.workflow,
        )
    if shown:
        console.print()
        console.print(table)
        console.print()
    for row in shown:
        console.print(Text.assemble((row["stages"], "bold"), f": {head(row['example'])}"))
    console.print()
    if found.unknown_costs:
        console.print(Text(words["unknown"].format(count=f"{found.unknown_costs:,}"), "dim"))
    console.print(Text(words["note"], "dim"))
