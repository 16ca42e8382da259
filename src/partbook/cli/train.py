"""`partbook train`: train a Conductor, look at its curves, evaluate it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partbook.cli.amounts import whole_numbers
from partbook.cli.asking import OnOption
from partbook.cli.extra import need_training
from partbook.cli.train_export import export_command
from partbook.cli.train_verl import verl_command
from partbook.errors import ConfigError

if TYPE_CHECKING:
    from partbook.train.preset import Preset

__all__ = ["train_app", "train_command"]

train_app = typer.Typer(
    help="Train a Conductor by reward.", invoke_without_command=True, no_args_is_help=True
)

train_app.command("export")(export_command)

PresetOption = Annotated[str, typer.Option("--preset", help="Name of a preset.")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="Change a value: table.key=value; repeatable.")
]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="Directory of a training run.")]

train_app.command("verl")(verl_command)


@train_app.callback()
def train_command(
    context: typer.Context,
    preset: PresetOption = "",
    seed: Annotated[int, typer.Option(help="Of the problems and of all draws.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Directory of the run.")] = None,
    warm: Annotated[
        Path | None, typer.Option(help="Folder with a warm policy; made where it is missing.")
    ] = None,
    change: SetOption = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say what it takes, ask its workers once, and stop."),
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from a checkpoint.")] = False,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Write logs for TensorBoard into the run.")
    ] = False,
    price_weight: Annotated[
        float | None,
        typer.Option(help="Of a right answer's reward, what a rollout of --price-usd loses."),
    ] = None,
    price_usd: Annotated[
        float | None, typer.Option(help="The price at which a rollout loses all of it.")
    ] = None,
    on: OnOption = "",
) -> None:
    """Train a Conductor by reward.

    Exit status 1: it was stopped before its end, with a checkpoint. 2: something is wrong that you
    can mend; what was trained until then is in the newest checkpoint.
    """
    if context.invoked_subcommand is not None:
        return
    asked = {
        "trainer.report_to": "tensorboard" if tensorboard else None,
        "grpo.price_weight": price_weight,
        "grpo.price_usd": price_usd,
    }
    said = [f"{name}={value}" for name, value in asked.items() if value is not None]
    chosen = _preset(preset, [*(change or []), *said])
    folder = out or Path("runs/out") / f"{chosen.name}-{seed}"
    need_training()
    from partbook.cli.train_check import check_before, show_needs
    from partbook.cli.train_nodes import TrainingNodes
    from partbook.cli.train_pool import opened_for_training
    from partbook.train.hush import hush
    from partbook.train.options import rank
    from partbook.train.run import check_machine, check_start, train

    hush()
    if dry_run:
        show_needs(chosen, folder, seed, _say)
        check_before(chosen, seed, _say)
        check_machine(chosen, folder)
        return
    if rank() == 0:
        check_start(chosen, folder, seed, warm=warm, resume=resume)
        check_before(chosen, seed, _say)
    nodes = TrainingNodes(on, chosen.data, _say) if on else None
    opens = opened_for_training if nodes is None else nodes.opened_pool
    stopped = train(
        chosen, folder, seed, _say, warm=warm, resume=resume, open_pool=opens, nodes=nodes
    )
    if stopped:
        print(f"stopped: {stopped}; go on by --resume")
        raise typer.Exit(1)
    print(f"trained: {folder / 'policy'}")


@train_app.command("reproduce")
def reproduce_command(
    preset: PresetOption = "tiny",
    seeds: Annotated[str, typer.Option(help="Seeds, with commas between.")] = "0,1,2",
    out: Annotated[Path | None, typer.Option(help="Directory of all of it.")] = None,
    problems: Annotated[int, typer.Option(min=4, help="Test problems.")] = 500,
    change: SetOption = None,
) -> None:
    """Train several seeds from one warm start and compare them on test problems."""
    chosen = _preset(preset, change)
    numbers = whole_numbers("--seeds", seeds)
    need_training()
    from partbook.train.bars import bars, bars_text
    from partbook.train.reproduce import comparison, run_seeds, table_text

    folder = out or Path("runs/out") / f"{chosen.name}-seeds"
    run_seeds(chosen.name, folder, numbers, change or [], chosen, _say)
    lines = comparison(folder, numbers, chosen, problems, _say)
    text = f"{table_text(lines)}\n{bars_text(bars(lines))}"
    (folder / "table.md").write_text(text, encoding="utf-8")
    print(text, end="")


@train_app.command("evaluate")
def evaluate_command(
    policy: Annotated[Path, typer.Argument(metavar="POLICY", help="Folder of a policy.")],
    preset: PresetOption = "tiny",
    split: Annotated[str, typer.Option(help="train, validation or test.")] = "test",
    problems: Annotated[int, typer.Option(min=4, help="How many.")] = 500,
    sampled: Annotated[bool, typer.Option("--sampled", help="At temperature 1.")] = False,
    seed: Annotated[int, typer.Option(help="Of the problems and of the draws.")] = 0,
    again: Annotated[
        bool, typer.Option("--again", help="Two rounds, beside a fresh first round.")
    ] = False,
    change: SetOption = None,
) -> None:
    """Let a policy answer lab problems, and print what it did as JSON.

    `--set "data.workers=['ada','bo']"` and `--set data.subset=4` ask it with other pools than the
    one it was trained with.
    """
    from dataclasses import asdict

    from partbook.lab.values import SPLITS

    known = next((name for name in SPLITS if name == split), None)
    if known is None:
        raise ConfigError(f"--split: expected {', '.join(SPLITS)}; found {split!r}")
    if not policy.is_dir():
        raise ConfigError(f"there is no folder {policy}; `partbook train` writes RUN/policy")
    chosen = _preset(preset, change)
    need_training()
    from partbook.train.course import exam_rows
    from partbook.train.environment import lab_environment
    from partbook.train.exam import Exam
    from partbook.train.hush import hush
    from partbook.train.policy import open_net
    from partbook.train.second_look import second_look

    hush()
    rows, net = exam_rows(chosen, known, problems, seed), open_net(str(policy))
    environment, draw = lab_environment(), seed + 1 if sampled else None
    if again:
        print(json.dumps(asdict(second_look(net, chosen, environment, rows, draw)), indent=2))
        return
    found = Exam.of(rows).take(net, chosen, environment, draw)
    print(json.dumps(asdict(found), indent=2))


@train_app.command("plot")
def plot_command(
    run: RunArgument,
    out: Annotated[Path | None, typer.Option(help="The picture; RUN/curves.png.")] = None,
) -> None:
    """Draw the curves of a run into one picture."""
    from partbook.train.run_folder import RunFolder

    folder = RunFolder(run)
    folder.metrics()
    need_training()
    from partbook.train.plot import plot_run

    target = out or run / "curves.png"
    plot_run(folder, target)
    print(f"wrote {target}")


def _preset(name: str, changes: list[str] | None) -> "Preset":
    from partbook.train.preset import load_preset

    return load_preset(name, changes or [])


def _say(line: str) -> None:
    print(line, flush=True)
