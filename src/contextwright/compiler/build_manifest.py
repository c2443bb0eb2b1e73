"""The manifest of what was built."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain, groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.speaker import least_trusted
from contextwright.compiler.assemble import Assembled
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.change import Change
from contextwright.compiler.change_ranges import ReceiptRanges
from contextwright.compiler.lasting_facts import LastingFacts, lasting_facts
from contextwright.compiler.lineage_ranges import in_ranges
from contextwright.compiler.manifest import (
    KeptBlock,
    Manifest,
    Range,
    Truncation,
    Unrendered,
)
from contextwright.compiler.other_agents import is_of_another
from contextwright.compiler.plan import Plan
from contextwright.compiler.stood_for import gaps_between, places_among, spans_of, united
from contextwright.compiler.trace import Tracer
from contextwright.compiler.unrendered import has_refusable, unrendered
from contextwright.compiler.unrendered_fields import Lost, lost_of, unrendered_fields
from contextwright.memo.by_identity import NEWEST, same_objects
from contextwright.render.message_layout import Layout
from contextwright.render.renderer import Rendered
from contextwright.render.target import Target
from contextwright.session.event import ToolCall
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs
from contextwright.tasks.plan_step import segment, step_of
from contextwright.tasks.proofs import needed

if TYPE_CHECKING:
    from contextwright.compiler.spec_compiler import SpecCompiler

_REF, _NAME, _MESSAGES = attrgetter("ref"), attrgetter("name"), attrgetter("messages")
_ENTRY, _UNSENT = attrgetter("entry"), attrgetter("unsent")
_WRITTEN = "written changes"
END_OF_TIME_MS = 253_402_300_800_000
"""The year 10000, which no date can say."""


class CompileResult(msgspec.Struct, frozen=True, eq=False):
    """What came of it."""

    snapshot: Snapshot
    target: Target
    planned: Plan
    assembled: Assembled
    blocks: Blocks
    layout: Layout
    rendered: Rendered
    tokens: int
    room: BudgetState
    ranges: ReceiptRanges


def manifest_of(
    built: CompileResult, tracer: Tracer, checksum: str, compiler: "SpecCompiler"
) -> Manifest:
    """The receipt of a request, of whose body `checksum` is."""
    snapshot, target, room = built.snapshot, built.target, built.room
    memo, session_digest = room.inputs.memo, snapshot.digest
    lasting = lasting_facts(
        compiler.spec,
        built.planned,
        target,
        built.assembled,
        built.layout,
        snapshot.state,
        room.limit,
        memo,
    )
    session_id = built.planned.clean_id(snapshot.session_id)
    origin = f"{session_id}\n{session_digest}\n{lasting.fields['spec_hash']}\n{checksum}"
    task, step = _step(built)
    fixed = min(room.bare, built.tokens)
    entries = _kept_entries(built, _costs(built, built.tokens - fixed))
    kept_blocks, written = entries.entries, _written(built, tracer)
    return Manifest(
        pack_id=_pack_id(sha256(origin.encode()).hexdigest(), task, step, compiler.now_ms),
        session_id=session_id,
        position=snapshot.position,
        decided_at=compiler.decided_at,
        session_digest=session_digest,
        now_ms=compiler.now_ms,
        agent=compiler.agent,
        tokens=built.tokens,
        fixed_tokens=fixed if kept_blocks else built.tokens,
        layer_tokens={**entries.layers},
        kept=kept_blocks,
        changes=written.shorter,
        left_out=_left_out(built, tracer, entries.spans),
        inserted=built.rendered.inserted,
        unrendered=_unrendered(built, entries, lasting),
        # a word that looks again at what came further back says the same again
        notes=tuple(dict.fromkeys((*compiler.notes, *built.assembled.notes, *tracer.notes))),
        answers=tuple(room.inputs.used.values()),
        folds=tuple(room.inputs.folded),
        limit_steps=tracer.limit_steps + sum(room.inputs.stepped.values()),
        steps=tuple(tracer.steps),
        checksum=checksum,
        artifact_uris=entries.artifacts,
        **lasting.copy(),
        truncation_events=written.truncations,
        **_of_pack(built, task, step),
    )


def _unrendered(
    built: CompileResult, entries: "KeptEntries", lasting: LastingFacts
) -> tuple[Unrendered, ...]:
    """What the receiver can not be sent: parts, fields, tools and parameters."""
    target, unsent = built.target, entries.unsent
    if not unsent:
        return lasting.unrendered
    blocks = tuple([one.block for one in unsent if one.is_refusable])
    lost = [one.lost for one in unsent] if target.takes_messages else []
    return (
        *unrendered(blocks, built.layout.conversation, target),
        *unrendered_fields(lost, target, built.planned),
        *lasting.unrendered,
    )


def _of_pack(built: CompileResult, task: str, step: str) -> dict[str, Any]:
    """The fields of a pack: of its step, its layers."""
    allocation, state = built.room.allocation, built.snapshot.state
    return {
        "task_id": task,
        "step_id": step,
        "layer_budgets": allocation.budgets if allocation is not None else {},
        "weights": allocation.weights if allocation is not None else {},
        "signals": dict(built.room.signals),
        "evidence_needed": needed(built.blocks, state) if built.planned.step_key else (),
        "shows_refs": built.room.inputs.shows_refs,
    }


def _step(built: CompileResult) -> tuple[str, str]:
    if not built.planned.step_key:
        return "", ""
    step = step_of(built.snapshot.state.get(built.planned.step_key))
    return step.task_id, step.step_id


def _pack_id(digest: str, task: str, step: str, now_ms: int | None) -> str:
    """`pack_2026-01-28T10:20Z_task_42_step_3_0f3c...`: what it is for and when, where that is
    known; the digest tells packs of one minute apart."""
    if not step:
        return f"pack_{digest[:16]}"
    time = ""
    if now_ms is not None and 0 <= now_ms < END_OF_TIME_MS:
        time = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%MZ_")
    return f"pack_{time}task_{segment(task)}_step_{segment(step)}_{digest[:12]}"


def _left_out(
    built: CompileResult, tracer: Tracer, spans: Iterable[tuple[int, int]]
) -> tuple[Range, ...]:
    """The gaps between the exchanges that are in the request (`spans`), in a summary of it, or
    stand in its changes."""
    snapshot = built.snapshot
    of_changes, count = built.ranges.places(tracer.changes), snapshot.exchange_count
    places = (*spans, *tracer.summarized, *of_changes, (count, count))
    gaps = gaps_between(places, snapshot.preamble)
    return tuple([_range(built, start, stop) for start, stop in gaps])


def _range(built: CompileResult, start: int, stop: int) -> Range:
    first = built.snapshot.exchanges(start, start + 1)[0]
    last = built.snapshot.exchanges(stop - 1, stop)[0]
    clean = built.room.inputs.clean_name
    return Range(clean(first.first.id), clean(last.events[-1].id), stop - start)


class WrittenChanges(NamedTuple):
    """What is written of changes.

    Args:
        shorter: each with its lineage in ranges. truncations: neighbours of one step as one.
    """

    changes: tuple[Change, ...]
    shorter: tuple[Change, ...]
    truncations: tuple[Truncation, ...]


def _written(built: CompileResult, tracer: Tracer) -> WrittenChanges:
    """What is written of the changes: most requests have those of the one before."""
    memo, changes = built.room.inputs.memo, tuple(tracer.changes)
    known: WrittenChanges | None = memo.newest(_WRITTEN)
    if known is not None and same_objects(known.changes, changes):
        return known
    shorter = built.ranges.shorter(changes)
    made = WrittenChanges(changes, shorter, tuple(_truncations(changes)))
    memo.table(_WRITTEN)[NEWEST] = made
    return made


def _truncations(changes: Iterable[Change]) -> Iterable[Truncation]:
    """Neighbouring changes of one step in one layer as one entry."""
    for (layer, step, action, reason), group in groupby(changes, key=_alike):
        ids = tuple([id for change in group for id in _ids(change)])
        yield Truncation(layer, f"{step}: {reason}" if reason else step, action, ids)


def _ids(change: Change) -> tuple[str, ...]:
    """The block, or `first..last` of a range; of a summary of memories, the memories that it
    stands for."""
    if change.last:
        return (f"{change.id}..{change.last}",)
    return change.lineage if change.id.startswith("summary:memory/") else (change.id,)


def _alike(change: Change) -> tuple[str, str, str, str]:
    reason = change.reason if change.action == "dropped" else ""
    return change.layer, change.step, change.action, reason


def _costs(built: CompileResult, total: int) -> list[int]:
    """Tokens of each block that sum to `total`. Messages cost what they cost where the counter is
    exact; texts share sections, and share what these save."""
    costs = list(map(built.room.inputs.cost, built.blocks))
    if all(map(_MESSAGES, built.blocks)):
        return shares_of(total, costs)
    texts = [place for place, block in enumerate(built.blocks) if not block.messages]
    rest = total - sum(costs) + sum(costs[place] for place in texts)
    if rest < 0 or not built.target.counter.exact:
        return shares_of(total, costs)
    for place, share in zip(texts, shares_of(rest, [costs[place] for place in texts]), strict=True):
        costs[place] = share
    return costs


def shares_of(total: int, costs: list[int]) -> list[int]:
    """Whole tokens for each block that sum to `total`, in proportion to what each costs alone:
    blocks share sections, and an estimate rounds every text up."""
    every = sum(costs)
    if every in {0, total}:
        return costs
    shares = [cost * total // every for cost in costs]
    largest_rest = sorted(range(len(costs)), key=lambda n: -(costs[n] * total % every))
    for place in largest_rest[: total - sum(shares)]:
        shares[place] += 1
    return shares


class Unsent(NamedTuple):
    """A block of which something may stay behind.

    Args:
        is_refusable: whether it has parts that some provider can not be sent.
        lost: its fields that the format has no word for.
    """

    block: Block
    is_refusable: bool
    lost: Lost


class WrittenBlock(NamedTuple):
    """What is written of a block: its entry, and what of it may stay behind."""

    entry: KeptBlock
    unsent: tuple[Unsent, ...]


class KeptEntries(NamedTuple):
    """What is written of the blocks that are sent.

    Args:
        system: the instruction, of which no entry is written. costs: tokens of each block.
        entries: one for each. artifacts: that they name.
        unsent: those of which something may stay behind, the instruction's first.
        spans: of the exchanges that they are. layers: tokens of each layer.
    """

    system: Blocks = ()
    blocks: Blocks = ()
    costs: Sequence[int] = ()
    entries: tuple[KeptBlock, ...] = ()
    artifacts: tuple[str, ...] = ()
    unsent: tuple[Unsent, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    layers: Mapping[str, int] = {}


def _kept_entries(built: CompileResult, costs: list[int]) -> KeptEntries:
    """An entry for each block; worked out once while the block stays."""
    inputs, system = built.room.inputs, built.assembled.system
    about = inputs.agent, built.target.format
    table = ("kept blocks", *about)
    newest: KeptEntries | None = inputs.memo.newest(table)
    # most requests begin as the one before, and so does what is written of them
    count = 0 if newest is None else len(newest.blocks)
    if (
        newest is None
        or newest.system != system
        or built.blocks[:count] != newest.blocks
        or costs[:count] != newest.costs
    ):
        unsent = chain.from_iterable(_unsent(block, built) for block in system)
        newest, count = KeptEntries(system, unsent=tuple(unsent)), 0
    further = built.blocks[count:]
    refs = [ref for ref in filter(None, map(_REF, further)) if ref.startswith("artifact://")]
    written = inputs.memo.each(
        ("written blocks", *about), further, lambda block: _written_block(block, built)
    )
    new = _with_shares(map(_ENTRY, written), costs[count:])
    made = KeptEntries(
        system,
        built.blocks,
        costs,
        newest.entries + new,
        tuple(dict.fromkeys((*newest.artifacts, *refs))) if refs else newest.artifacts,
        (*newest.unsent, *chain.from_iterable(map(_UNSENT, written))),
        united(newest.spans, spans_of(places_among(further))),
        _with_layers(newest.layers, new),
    )
    inputs.memo.table(table)[NEWEST] = made
    return made


def _with_shares(entries: Iterable[KeptBlock], costs: Sequence[int]) -> tuple[KeptBlock, ...]:
    """Each entry with the block's share of this request's tokens."""
    return tuple(
        [
            one if one.tokens == tokens else msgspec.structs.replace(one, tokens=tokens)
            for one, tokens in zip(entries, costs, strict=True)
        ]
    )


def _written_block(block: Block, built: CompileResult) -> WrittenBlock:
    inputs = built.room.inputs
    return WrittenBlock(_kept_block(block, inputs, built.snapshot.log), _unsent(block, built))


def _unsent(block: Block, built: CompileResult) -> tuple[Unsent, ...]:
    """A block of which the receiver may not be sent something; nothing where it is sent all."""
    lost = lost_of(block, built.snapshot.log, built.target.format)
    is_refusable = has_refusable(block)
    return (Unsent(block, is_refusable, lost),) if lost or is_refusable else ()


def _trust(block: Block, agent: str) -> str:
    """Whose words a block holds, for the agent that the request is for."""
    if block.order < 0:  # a text, or a message that nobody said, such as a note
        return block.trust.name.lower()
    if agent and is_of_another(block, agent):
        return "foreign"
    return least_trusted(block.messages)


def _kept_block(block: Block, inputs: Inputs, log: Log) -> KeptBlock:
    """The entry of a block, with what it costs alone."""
    shown = block.ref if block.fidelity.label != "raw" or block.layer.label == "evidence" else ""
    calls = [part for one in block.messages for part in one.parts if isinstance(part, ToolCall)]
    return KeptBlock(
        id=block.id,
        source=block.source,
        layer=block.layer.label,
        tokens=inputs.cost(block),
        fidelity=block.fidelity.label,
        cache=block.cache.label,
        tier=block.tier,
        score=block.score,
        ref=shown,
        lineage=in_ranges(block.lineage, log, inputs.memo),
        order=block.order,
        turn=block.turn,
        role=block.role,
        tools=tuple(dict.fromkeys(map(_NAME, calls))),
        trust=_trust(block, inputs.agent),
        pinned=block.pinned,
    )


def _with_layers(layers: Mapping[str, int], blocks: Iterable[KeptBlock]) -> dict[str, int]:
    """Tokens of each layer, with those of more blocks."""
    tokens = {**layers}
    for block in blocks:
        tokens[block.layer] = tokens.get(block.layer, 0) + block.tokens
    return tokens
