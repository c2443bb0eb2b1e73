"""`ctx verify`: all that a store holds, checked; what is damaged, named, healed or set aside."""

import sys
from pathlib import Path

import click
import msgspec

from contextwright.cli.progress import ProgressBars
from contextwright.errors import StoreError
from contextwright.stores.verify import Verification, verify


@click.command("verify")
@click.argument("store", type=click.Path(path_type=Path))
@click.option("--repair", is_flag=True, help="Heal what can be healed, set the rest aside.")
@click.option("--copy", type=click.Path(path_type=Path), help="A backup to heal from.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def verify_command(store: Path, repair: bool, copy: Path | None, as_json: bool) -> None:
    """Read all that STORE holds and name what is damaged.

    STORE is a file of sessions, memories, answers or steps, or a folder of artifacts. What is set
    aside is kept in STORE.damaged, or in the folder `damaged` of artifacts. Ends with 10 where
    something is damaged and was not healed.
    """
    with ProgressBars() as progress:
        report = verify(
            store,
            repair=repair,
            copy=copy,
            progress=lambda done, total: progress.show(str(store), done, total),
        )
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        _print(report)
    if any(damage.outcome != "healed" for damage in report.damaged):
        sys.exit(StoreError.exit_code)


def _print(report: Verification) -> None:
    from rich.console import Console

    from contextwright.cli.tables import inert, named, new_table

    console = Console()
    healed = sum(damage.outcome == "healed" for damage in report.damaged)
    aside = sum(damage.outcome == "set aside" for damage in report.damaged)
    line = f"{report.checked:,} checked, {len(report.damaged):,} damaged"
    line += f", {healed:,} healed" if healed else ""
    line += f", {aside:,} set aside" if aside else ""
    console.print(line, highlight=False)
    if report.damaged:
        table = new_table("damaged", "what", "which", "why", "done")
        for damage in report.damaged:
            done = damage.outcome or "nothing"
            table.add_row(damage.kind, named(damage.id), inert(damage.what, 40), done)
        console.print(table)
