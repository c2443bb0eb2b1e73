"""`ctx diff`: two packs, or two specs on one session."""

from pathlib import Path
from typing import Any

import click

from contextwright.cli.options import (
    load_pack,
    load_session,
    load_spec,
    load_target,
    target_options,
)
from contextwright.compiler.compare import Comparison, compare
from contextwright.engine.engine import compile
from contextwright.errors import SpecError


@click.command()
@click.argument("one", type=click.Path(path_type=Path))
@click.argument("other", type=click.Path(path_type=Path), required=False)
@click.option("--spec", "specs", multiple=True, help="Twice: two specs on the session ONE.")
@target_options
@click.option("--json", "as_json", is_flag=True, help="Print the differences as JSON.")
def diff(
    one: Path,
    other: Path | None,
    specs: tuple[str, ...],
    model: str,
    budget: int | None,
    format: Any,
    window: int | None,
    as_json: bool,
) -> None:
    """Compare two PACK files, or two specs.

    Two specs on one session: ctx diff SESSION --spec A --spec B
    """
    if other is not None:
        comparison = compare(load_pack(one).manifest, load_pack(other).manifest)
    elif len(specs) == 2:
        session = load_session(one, None, None)
        compile_target = load_target(model, format, window, session)
        first, second = (
            compile(session, load_spec(spec, budget), target=compile_target).manifest
            for spec in specs
        )
        comparison = compare(first, second)
    else:
        raise SpecError(
            "there is nothing to compare with",
            where="ctx diff",
            fix="give two pack files, or one session and --spec twice",
        )
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(comparison))
        return
    _print(comparison)


def _print(comparison: Comparison) -> None:
    from rich.console import Console

    from contextwright.cli.tables import inert, named, new_table

    console = Console()
    tokens = f"{comparison.tokens_before:,} → {comparison.tokens_after:,} tokens"
    table = new_table(tokens, "block", "source", "in one", "in the other", "tokens")
    for row in comparison.rows:
        table.add_row(
            named(row.id),
            inert(row.source, 30),
            row.before,
            row.after,
            f"{row.tokens_before:,} → {row.tokens_after:,}",
        )
    console.print(table if comparison.rows else f"no block differs; {tokens}")
