"""The tables of `ctx explain`: steps, blocks, and what the engine put in."""

from rich.table import Table

from contextwright.blocks.block import SCORE_ONE
from contextwright.cli.tables import inert, named, new_table
from contextwright.compiler.manifest import KeptBlock
from contextwright.compiler.trace import StepTrace
from contextwright.render.insertion import Insertion
from contextwright.spec.expr import Atom

SHOWN = 60
"""Blocks that are listed."""


def steps_table(steps: tuple[StepTrace, ...], idle: list[Atom]) -> Table:
    """A row a step of the spec, and a step of the engine's own that changed something; a word that
    changed nothing anywhere once."""
    table = new_table("steps", "step", "blocks", "tokens", "", right=("blocks", "tokens"))
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


def inserted_table(inserted: tuple[Insertion, ...]) -> Table:
    """What the engine put into the request that is in no block, a row a kind."""
    columns = ("kind", "times", "first at", "text")
    table = new_table("put in by the engine", *columns, right=("times",))
    by_kind: dict[str, list[Insertion]] = {}
    for one in inserted:
        by_kind.setdefault(one.kind, []).append(one)
    for kind, group in by_kind.items():
        first = group[0]
        table.add_row(kind, f"{len(group):,}", named(first.where, 14), inert(first.text, 30))
    return table


def blocks_table(blocks: tuple[KeptBlock, ...]) -> Table:
    """A row a block of the request; with scores where any has one."""
    scored = any(block.score >= 0 for block in blocks)
    numbers = ("score", "tokens") if scored else ("tokens",)
    columns = ("block", "source", "layer", "tier", "cache", "fidelity", *numbers)
    table = new_table("in the request", *columns, right=numbers)
    for block in blocks[:SHOWN]:
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
    if len(blocks) > SHOWN:
        table.add_row(f"… {len(blocks) - SHOWN} more, see --json")
    return table
