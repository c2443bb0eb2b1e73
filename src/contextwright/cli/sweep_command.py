"""`ctx sweep`: recorded sessions compiled again under other specs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contextwright.cli.options import DEFAULT_SPEC, TOKENS, load_spec
from contextwright.cli.output_file import OutputFile, WritingCommand
from contextwright.cli.progress import working
from contextwright.cli.usual_models import MODEL
from contextwright.compiler.plan import plan
from contextwright.errors import SessionError

if TYPE_CHECKING:
    from rich.table import Table

    from contextwright.sweep.run_sweep import SweepSummary
    from contextwright.sweep.sweep_job import SweepSpec


@click.command("sweep", cls=WritingCommand)
@click.argument("sessions", nargs=-1, required=True)
@click.option("--spec", "specs", multiple=True, help=f"May be repeated; by default {DEFAULT_SPEC}.")
@click.option("--budget", "budgets", type=TOKENS, multiple=True, help="Tokens at most; repeatable.")
@click.option("--model", default=MODEL, show_default=True, help="Whose tokens, prices and caches.")
@click.option("--window", type=TOKENS, help="Tokens of its context window.")
@click.option("--out", "-o", required=True, help="The Parquet file, or its URL.")
@click.option("--workers", type=click.IntRange(1), help="Processes; by default one a processor.")
@click.option("--size", type=click.IntRange(1), default=16, help="Sessions of a part; 16.")
@click.option("--engine", default="local", help="local, ray, ray://HOST:10001 or daft.")
@click.option("--plot", type=OutputFile(), help="A picture: SVG, PNG or PDF.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def sweep_command(
    sessions: tuple[str, ...],
    specs: tuple[str, ...],
    budgets: tuple[int, ...],
    model: str,
    window: int | None,
    out: str,
    workers: int | None,
    size: int,
    engine: str,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Compile every call of recorded SESSIONS under every SPEC, a row each.

    SESSIONS are files, folders, JSON Lines with a session a line (gzip too), Parquet, SQLite files
    of sessions, s3:// URLs and their like, or postgresql:// URLs. Run it again where it was ended:
    it goes on.
    """
    from contextwright.sweep.run_sweep import sweep
    from contextwright.sweep.sweep_job import SweepJob

    job = SweepJob(_specs(specs or (DEFAULT_SPEC,), budgets), model, window)
    refuse_plot(plot)
    with working("0 sessions") as activity:
        done = sweep(
            sessions, job, out, workers=workers, size=size, engine=engine,
            progress=lambda done, known: activity.update(_state(done, known)),
        )  # fmt: skip
    if plot is not None:
        from contextwright.sweep.sweep_plot import write_sweep_plot

        write_sweep_plot(done, plot)
    _refuse_nothing(done, out)
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(done))
    else:
        _print(done, out)
    _tell_errors(done)


def refuse_plot(plot: Path | None) -> None:
    """Refuse, before long work, a picture of a kind that can not be drawn.

    Raises:
        StoreError: it could not.
    """
    if plot is not None:
        from contextwright.sweep.sweep_plot import refuse_unknown_picture

        refuse_unknown_picture(plot)


def _refuse_nothing(done: "Sequence[SweepSummary]", out: str) -> None:
    """Refuse a sweep of which nothing came but errors.

    Raises:
        SessionError: names the first of them.
    """
    why = next((one.why for one in done if one.errors), "")
    if why and not any(one.calls for one in done):
        raise SessionError(
            f"no call of a model could be compiled: {why}",
            where=out,
            fix="every session's error is in the column error; give sessions that can be read, and "
            "a model and a spec that they can be compiled for",
        )


def _tell_errors(done: "Sequence[SweepSummary]") -> None:
    """Say the first error under each spec."""
    for why in dict.fromkeys(one.why for one in done if one.errors):
        errors = max(one.errors for one in done if one.why == why)
        more = f" ({errors - 1:,} more: see the column error)" if errors > 1 else ""
        click.echo(f"not compiled: {why}{more}", err=True)


def _specs(texts: Sequence[str], budgets: Sequence[int]) -> "tuple[SweepSpec, ...]":
    """Every spec at every budget; one with a limit of its own is as it is.

    Raises:
        SpecError: one can not be read.
    """
    from contextwright.sweep.sweep_job import SweepSpec

    made: dict[str, SweepSpec] = {}
    for text in texts:
        spec = load_spec(text)
        limits = budgets if budgets and plan(spec).terminal is None else (None,)
        for limit in limits:
            one = SweepSpec.of(load_spec(text, limit))
            made[one.name] = one
    return tuple(made.values())


def _state(sessions: int, known: int) -> str:
    """How many sessions are done, and how many of them were before."""
    before = f", {known:,} of them before" if known else ""
    from contextwright.cli.tables import count_of

    return f"{count_of(sessions, 'session')}{before}"


def _print(done: "Sequence[SweepSummary]", out: str) -> None:
    from rich.console import Console

    console = Console()
    spent = _table("calls", "errors", "tokens", "of all", "cached", "cost", "of all")
    shown = _table("in sight", "evidence", "violations", "ms a call")
    for number, one in enumerate(done, 1):
        spent.add_row(
            f"{number}",
            f"{one.calls:,}",
            f"{one.errors:,}",
            f"{one.tokens:,}",
            _share(one.tokens, one.whole_tokens),
            _share(one.cached, one.tokens),
            f"${one.cost / 1_000_000:.4f}",
            _share(one.cost, one.whole_cost),
        )
        shown.add_row(
            f"{number}",
            _share(one.in_sight, one.values),
            _share(one.evidence, one.values),
            f"{one.violations:,}",
            f"{1000 * one.seconds / max(1, one.calls):.1f}",
        )
    console.print(spent)
    console.print(shown)
    for number, one in enumerate(done, 1):
        console.print(f"{number}  {one.spec}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"rows: {out}", markup=False, soft_wrap=True)


def _table(*columns: str) -> "Table":
    from rich.table import Table

    table = Table(box=None)
    for name in ("", *columns):
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
