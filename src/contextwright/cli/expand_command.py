"""`ctx expand`: the whole of what a ref names."""

from pathlib import Path

import click

from contextwright.cli.options import load_session, session_options
from contextwright.stores.files import FileArtifacts
from contextwright.stores.refs import Refs


@click.command()
@click.argument("ref")
@session_options
@click.option("--artifacts", type=click.Path(path_type=Path), help="Folder of artifacts.")
@click.option("--root", type=click.Path(path_type=Path), help="Folder that file:// may name.")
def expand(
    ref: str,
    session: Path,
    source: str | None,
    row: int | None,
    artifacts: Path | None,
    root: Path | None,
) -> None:
    """Print what REF names, whole.

    REF is such as event://ID, state://KEY or artifact://NAME.
    """
    read = load_session(session, source, row)
    stored = FileArtifacts(artifacts) if artifacts is not None else None
    click.echo(Refs(read.snapshot(), artifacts=stored, root=root).read(ref))
