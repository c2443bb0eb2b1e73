"""`ctx explain`: the spec's tree, and block by block what happened to it."""

import click

from contextwright.check.no_effect import idle_words, reason
from contextwright.cli.options import CompileOptions, compile_options, top_option
from contextwright.compiler.plan import walk
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.tree_text import tree


@click.command()
@compile_options
@top_option
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as JSON.")
def explain(options: CompileOptions, top: int, as_json: bool) -> None:
    """Show how SPEC is read, and what each step did to SESSION."""
    spec, before = options.spec, request_before(options.session)
    previous = options.compile(before) if before is not None else None
    manifest = options.compile(steps=True, previous=previous).manifest
    if as_json:
        click.echo(manifest.to_json())
        return
    from rich.console import Console

    from contextwright.cli.explain_tables import blocks_table, inserted_table, steps_table
    from contextwright.cli.tables import print_happened, print_rest
    from contextwright.inspect.labels import labels_of

    console = Console()
    labels = labels_of(options.session, spec)
    print_happened(console, manifest, labels)
    console.print(tree(spec), markup=False, highlight=False)
    idle = idle_words(spec, [manifest])
    console.print(steps_table(manifest.steps, list(walk(spec))))
    snapshot = options.session.snapshot()
    for word in idle:
        console.print(f"{word!r} changed nothing: {reason(word, snapshot)}", markup=False)
    console.print(blocks_table(manifest.kept, labels, top))
    if manifest.inserted:
        console.print(inserted_table(manifest.inserted))
    print_rest(console, manifest, labels, top)


def request_before(session: Session) -> Snapshot | None:
    """The session as it stood when the request before this one was made: in front of the newest
    message of the assistant."""
    last = max((n for n, event in enumerate(session.log) if event.role == "assistant"), default=0)
    version = sum(change.position <= last for change in session.changes)
    users = any(event.role == "user" for event in session.log[:last])
    return session.snapshot_at(last, version) if users else None
