"""`partbook train verl`: write the data of a run for verl, and print what starts it."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["verl_command"]


def verl_command(
    preset: Annotated[str, typer.Option("--preset", help="Name of a preset.")] = "",
    out: Annotated[Path, typer.Option(help="Folder of the data; all machines see it.")] = Path(
        "runs/out/verl"
    ),
    seed: Annotated[int, typer.Option(help="Of the rows.")] = 0,
    nodes: Annotated[int, typer.Option(min=1, help="Machines.")] = 2,
    gpus: Annotated[int, typer.Option(min=1, help="GPUs of each machine.")] = 8,
    change: Annotated[
        list[str] | None, typer.Option("--set", help="Change a value: table.key=value; repeatable.")
    ] = None,
) -> None:
    """Write the data of a run for verl, and print the command that trains on it.

    verl lives in an environment of its own, with this package and without its extra `train`.
    """
    from partbook.cli.train_pool import opened_for_training
    from partbook.train.course import opened_course
    from partbook.train.preset import load_preset
    from partbook.train.verl import write_verl_data
    from partbook.train.verl_launch import launch_command

    changes = change or []
    chosen = load_preset(preset, changes)
    words = launch_command(chosen, out, nodes, gpus, seed)  # first: it refuses what verl would
    with opened_course(chosen, seed, opened_for_training, examined=False) as course:
        for note in course.notes:
            print(f"note: {note}")
        write_verl_data(preset, changes, course.rows, course.environment, seed, out)
    print(f"wrote {len(course.rows)} rows to {out}; in verl's environment:\n")
    print("VERL_USE_EXTERNAL_MODULES=partbook.train.verl_plugin " + " \\\n  ".join(
        [shlex.join(words[:3]), *map(shlex.quote, words[3:])]
    ))  # fmt: skip
