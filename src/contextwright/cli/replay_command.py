"""`ctx replay`: the same bytes again, from a pack's manifest and the session."""

from pathlib import Path

import click

from contextwright.cli.options import Sources, load_pack, session_options, source_options
from contextwright.compiler.replay import replay
from contextwright.engine.door import sources_of
from contextwright.session.session import Session


@click.command("replay")
@click.argument("pack", type=click.Path(path_type=Path))
@session_options
@source_options
def replay_command(pack: Path, session: Session, sources: Sources) -> None:
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
    click.echo(f"the same {len(again.body):,} bytes\nsha256 {again.manifest.checksum}")
