"""`ctx convert`: a session from one format into another."""

from pathlib import Path

import click

from contextwright.cli.options import FormatName, from_option, load_session, repair_lines
from contextwright.formats import FORMATS, write_session


@click.command()
@click.argument("session", type=click.Path(path_type=Path), required=False)
@from_option()
@click.option(
    "--to",
    "target",
    type=FormatName(FORMATS),
    metavar="FORMAT",
    default="contextwright",
    show_default=True,
    help="The format to write; --list names them.",
)
@click.option("--row", type=int, help="Which session of a file with one a line.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; else printed.")
@click.option("--list", "listed", is_flag=True, help="Name the formats.")
def convert(
    session: Path | None,
    source: str | None,
    target: str,
    row: int | None,
    out: Path | None,
    listed: bool,
) -> None:
    """Write SESSION in another format.

    SESSION is a request body of a provider, the messages or the state of a framework, or the log of
    an agent; its format is found out. What a format read is written back whole.
    """
    if listed or session is None:
        click.echo("\n".join(FORMATS))
        return
    loaded = load_session(session, source, row)
    data = write_session(loaded, target, out)
    if out is None:
        click.echo(data, nl=False)
    else:
        click.echo(f"{out}: {len(data):,} bytes")
    for line in repair_lines(loaded):
        click.echo(line, err=out is None)  # what is printed is the session alone
