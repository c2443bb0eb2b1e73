"""`ctx compile`: a session file to a request."""

from pathlib import Path
from typing import Any

import click

from contextwright.cli.options import (
    DEFAULT_SPEC,
    dump_pack,
    load_models,
    load_session,
    load_spec,
    load_target,
    models_option,
    session_options,
    target_options,
)
from contextwright.engine.engine import compile


@click.command("compile")
@session_options
@click.option("--spec", default=DEFAULT_SPEC, show_default=True, help="What should be seen.")
@target_options
@models_option
@click.option("--json", "as_json", is_flag=True, help="Print request and manifest as JSON.")
@click.option("--out", type=click.Path(path_type=Path), help="Write request and manifest there.")
def compile_command(
    session: Path,
    source: str | None,
    row: int | None,
    spec: str,
    model: str,
    budget: int | None,
    format: Any,
    window: int | None,
    llm: str | None,
    as_json: bool,
    out: Path | None,
) -> None:
    """Compile SESSION into the request for MODEL."""
    read = load_session(session, source, row)
    target = load_target(model, format, window, read)
    pack = compile(read, load_spec(spec, budget), target=target, models=load_models(llm))
    if out is not None:
        out.write_bytes(dump_pack(pack))
    if as_json:
        click.echo(dump_pack(pack))
        return
    from rich.console import Console

    from contextwright.cli.tables import print_manifest

    console = Console()
    print_manifest(console, pack.manifest)
    if out is not None:
        console.print(f"request and manifest: {out}", markup=False)
    for repair in read.metadata.get("repairs", ()):
        console.print(f"repaired: {repair}", markup=False)
