"""`ctx expand`: the whole of what a ref names."""

import sys

import click

from contextwright.blocks.resolve import exchanges_behind
from contextwright.cli.options import Sources, session_options, source_options
from contextwright.session.session import Session
from contextwright.stores.refs import Refs


@click.command()
@click.argument("ref")
@session_options
@source_options
@click.option(
    "--json", "as_json", is_flag=True, help="Print messages as JSON, as a model that expands them."
)
def expand(ref: str, session: Session, sources: Sources, as_json: bool) -> None:
    """Print what REF names, whole.

    REF is such as event://ID, state://KEY or artifact://NAME. A text, such as a tool's result
    (event://ID#0), is printed as it is; messages one below the other, as `ctx show` does.
    """
    snapshot = session.snapshot()
    content = Refs(snapshot, artifacts=sources.artifacts, roots=sources.roots).read(ref)
    exchanges = exchanges_behind(ref, snapshot)
    if not exchanges:
        # a file or a program gets a text byte for byte; a terminal's prompt needs a line of its own
        if sys.stdout.isatty():
            click.echo(content)
        else:
            click.echo(content.encode(), nl=False)
        return
    if as_json:
        click.echo(content)
        return
    from rich.console import Console

    from contextwright.cli.show_command import exchange_parts, print_parts

    print_parts(Console(), exchange_parts(exchanges, snapshot), whole=True)
