"""`partbook reproduce`: the paper's claims in the lab, trained for and decided, in one command."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partbook.cli.amounts import whole_numbers
from partbook.cli.extra import need_training
from partbook.errors import ConfigError

if TYPE_CHECKING:
    from partbook.claims.programme import Settings
    from partbook.claims.stages import Stage

__all__ = ["reproduce_command"]


def reproduce_command(
    out: Annotated[Path, typer.Option(help="Directory of all of it; the same one goes on.")] = Path(
        "runs/out/claims"
    ),
    claims: Annotated[str, typer.Option(help="Letters of the claims, of abcdefgh.")] = "abcdefgh",
    seeds: Annotated[str, typer.Option(help="Seeds, with commas between.")] = "0,1,2",
    problems: Annotated[int, typer.Option(min=4, help="Test problems.")] = 500,
    policies: Annotated[
        Path | None,
        typer.Option(help="A folder of `train reproduce`, in place of training anew."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the stages and what each takes, and stop.")
    ] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Only decide by what is there, and stop.")
    ] = False,
) -> None:
    """Train, examine and decide the paper's claims in the lab (docs/claims.md).

    Every stage is a folder that is skipped once it is finished: the same command goes on where it
    was cut short. Writes claims.md, claims.json and claims.png.
    """
    unknown = set(claims) - set("abcdefgh")
    if unknown or not claims:
        raise ConfigError(f"--claims: expected letters of abcdefgh, found {claims!r}")
    need_training()
    from partbook.claims.programme import Settings, programme
    from partbook.claims.stages import run_stages

    settings = Settings(
        out, tuple(whole_numbers("--seeds", seeds)), problems, policies=policies, claims=claims
    )
    _check_policies(settings)
    stages = programme(settings)
    if dry_run:
        _show(stages)
        return
    if not report:
        run_stages(stages, _say, os.cpu_count() or 1)
    _decide(settings)


def _decide(settings: "Settings") -> None:
    from partbook.claims.material import read_material
    from partbook.claims.plot import plot_claims
    from partbook.claims.statements import verdicts
    from partbook.claims.table import claims_data, claims_text

    found = verdicts(read_material(settings), settings.claims)
    text = claims_text(found)
    data = json.dumps(claims_data(found), indent=2, ensure_ascii=False)
    try:
        settings.out.mkdir(parents=True, exist_ok=True)
        (settings.out / "claims.md").write_text(text, encoding="utf-8")
        (settings.out / "claims.json").write_text(f"{data}\n", encoding="utf-8")
        plot_claims(found, settings.out / "claims.png")
    except OSError as err:
        raise ConfigError(f"--out: cannot write to {settings.out}: {err.strerror or err}") from err
    print(text, end="")


def _show(stages: "list[Stage]") -> None:
    from partbook.claims.programme import minutes
    from partbook.claims.stages import left

    for stage in stages:
        state = "finished" if stage.is_finished else f"{stage.minutes:g} min"
        print(f"{stage.name:24} {state:>9}  {stage.folder}")
    rest = minutes(left(stages))
    print(f"{rest:.0f} minutes of one core are left, {rest / (os.cpu_count() or 1):.0f} here")


def _check_policies(settings: "Settings") -> None:
    from partbook.claims.programme import seed_folder
    from partbook.train.run_folder import RunFolder

    if settings.policies is None:
        return
    folders = [RunFolder(seed_folder(settings, "seed", seed)).policy for seed in settings.seeds]
    for folder in (settings.policies / "warm-start", *folders):
        if not (folder / "config.json").exists():
            raise ConfigError(
                f"--policies: no policy in {folder}; make it by `partbook train reproduce --out "
                f"{settings.policies}`"
            )


def _say(line: str) -> None:
    print(line, flush=True)
