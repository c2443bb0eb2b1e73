"""`ctx diff`: two packs, or two specs on one session."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from contextwright.cli.options import (
    from_option,
    load_session,
    load_spec,
    load_target,
    target_options,
    top_option,
)
from contextwright.cli.pack_file import load_pack
from contextwright.compiler.compare import Comparison, compare
from contextwright.engine.one_call import compile
from contextwright.errors import SpecError
from contextwright.inspect.labels import Label, label_of, labels_of
from contextwright.spec.parse import begins_as_spec


@click.command()
@click.argument("one", type=click.Path(path_type=Path))
@click.argument("other", type=click.Path(path_type=Path), required=False)
@from_option()
@click.option("--row", type=int, help="Which session of a file with one a line, from 0.")
@click.option("--spec", "specs", multiple=True, help="Twice: two specs on the session ONE.")
@target_options
@top_option
@click.option("--json", "as_json", is_flag=True, help="Print the differences as JSON.")
def diff(
    one: Path,
    other: Path | None,
    source: str | None,
    row: int | None,
    specs: tuple[str, ...],
    model: str | None,
    budget: int | None,
    format: Any,
    window: int | None,
    top: int,
    as_json: bool,
) -> None:
    """Compare two PACK files, or two specs.

    Two specs on one session: ctx diff SESSION --spec A --spec B
    """
    labels: Mapping[str, Label] = {}
    if other is not None:
        _refuse_for_packs(
            {"--spec": specs or None, "--from": source, "--row": row, "--model": model,
             "--budget": budget, "--to": format, "--window": window}
        )  # fmt: skip
        _refuse_specs(one, other)
        comparison = compare(load_pack(one).manifest, load_pack(other).manifest)
    elif len(specs) == 2:
        session = load_session(one, source, row)
        read = [load_spec(spec, budget) for spec in specs]
        labels = labels_of(session, *read)
        compile_target = load_target(model, format, window, session)
        first, second = (compile(session, spec, target=compile_target).manifest for spec in read)
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
    _print(comparison, labels, top)


def _refuse_specs(*paths: Path) -> None:
    """Refuse specs where packs stand.

    Raises:
        SpecError: no such file is there, and it begins as a spec does.
    """
    for path in paths:
        if begins_as_spec(str(path)) and not path.exists():
            raise SpecError(
                "expected a pack's file, got a spec",
                where=str(path)[:80],
                fix="two specs are compared on a session: ctx diff SESSION --spec A --spec B",
            )


def _refuse_for_packs(options: Mapping[str, object]) -> None:
    """Refuse what two packs can not be compared under: they are compiled already.

    Raises:
        UsageError: one of these options has a value.
    """
    named = [name for name, value in options.items() if value is not None]
    if named:
        raise click.UsageError(
            f"{', '.join(named)} can not change two packs, which are compiled already; to compare "
            "two specs give one session: ctx diff SESSION --spec A --spec B"
        )


def _print(comparison: Comparison, labels: Mapping[str, Label], top: int) -> None:
    from rich.console import Console

    from contextwright.cli.tables import inert, listing, named, top_of

    console = Console()
    tokens = f"{comparison.tokens_before:,} → {comparison.tokens_after:,} tokens"
    rows = sorted(comparison.rows, key=lambda row: -abs(row.tokens_after - row.tokens_before))
    title = f"{tokens}; blocks that differ: {top_of(len(rows), top)}"
    # a pack has the ids of its blocks; who said them, and how they begin, is in the session
    wording = ("who", "begins") if labels else ()
    columns = ("event", *wording, "in one", "in the other", "tokens")
    table = listing(title, *columns, wide="begins" if labels else "event")
    for row in rows[: top or None]:
        label = label_of(row.id, labels)
        table.add_row(
            named(row.id, 12 if labels else 40),
            *((inert(label.who, 12), inert(label.begins, 80)) if labels else ()),
            row.before,
            row.after,
            f"{row.tokens_before:,} → {row.tokens_after:,}",
        )
    console.print(table if comparison.rows else f"no block differs; {tokens}")
