"""`ctx compile`: a session file to a request."""

from pathlib import Path

import click

from contextwright.cli.options import (
    CompileOptions,
    compile_options,
    repair_lines,
    top_option,
)
from contextwright.cli.output_file import OutputFile, WritingCommand
from contextwright.cli.pack_file import dump_pack, write_pack


@click.command("compile", cls=WritingCommand)
@compile_options
@top_option
@click.option("--json", "as_json", is_flag=True, help="Print request and manifest as JSON.")
@click.option("--out", type=OutputFile(), help="Write request and manifest there.")
def compile_command(options: CompileOptions, top: int, as_json: bool, out: Path | None) -> None:
    """Compile SESSION into the request for MODEL.

    `ctx show` prints the request itself.
    """
    pack = options.compile()
    if out is not None:
        write_pack(pack, out)
    if as_json:
        click.echo(dump_pack(pack))
        return
    from rich.console import Console

    from contextwright.cli.tables import print_manifest
    from contextwright.inspect.labels import labels_of

    console = Console()
    print_manifest(console, pack.manifest, labels_of(options.session, options.spec), top)
    if out is not None:
        console.print(f"request and manifest: {out}", markup=False)
    for line in repair_lines(options.session):
        console.print(line, markup=False)
