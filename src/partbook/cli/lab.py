"""`partbook lab`: the scripted world. Its table, its endpoint, and one of its problems."""

from pathlib import Path
from typing import Annotated

import typer

from partbook.cli.files import write_text
from partbook.cli.plain import open_console
from partbook.errors import ConfigError

__all__ = ["lab_app"]

lab_app = typer.Typer(
    help="The scripted world in which claims about orchestration are tested.",
    no_args_is_help=True,
)

_BEGIN = "<!-- begin: partbook lab table -->"
_END = "<!-- end: partbook lab table -->"

SeedOption = Annotated[int, typer.Option(help="Seed of the world and of its problems.")]


@lab_app.command("table")
def table_command(
    problems: Annotated[int, typer.Option(min=4, help="Test problems.")] = 500,
    seed: SeedOption = 0,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    write: Annotated[
        Path | None, typer.Option(help="Put the table into this file, between its markers.")
    ] = None,
) -> None:
    """Measure every worker alone, constant and random plans, and the optimum."""
    from partbook.lab.table import lab_table
    from partbook.lab.table import markdown as as_markdown

    rows = lab_table(problems, seed)
    if write is not None:
        _put(write, as_markdown(rows))
        print(f"wrote {len(rows)} rows to {write}")
        return
    if markdown:
        print(as_markdown(rows), end="")
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("system", "right", "95 %", "1", "2", "3", "4", "steps", "USD/1000"):
        table.add_column(heading, justify="left" if heading == "system" else "right")
    for row in rows:
        levels = (f"{share:.2f}" for share in row.by_difficulty)
        between = f"{row.low:.2f}-{row.high:.2f}"
        table.add_row(
            row.system,
            f"{row.accuracy:.3f}",
            between,
            *levels,
            f"{row.steps:.2f}",
            f"{row.cost_usd:.3f}",
        )
    open_console().print(table)


@lab_app.command("problem")
def problem_command(
    seed: SeedOption = 0,
    difficulty: Annotated[int, typer.Option(help="Number of skills, 1 to 4.")] = 2,
    split: Annotated[str, typer.Option(help="train, validation or test.")] = "train",
) -> None:
    """Show one problem as a worker sees it, its parts, and its best workflow."""
    from partbook.lab.optimum import optimum
    from partbook.lab.pool import lab_pool
    from partbook.lab.problem import lab_problem
    from partbook.lab.values import SPLITS

    known = next((name for name in SPLITS if name == split), None)
    if known is None:
        raise ConfigError(f"--split: expected {', '.join(SPLITS)}; found {split!r}")
    problem = lab_problem(seed, difficulty, known)
    pool = lab_pool(seed)
    best = optimum(problem, pool)
    print(problem.question)
    print(f"\nanswer: {problem.answer}")
    print(f"skills: {', '.join(part.skill for part in problem.parts)}")
    print(f"\nbest workflow, right with probability {best.accuracy:.3f}:")
    for i, step in enumerate(best.workflow.steps):
        reads = f"  reads {', '.join(map(str, step.access))}" if step.access else ""
        print(f"  {i}  {pool[step.worker].name:4} {step.subtask}{reads}")


@lab_app.command("serve")
def serve_command(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 8765,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    seed: SeedOption = 0,
) -> None:
    """Serve the lab's workers as an OpenAI-compatible endpoint."""
    import socket

    from aiohttp import web

    from partbook.lab.serve import lab_endpoint

    try:
        listening = socket.create_server((host, port))
    except OSError as err:
        raise ConfigError(f"cannot listen on {host}:{port}: {err.strerror or err}") from err
    port = listening.getsockname()[1]
    print(f"the lab listens on http://{host}:{port}/v1 (any key; models: its workers)", flush=True)
    web.run_app(lab_endpoint(seed), sock=listening, print=None)


def _put(path: Path, table: str) -> None:
    """Replace what stands between the markers of a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as err:
        raise ConfigError(f"cannot read {path}: {err.strerror or err}") from err
    except UnicodeDecodeError as err:
        raise ConfigError(f"{path}: UTF-8 was expected, byte {err.start} is not") from err
    head, begin, rest = text.partition(_BEGIN)
    _, end, tail = rest.partition(_END)
    if not begin or not end:
        raise ConfigError(f"{path}: expected the lines {_BEGIN} and {_END}")
    write_text("--write", path, f"{head}{_BEGIN}\n{table}{_END}{tail}")
