"""`ctx doctor`: what is installed, which adapter fits, and whether it holds."""

import platform
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
import msgspec

from contextwright import __version__
from contextwright.adapters.catalogue import AdapterEntry, adapters
from contextwright.cli.self_tests import CALLS, NoSelfTest, SelfTest, self_test
from contextwright.cli.standard_streams import foreign_output
from contextwright.testing.adapter_suite.suite_tools import LIMIT, WINDOW

if TYPE_CHECKING:
    from rich.console import Console


class Diagnosis(msgspec.Struct, frozen=True):
    """An adapter whose framework is installed.

    Args:
        is_tested: whether it was tested with the version that is installed.
        without, with_adapter: what came of the self-tests; None where none was played.
        why: no self-test was played. is_broken: because the adapter can not be imported.
    """

    package: str
    installed: str
    tested: str
    adapter: str
    acts_on: str
    is_tested: bool = True
    without: SelfTest | None = None
    with_adapter: SelfTest | None = None
    why: str = ""
    is_broken: bool = False


@click.command("doctor")
@click.option("--fast", is_flag=True, help="Play no agents.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def doctor(fast: bool, as_json: bool) -> None:
    """Name the frameworks that are installed and the adapter of each, and play an agent of each
    against a scripted provider on this machine, without the adapter and with it.

    Nothing leaves this machine. Ends with 8 where a request was refused with the adapter, or an
    adapter can not be imported.
    """
    entries = adapters()
    here = [each for each in entries if each.installed]
    with foreign_output():
        diagnoses = [_diagnosed(each, played=not fast, shown=not as_json) for each in here]
    if as_json:
        click.echo(msgspec.json.encode(diagnoses))
    else:
        _print(diagnoses, [each for each in entries if not each.installed], played=not fast)
    fails = (each.with_adapter is not None and not each.with_adapter.holds for each in diagnoses)
    if any(fails) or any(each.is_broken for each in diagnoses):
        sys.exit(8)


def _diagnosed(entry: AdapterEntry, *, played: bool, shown: bool) -> Diagnosis:
    if played and shown and sys.stderr.isatty():
        click.echo(f"playing {entry.package} …", err=True)
    without = with_adapter = None
    why = import_error(entry)
    is_broken = bool(why)
    if played and not why:
        try:
            without, with_adapter = self_test(entry.package, acts=False), self_test(entry.package)
        except NoSelfTest as reason:
            why = str(reason)
    return Diagnosis(
        entry.package,
        entry.installed,
        entry.tested,
        entry.name,
        entry.home,
        entry.is_tested,
        without,
        with_adapter,
        why,
        is_broken,
    )


def import_error(entry: AdapterEntry) -> str:
    """Why an adapter can not be imported, whatever its framework raises; empty where it can."""
    try:
        import_module(f"contextwright.adapters.{entry.module}")
    except Exception as error:  # noqa: BLE001 -- a framework that is broken raises anything
        first = str(error).partition("\n")[0]
        return f"the adapter can not be imported: {type(error).__name__}: {first}"
    return ""


def _print(diagnoses: list[Diagnosis], absent: list[AdapterEntry], *, played: bool) -> None:
    from rich.console import Console

    console = Console()
    python = f"Python {platform.python_version()}"
    console.print(f"contextwright {__version__} · {python}", highlight=False)
    if diagnoses:
        _print_table(console, diagnoses, played=played)
    else:
        console.print(
            "no framework is installed; a list of messages needs none: Context(spec, model)"
        )
    if absent:
        names = ", ".join(each.package for each in absent)
        console.print(f"not installed: {names}", highlight=False)
        console.print(f"pip install 'contextwright[{absent[0].extra}]'", markup=False)


def _print_table(console: "Console", diagnoses: list[Diagnosis], *, played: bool) -> None:
    from rich.table import Table

    from contextwright.cli.tables import PLAIN, inert

    columns = ["framework", "version", "tested", "adapter", "acts on"]
    if played:
        columns = [*columns[:2], "adapter", "without", "with"]
        console.print(
            f"{CALLS} calls before a provider that takes {WINDOW:,} tokens of four characters\n"
            f"each, context held to {LIMIT:,} as they are counted here; the largest request:",
            highlight=False,
        )
    table = Table(**PLAIN)
    for name in columns:
        table.add_column(name, no_wrap=True)
    for each in diagnoses:
        name, number = inert(each.package, 17), inert(each.installed, 8)
        adapter = inert(each.adapter, 18)
        cells: list[Any] = [name, number, each.tested, adapter, inert(each.acts_on, 18)]
        if played:
            outcomes = [_outcome(each.without), _outcome(each.with_adapter)]
            cells = [name, number, adapter, *outcomes]
        table.add_row(*cells)
    console.print(table)
    for each in diagnoses:
        if each.with_adapter is not None and each.with_adapter.error:
            console.print(inert(f"{each.package}: {each.with_adapter.error}", 400))
        if each.why:
            console.print(inert(f"{each.package}: {each.why}", 400))
        if not each.is_tested:
            numbers = f"{each.installed}: the adapter was tested with {each.tested}"
            console.print(inert(f"{each.package} {numbers}", 400), highlight=False)


def _outcome(test: SelfTest | None) -> str:
    if test is None:
        return "-"
    return f"all, {test.largest:,}" if test.holds else f"fails at {test.passed + 1}"
