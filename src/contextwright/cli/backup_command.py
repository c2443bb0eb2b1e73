"""`ctx backup`: copies of stores that are in use, databases first, then artifacts."""

import sys
from pathlib import Path

import click

from contextwright.cli.progress import ProgressBars
from contextwright.errors import StoreError
from contextwright.stores.backup import backup

_KEYS = ("blobs/", "names/")


@click.command("backup")
@click.argument("stores", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
def backup_command(stores: tuple[Path, ...], folder: Path) -> None:
    """Copy STORES into FOLDER, each under its own name.

    STORES are database files and folders of artifacts; agents may go on writing. Give a database
    and its artifacts together: what the one refers to is in the other. Ends with 10 where
    something is damaged in its store: the whole backup that was there stays.
    """
    with ProgressBars() as progress:
        made = backup(stores, folder, progress=progress.show)
    for each in made:
        click.echo(f"{each.backup}: {each.size:,} bytes")
        for key in each.damaged:
            done = "copied as it is" if each.size and not key.startswith(_KEYS) else "not copied"
            click.echo(f"damaged, {done}: {key}", err=True)
    if any(each.damaged for each in made):
        sys.exit(StoreError.exit_code)
