"""`ctx explain`: the spec's tree, and block by block what happened to it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from contextwright.blocks.block import SCORE_ONE
from contextwright.check.no_effect import idle_words, reason
from contextwright.cli.options import (
    DEFAULT_SPEC,
    load_models,
    load_session,
    load_spec,
    load_target,
    models_option,
    session_options,
    target_options,
)
from contextwright.compiler.trace import StepTrace
from contextwright.engine.engine import compile
from contextwright.render.insertion import Insertion
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Atom
from contextwright.spec.tree_text import tree

if TYPE_CHECKING:
    from rich.table import Table

SHOWN = 60
"""Blocks that are listed."""


@click.command()
@session_options
@click.option("--spec", default=DEFAULT_SPEC, show_default=True, help="What should be seen.")
@target_options
@models_option
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as JSON.")
def explain(
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
) -> None:
    """Show how SPEC is read, and what each step did to SESSION."""
    read = load_session(session, source, row)
    parsed = load_spec(spec, budget)
    given = load_target(model, format, window, read)
    models = load_models(llm)
    before = request_before(read)
    previous = None
    if before is not None:
        previous = compile(before, parsed, target=given, models=models)
    pack = compile(read, parsed, target=given, models=models, steps=True, previous=previous)
    if as_json:
        click.echo(pack.manifest.to_json())
        return
    from rich.console import Console

    from contextwright.cli.tables import print_manifest

    console = Console()
    console.print(tree(parsed), markup=False, highlight=False)
    idle = idle_words(parsed, [pack.manifest])
    console.print(_steps(pack.manifest.steps, idle))
    snapshot = read.snapshot()
    for word in idle:
        console.print(f"{word!r} changed nothing: {reason(word, snapshot)}", markup=False)
    console.print(_blocks(pack.manifest.kept))
    if pack.manifest.inserted:
        console.print(_inserted(pack.manifest.inserted))
    print_manifest(console, pack.manifest)


def _steps(steps: tuple[StepTrace, ...], idle: list[Atom]) -> "Table":
    """A row a step of the spec, and a step of the engine's own that changed something; a word that
    changed nothing anywhere once."""
    from rich.table import Table

    from contextwright.cli.tables import inert

    table = Table(title="steps", title_justify="left")
    for name in ("step", "blocks", "tokens"):
        table.add_column(name, justify="left" if name == "step" else "right")
    table.add_column("")
    effective = {step.step for step in steps if step.changed}
    seen: set[str] = set()
    for step in steps:
        own = step.step.startswith("C.")
        if not step.changed and (not own or step.step in effective | seen):
            continue
        seen.add(step.step)
        table.add_row(
            inert(step.step, 60),
            f"{step.blocks_before} → {step.blocks_after}",
            f"{step.tokens_before:,} → {step.tokens_after:,}",
            "" if step.changed else "changed nothing",
        )
    for word in idle:
        if repr(word) not in seen:
            table.add_row(inert(repr(word), 60), "", "", "changed nothing")
    return table


def _inserted(inserted: tuple[Insertion, ...]) -> "Table":
    """What the engine put into the request that is in no block, a row a kind."""
    from rich.table import Table

    from contextwright.cli.tables import inert, named

    table = Table(title="put in by the engine", title_justify="left")
    for name in ("kind", "times", "first at", "text"):
        table.add_column(name, justify="right" if name == "times" else "left")
    by_kind: dict[str, list[Insertion]] = {}
    for one in inserted:
        by_kind.setdefault(one.kind, []).append(one)
    for kind, group in by_kind.items():
        first = group[0]
        table.add_row(kind, f"{len(group):,}", named(first.where, 14), inert(first.text, 30))
    return table


def request_before(session: Session) -> Snapshot | None:
    """The session as it stood when the request before this one was made: in front of the newest
    message of the assistant."""
    last = max((n for n, event in enumerate(session.log) if event.role == "assistant"), default=0)
    told = sum(change.position <= last for change in session.changes)
    users = any(event.role == "user" for event in session.log[:last])
    return session.snapshot_at(last, told) if users else None


def _blocks(kept: Any) -> Any:
    from rich.table import Table

    from contextwright.cli.tables import inert, named

    table = Table(title="in the request", title_justify="left")
    scored = any(block.score >= 0 for block in kept)
    for name in ("block", "source", "layer", "tier", "cache", "fidelity"):
        table.add_column(name)
    for name in ("score", "tokens") if scored else ("tokens",):
        table.add_column(name, justify="right")
    for block in kept[:SHOWN]:
        score = f"{block.score / SCORE_ONE:.2f}" if block.score >= 0 else "-"
        table.add_row(
            named(block.id),
            inert(block.source, 30),
            block.layer,
            str(block.tier or "-"),
            block.cache,
            block.fidelity,
            *([score] if scored else []),
            f"{block.tokens:,}",
        )
    if len(kept) > SHOWN:
        table.add_row(f"… {len(kept) - SHOWN} more, see --json")
    return table
