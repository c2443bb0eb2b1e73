"""`ctx salience`: what of a session is worth keeping, factor by factor."""

from pathlib import Path
from typing import Any

import click
import msgspec

from contextwright.atoms.select.salient import Salient
from contextwright.blocks.block import Block
from contextwright.blocks.of_exchange import block_of
from contextwright.cli.options import load_session, session_options
from contextwright.retrieval.salience import FACTORS, Salience
from contextwright.session.session import Session

FIXED = 58
"""Characters of a row beside names and words."""


@click.command()
@session_options
@click.option("--entity", "entities", multiple=True, help="A name that always counts; repeat it.")
@click.option("--json", "as_json", is_flag=True, help="Print the scores as JSON.")
def salience(
    session: Path, source: str | None, row: int | None, entities: tuple[str, ...], as_json: bool
) -> None:
    """Score every exchange of SESSION, and say why.

    As `C.salient` does, with its default weights.
    """
    loaded = load_session(session, source, row)
    snapshot = loaded.snapshot()
    blocks = tuple(block_of(one) for one in snapshot.exchanges(snapshot.preamble))
    found = Salient(entities=entities).explained(blocks, snapshot.turn)
    if as_json:
        rows = [{"id": block.id, "salience": one} for block, one in zip(blocks, found, strict=True)]
        click.echo(msgspec.json.encode(rows))
        return
    _print(loaded, blocks, found)


def _print(session: Session, blocks: tuple[Block, ...], found: list[Salience]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from contextwright.cli.tables import inert, named

    # without lines between columns, words have room in 80 characters
    table = Table(
        title=f"{session.id}: {len(blocks)} exchanges",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("event", no_wrap=True)
    table.add_column("who", no_wrap=True)
    for name in ("score", "recency", "entity", "user", "form"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("names", no_wrap=True)
    table.add_column("says", no_wrap=True)
    console = Console()
    room = max(16, console.width - FIXED)
    for block, one in zip(blocks, found, strict=True):
        values: dict[str, Any] = {factor.name: factor for factor in one.factors}
        why = values["entity"].why.removeprefix("names ")
        table.add_row(
            named(block.id),
            inert(block.author or block.role, 9),
            f"{one.score:.2f}",
            *(f"{values[name].value:.2f}" for name in FACTORS),
            inert(why if values["entity"].value else "", room // 2),
            inert(block.plain_text, room - room // 2),
        )
    console.print(table)
