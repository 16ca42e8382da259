"""`partbook simulate`: how a deployment or a training run would behave on other machines.

It calls nobody. The figures come from the runs that are kept, from evaluations, from a file and
from options; which, is printed beside every one of them.
"""

import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partbook.cli.asking import ConductorOption, PoolOption, PricesOption, WorkflowOption
from partbook.cli.simulate_sources import Wish, played_mix, priced, sources_of
from partbook.errors import ConfigError

if TYPE_CHECKING:
    from partbook.simulate.figures import Mix
    from partbook.simulate.serving import Endpoint, Stage
    from partbook.simulate.staging import Sources
    from partbook.simulate.training import Policy
    from partbook.train.preset import Preset

__all__ = ["simulate_app"]

simulate_app = typer.Typer(
    help="How a deployment or a training run would behave, from measured or stated figures.",
    no_args_is_help=True,
)

FiguresOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Figures that nobody measured; see docs/simulate.md."),
]
StoreOption = Annotated[
    bool, typer.Option("--store/--no-store", help="Look at the runs that are kept of this pool.")
]
RecordedOption = Annotated[
    list[Path] | None,
    typer.Option(metavar="DIR", help="Look at an evaluation's results, too; repeatable."),
]
SystemOption = Annotated[
    str | None, typer.Option(help="With --recorded: whose workflows. Default: everybody's.")
]
LatencyOption = Annotated[
    str | None,
    typer.Option(metavar="P50/P95", help="Seconds of a call of whom nothing else is known."),
]
TokensOption = Annotated[
    str | None,
    typer.Option(metavar="READ/WRITTEN", help="Tokens of such a call."),
]
PriceOption = Annotated[
    str | None,
    typer.Option(
        metavar="IN/OUT",
        help="Dollars per million tokens read/written of whom no price is known.",
    ),
]
SeedsOption = Annotated[int, typer.Option(min=1, max=100, help="Simulations; the spread is shown.")]
SeedOption = Annotated[int, typer.Option(help="Of the first of them.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@simulate_app.command("serving")
def serving_command(
    rate: Annotated[str, typer.Option(help="Requests a second; several with commas between.")],
    pool: PoolOption = "embedded",
    workflow: WorkflowOption = None,
    conductor: ConductorOption = None,
    minutes: Annotated[float, typer.Option(min=0.01, help="For how long requests come.")] = 10.0,
    timeout: Annotated[float, typer.Option(min=0.001, help="Deadline of a request.")] = 600.0,
    processes: Annotated[
        int | None, typer.Option(min=1, help="Server processes. Default: 1, or as --figures says.")
    ] = None,
    figures: FiguresOption = None,
    store: StoreOption = True,
    recorded: RecordedOption = None,
    system: SystemOption = None,
    assume_latency: LatencyOption = None,
    assume_tokens: TokensOption = None,
    assume_price: PriceOption = None,
    prices: PricesOption = None,
    seeds: SeedsOption = 3,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Say how a deployment behaves that so many requests a second come to."""
    from partbook.cli.simulate_json import serving_json
    from partbook.cli.simulate_screen import print_serving
    from partbook.config import load_pool
    from partbook.simulate.serving import arrivals, bounds, serve
    from partbook.simulate.staging import stage_of

    rates = _rates(rate)
    _check_size(max(rates) * minutes * 60 * seeds)
    config = load_pool(pool)
    wish = Wish(
        figures,
        store,
        tuple(recorded or ()),
        system,
        assume_latency,
        assume_tokens,
        assume_price,
        prices,
    )
    sources = sources_of(wish, config.name)
    mix, who = played_mix(config, sources, workflow, conductor)
    conducting = None if who is None else priced([who], prices)[0]
    endpoint = _endpoint(sources, processes)
    specs = priced(config.workers, prices)
    stage = stage_of(specs, sources, mix, conducting, timeout, endpoint)
    found = {
        each: [
            serve(stage, arrivals(each, minutes * 60, random.Random(f"{number} {each}")), number)
            for number in range(seed, seed + seeds)
        ]
        for each in rates
    }
    limits = bounds(stage, seed)
    if as_json:
        print(serving_json(stage, found, limits, minutes))
    else:
        print_serving(stage, found, limits, minutes)


@simulate_app.command("training")
def training_command(
    preset: Annotated[str, typer.Option(help="Name of a training preset, or its beginning.")],
    rollouts: Annotated[
        int | None, typer.Option(min=1, help="In all. Default: as many as the preset has.")
    ] = None,
    pool: Annotated[
        str | None, typer.Option("--pool", "-p", help="In place of the preset's pool.")
    ] = None,
    generate_s: Annotated[
        float | None, typer.Option(min=0, help="Seconds to write the rollouts of a step.")
    ] = None,
    update_s: Annotated[float | None, typer.Option(min=0, help="Seconds of an update.")] = None,
    by_group: Annotated[
        bool, typer.Option("--by-group", help="Play a group as soon as it is written.")
    ] = False,
    ahead: Annotated[
        int, typer.Option(min=0, max=100, help="Steps that are written before an update.")
    ] = 0,
    played_steps: Annotated[
        int, typer.Option(min=1, help="Steps that are played; the others are like them.")
    ] = 20,
    change: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a value of the preset: table.key=value; repeatable."),
    ] = None,
    figures: FiguresOption = None,
    store: StoreOption = True,
    assume_latency: LatencyOption = None,
    assume_tokens: TokensOption = None,
    assume_price: PriceOption = None,
    prices: PricesOption = None,
    seeds: SeedsOption = 3,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Say how a training run of so many rollouts behaves."""
    from partbook.cli.simulate_json import training_json
    from partbook.cli.simulate_screen import print_training
    from partbook.simulate.serving import bounds
    from partbook.simulate.training import Course, train
    from partbook.train.needs import needs_of

    chosen = _preset(preset, change)
    wish = Wish(
        figures,
        store,
        latency=assume_latency,
        tokens=assume_tokens,
        price=assume_price,
        prices=prices,
    )
    estimate = chosen.estimate
    usual = (estimate.read_tokens, estimate.written_tokens)
    name = pool or chosen.data.pool or "lab"
    stage, sources = _training_stage(chosen, name, wish, usual if all(usual) else None)
    grpo = chosen.grpo
    course = Course(
        rollouts or grpo.steps * grpo.problems * grpo.rollouts,
        grpo.problems,
        grpo.rollouts,
        _policy(sources, generate_s, update_s),
        by_group,
        ahead,
    )
    _check_size(min(course.steps, played_steps) * grpo.problems * grpo.rollouts * seeds)
    found = [train(stage, course, number, played_steps) for number in range(seed, seed + seeds)]
    limits, needs = bounds(stage, seed), needs_of(chosen)
    if as_json:
        print(training_json(stage, course, found, limits, needs))
    else:
        print_training(chosen.name, stage, course, found, limits, needs)


def _training_stage(
    preset: "Preset", pool: str, wish: Wish, tokens: tuple[int, int] | None
) -> "tuple[Stage, Sources]":
    from partbook.cli.opening import closed_pool
    from partbook.config import load_pool
    from partbook.simulate.staging import stage_of

    config = load_pool(pool)
    sources = sources_of(wish, config.name, tokens)
    closed, data = closed_pool(config), preset.data
    named = [closed[closed.find(name)].spec for name in data.workers] if data.pool else []
    specs = [
        replace(spec, sampling=replace(spec.sampling, max_tokens=data.worker_tokens))
        if 0 < data.worker_tokens < spec.sampling.max_tokens
        else spec
        for spec in priced(named or config.workers, wish.prices)
    ]
    mix = sources.mix() or _usual_mix(preset)
    # The policy writes the workflows itself: no Conductor is called.
    stage = stage_of(specs, sources, mix.unconducted(), None, preset.grpo.timeout_s)
    return stage, sources


def _usual_mix(preset: "Preset") -> "Mix":
    from partbook.simulate.staging import steps_mix

    steps = preset.estimate.steps_per_workflow
    return steps_mix(
        steps, f"assumed: {steps:g} steps, each for anybody and reading all before it (the preset)"
    )


def _preset(name: str, changes: list[str] | None) -> "Preset":
    from partbook.train.preset import load_preset, preset_names

    fitting = [one for one in preset_names() if one.startswith(name)]
    return load_preset(fitting[0] if name and len(fitting) == 1 else name, changes or [])


def _policy(sources: "Sources", generate_s: float | None, update_s: float | None) -> "Policy":
    from partbook.simulate.training import Policy

    stated = sources.stated.policy
    if generate_s is None and update_s is None and stated is not None:
        return stated
    if generate_s is None:
        generate_s = None if stated is None else stated.generate_s
    if update_s is None:
        update_s = None if stated is None else stated.update_s
    if generate_s is None or update_s is None:
        raise ConfigError(
            "no figures for the policy: how many seconds it takes to write the rollouts of a step, "
            "and an update; measure a step or state them: --generate-s and --update-s, or a table "
            "[policy] in --figures FILE"
        )
    return Policy(generate_s, update_s, "assumed (options)")


def _endpoint(sources: "Sources", processes: int | None) -> "Endpoint":
    from partbook.simulate.serving import MEASURED_ENDPOINT

    found = sources.stated.endpoint or MEASURED_ENDPOINT
    return found if processes is None else replace(found, processes=processes)


def _rates(text: str) -> list[float]:
    try:
        rates = [float(part) for part in text.split(",")]
    except ValueError as err:
        raise ConfigError(f"--rate: numbers like 5,20 were expected, found {text!r}") from err
    if not all(0 < rate < 1e6 for rate in rates):
        raise ConfigError(f"--rate: more than 0 requests a second were expected, found {text!r}")
    return list(dict.fromkeys(rates))


MOST_REQUESTS = 2_000_000


def _check_size(requests: float) -> None:
    if requests > MOST_REQUESTS:
        raise ConfigError(
            f"{requests:,.0f} requests are more than are simulated ({MOST_REQUESTS:,}): take fewer "
            "--minutes, --played-steps or --seeds"
        )
