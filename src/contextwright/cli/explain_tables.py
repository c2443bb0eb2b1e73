"""The tables of `ctx explain`: steps, blocks, and what the engine put in."""

from collections.abc import Mapping

from rich.table import Table

from contextwright.blocks.block import SCORE_ONE
from contextwright.cli.tables import inert, listing, named, new_table, top_of
from contextwright.compiler.change import StepTrace
from contextwright.compiler.manifest import KeptBlock
from contextwright.inspect.labels import Label, label_of
from contextwright.render.insertion import Insertion
from contextwright.spec.expr import Atom
from contextwright.spec.kind import Kind


def steps_table(steps: tuple[StepTrace, ...], atoms: list[Atom]) -> Table:
    """A row a word of the spec, and a step of the engine's own that changed something.

    Args:
        atoms: the words of the spec; one that no step is of did nothing here.
    """
    rows: list[tuple[str, str, str, str]] = []
    effective = {step.step for step in steps if step.changed}
    seen: set[str] = set()
    for step in steps:
        own = step.step.startswith("C.")
        if not step.changed and (not own or step.step in effective | seen):
            continue
        seen.add(step.step)
        source = not step.blocks_before
        idle = "nothing was there" if source else "changed nothing"
        blocks = f"{step.blocks_before} → {step.blocks_after}"
        tokens = f"{step.tokens_before:,} → {step.tokens_after:,}"
        rows.append((step.step, blocks, tokens, "" if step.changed else idle))
    for word in dict.fromkeys(atoms):
        if repr(word) not in seen and not _has_stages(word, effective):
            what = "writes around the turn" if word.kind is Kind.WRITER else "changed nothing"
            rows.append((repr(word), "", "", what))
    remark = ["remark"] if any(row[-1] for row in rows) else []
    table = new_table("steps", "step", "blocks", "tokens", *remark, right=("blocks", "tokens"))
    for step, *cells in rows:
        table.add_row(inert(step, 60), *cells[: 2 + len(remark)])
    return table


def _has_stages(word: Atom, effective: set[str]) -> bool:
    """Whether stages of a limit stand for it: their names begin with its own."""
    label = getattr(word, "label", None)
    return isinstance(label, str) and any(
        f"{step}: ".startswith(f"{label}: ") for step in effective
    )


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


def blocks_table(blocks: tuple[KeptBlock, ...], labels: Mapping[str, Label], top: int) -> Table:
    """A row a block of the request, the largest of them in their order; with scores where any
    has one."""
    scored = any(block.score >= 0 for block in blocks)
    numbers = ("score", "tokens") if scored else ("tokens",)
    tiers = ("tier",) if any(block.tier for block in blocks) else ()
    columns = ("event", "who", "begins", "brought by", *tiers, "form", *numbers)
    title = f"in the request ({top_of(len(blocks), top)})"
    table = listing(title, *columns, wide="begins", right=numbers)
    largest = sorted(blocks, key=lambda block: -block.tokens)[: top or None]
    listed = {id(block) for block in largest}
    for block in blocks:
        if id(block) not in listed:
            continue
        label = label_of(block.id, labels)
        score = f"{block.score / SCORE_ONE:.2f}" if block.score >= 0 else "-"
        table.add_row(
            named(block.id, 10),
            inert(label.who, 12),
            inert(label.begins, 80),
            inert(block.source, 14),
            *([str(block.tier or "-")] if tiers else []),
            block.fidelity,
            *([score] if scored else []),
            f"{block.tokens:,}",
        )
    return table
