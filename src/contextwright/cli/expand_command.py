"""`ctx expand`: the whole of what a ref names."""

from pathlib import Path

import click

from contextwright.cli.options import session_options
from contextwright.session.session import Session
from contextwright.stores.files import FileArtifacts
from contextwright.stores.refs import Refs


@click.command()
@click.argument("ref")
@session_options
@click.option("--artifacts", type=click.Path(path_type=Path), help="Folder of artifacts.")
@click.option("--root", type=click.Path(path_type=Path), help="Folder that file:// may name.")
def expand(ref: str, session: Session, artifacts: Path | None, root: Path | None) -> None:
    """Print what REF names, whole.

    REF is such as event://ID, state://KEY or artifact://NAME.
    """
    stored = FileArtifacts(artifacts) if artifacts is not None else None
    roots = () if root is None else (root,)
    click.echo(Refs(session.snapshot(), artifacts=stored, roots=roots).read(ref))
