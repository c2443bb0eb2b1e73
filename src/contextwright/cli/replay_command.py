"""`ctx replay`: the same bytes again, from a pack's manifest and the session."""

from pathlib import Path

import click
import msgspec

from contextwright.cli.options import Sources, session_options, source_options
from contextwright.cli.pack_file import load_pack
from contextwright.compiler.replay_pack import replay
from contextwright.engine.door import sources_of
from contextwright.session.session import Session


@click.command("replay")
@click.argument("pack", type=click.Path(path_type=Path))
@session_options
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print size and digest as JSON.")
def replay_command(pack: Path, session: Session, sources: Sources, as_json: bool) -> None:
    """Build a PACK file again from SESSION.

    Its request and every field of its manifest are compared; what differs is named, and a
    digest tells whether any field was edited by accident.
    """
    stored = load_pack(pack)
    # a session that is too short is named by its own id, before it takes the pack's
    session.snapshot_at(stored.manifest.position, stored.manifest.state_version)
    session.id = stored.manifest.session_id
    outside = sources_of(sources.artifacts, sources.roots, {}, "ctx replay").of_one_compile()
    again = replay(stored, session, sources=outside)
    if as_json:
        manifest = again.manifest
        names = {"pack_id": manifest.pack_id, "checksum": manifest.checksum}
        click.echo(msgspec.json.encode({**names, "bytes": len(again.body)}))
        return
    click.echo(f"the same {len(again.body):,} bytes\nsha256 {again.manifest.checksum}")
