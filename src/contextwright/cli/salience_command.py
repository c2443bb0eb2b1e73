"""`ctx salience`: what of a session is worth keeping, factor by factor."""

from typing import Any

import click
import msgspec

from contextwright.atoms.select.salient import Salient
from contextwright.blocks.block import Block
from contextwright.blocks.of_exchange import block_of
from contextwright.cli.options import session_options, top_option
from contextwright.retrieval.salience import FACTORS, Salience
from contextwright.session.session import Session

FIXED = 58
"""Characters of a row beside names and words."""


@click.command()
@session_options
@click.option("--entity", "entities", multiple=True, help="A name that always counts; repeat it.")
@top_option
@click.option("--json", "as_json", is_flag=True, help="Print the scores as JSON.")
def salience(session: Session, entities: tuple[str, ...], top: int, as_json: bool) -> None:
    """Score every exchange of SESSION, and say why.

    As `C.salient` does, with its default weights.
    """
    snapshot = session.snapshot()
    blocks = tuple(block_of(one) for one in snapshot.exchanges(snapshot.preamble))
    scores = Salient(entities=entities).explained(blocks, snapshot.turn)
    if as_json:
        rows = [
            {"id": block.id, "salience": one} for block, one in zip(blocks, scores, strict=True)
        ]
        click.echo(msgspec.json.encode(rows))
        return
    _print(session, blocks, scores, top)


def _print(session: Session, blocks: tuple[Block, ...], scores: list[Salience], top: int) -> None:
    from rich import box
    from rich.console import Console

    from contextwright.cli.tables import inert, named, new_table, top_of

    # without lines between columns, words have room in 80 characters
    title = f"{session.id}: exchanges by score ({top_of(len(blocks), top)})"
    ranked = sorted(range(len(blocks)), key=lambda place: -scores[place].score)
    listed = set(ranked[: top or None])
    form: dict[str, Any] = {"box": box.SIMPLE_HEAD, "pad_edge": False, "padding": (0, 1, 0, 0)}
    numbers = ("score", "recency", "entity", "user", "form")
    columns = ("event", "who", *numbers, "names", "says")
    table = new_table(title, *columns, right=numbers, **form)
    for column in table.columns:
        column.no_wrap = True
    console = Console()
    room = max(16, console.width - FIXED)
    for place, (block, one) in enumerate(zip(blocks, scores, strict=True)):
        if place not in listed:
            continue
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
