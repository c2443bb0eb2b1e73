"""`ctx tune`: a spec for recorded sessions, found and measured."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contextwright.cli.finite_range import FiniteRange
from contextwright.cli.options import TOKENS, load_spec
from contextwright.cli.output_file import OutputFile, WritingCommand
from contextwright.cli.progress import working
from contextwright.cli.sweep_command import refuse_plot
from contextwright.cli.usual_models import MODEL
from contextwright.errors import MissingExtra

if TYPE_CHECKING:
    from contextwright.tune.run_tuning import Tuning


@click.command("tune", cls=WritingCommand)
@click.argument("sessions", nargs=-1, required=True)
@click.option(
    "--space", "spaces", multiple=True, help="A spec whose options and words vary; repeatable."
)
@click.option("--budget", type=TOKENS, required=True, help="Tokens of a request at most.")
@click.option(
    "--objective",
    "objectives",
    multiple=True,
    help="calls, values, cost or prefix; repeatable; by default the last three.",
)
@click.option("--against", help="The spec to beat; by default what is sent where none is given.")
@click.option("--trials", type=click.IntRange(1), default=64, show_default=True)
@click.option("--minutes", type=FiniteRange(0), help="After which no more are tried.")
@click.option("--model", default=MODEL, show_default=True, help="Whose tokens, prices and caches.")
@click.option("--window", type=TOKENS, help="Tokens of its context window.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of search and split.")
@click.option("--out", "-o", required=True, type=OutputFile(), help="A JSON file.")
@click.option("--plot", type=OutputFile(), help="A picture: SVG, PNG or PDF.")
@click.option(
    "--study", type=click.Path(path_type=Path), help="Its folder; by default beside the file."
)
@click.option("--workers", type=click.IntRange(1), help="Processes; by default one a processor.")
@click.option("--engine", default="local", help="local, ray, ray://HOST:10001 or daft.")
@click.option("--json", "as_json", is_flag=True, help="Print the file.")
def tune_command(
    sessions: tuple[str, ...],
    spaces: tuple[str, ...],
    budget: int,
    objectives: tuple[str, ...],
    against: str | None,
    trials: int,
    minutes: float | None,
    model: str,
    window: int | None,
    seed: int,
    out: Path,
    plot: Path | None,
    study: Path | None,
    workers: int | None,
    engine: str,
    as_json: bool,
) -> None:
    """Search for the spec that is best for recorded SESSIONS within a budget.

    One half of them is searched on; the other half is only measured on, and decides. Run it again
    where it was ended: it goes on. `ctx check --against FILE` holds what was found.
    """
    if find_spec("optuna") is None:  # before what it shares with `ctx sweep`, whose extra is less
        raise MissingExtra("optuna", "tune")
    from contextwright.tune import TuneJob, tune
    from contextwright.tune.tune_job import USUAL_OBJECTIVES

    job = TuneJob.of(
        [load_spec(text) for text in spaces],
        budget,
        default=None if against is None else load_spec(against),
        model=model,
        window=window,
        objectives=objectives or USUAL_OBJECTIVES,
        seed=seed,
    )
    refuse_plot(plot)
    folder = study or out.with_name(f"{out.name}.study")
    with working("splitting the sessions") as status:
        done = tune(
            sessions, job, folder, trials=trials, minutes=minutes, workers=workers, engine=engine,
            progress=status.update,
        )  # fmt: skip
    done.tuned.save(out)
    if plot is not None:
        from contextwright.tune.pareto_plot import write_pareto_plot

        write_pareto_plot(done, plot)
    if as_json:
        click.echo(out.read_bytes(), nl=False)
        return
    _print(done, out)


def _print(done: "Tuning", out: Path) -> None:
    tuned = done.tuned
    seen, untouched = tuned.sessions
    click.echo(f"{tuned.trials} trials on {seen} sessions, {tuned.pruned} of them given up early")
    click.echo(f"on {untouched} sessions that the search never saw, 95 % of draws:")
    for name, pair in tuned.measured["difference"].items():
        before, after = tuned.measured["default"][name], tuned.measured["tried"][name]
        click.echo(
            f"  {name:7} {before.figure:.3f} -> {after.figure:.3f}"
            f"   {pair.figure:+.3f} ({pair.low:+.3f} to {pair.high:+.3f})"
        )
    click.echo(tuned.why)
    click.echo(tuned.spec)
    click.echo(f"kept: {out}; in CI: ctx check --against {out}")
