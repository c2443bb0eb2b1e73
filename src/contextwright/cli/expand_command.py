"""`ctx expand`: the whole of what a ref names."""

import click

from contextwright.cli.options import Sources, session_options, source_options
from contextwright.session.session import Session
from contextwright.stores.refs import Refs


@click.command()
@click.argument("ref")
@session_options
@source_options
def expand(ref: str, session: Session, sources: Sources) -> None:
    """Print what REF names, whole.

    REF is such as event://ID, state://KEY or artifact://NAME.
    """
    snapshot = session.snapshot()
    click.echo(Refs(snapshot, artifacts=sources.artifacts, roots=sources.roots).read(ref))
