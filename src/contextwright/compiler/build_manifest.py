"""The manifest of what was built."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, NamedTuple
from weakref import ref

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.speaker import least_trusted
from contextwright.compiler.change import Change
from contextwright.compiler.change_ranges import with_ranges
from contextwright.compiler.lineage_ranges import in_ranges
from contextwright.compiler.lost_prefix import LostPiece, with_loss
from contextwright.compiler.manifest import (
    KeptBlock,
    Manifest,
    Prefix,
    Truncation,
    Unrendered,
)
from contextwright.compiler.manifest_draft import ManifestDraft
from contextwright.compiler.other_agents import is_of_another
from contextwright.compiler.receipt import Receipt
from contextwright.compiler.unrendered import has_refusable, unrendered
from contextwright.compiler.unrendered_fields import Lost, lost_of, unrendered_fields
from contextwright.memo.by_identity import NEWEST, same_objects
from contextwright.memo.ownership import belonging_to
from contextwright.session.event import ToolCall
from contextwright.session.log import Log
from contextwright.spec.section_costs import SectionCosts
from contextwright.tasks.plan_step import segment, step_of
from contextwright.tasks.proofs import needed

_REF, _NAME, _MESSAGES = attrgetter("ref"), attrgetter("name"), attrgetter("messages")
_ENTRY, _UNSENT = attrgetter("entry"), attrgetter("unsent")
_WRITTEN = "written changes"
END_OF_TIME_MS = 253_402_300_800_000
"""The year 10000, which no date can say."""


def receipt_of(
    draft: ManifestDraft, log: Log, prefix: Prefix | None, lost: LostPiece | None
) -> Receipt:
    """What is known of a request before its manifest is written."""

    def write(log: Log) -> Manifest:
        with belonging_to(draft.memo):
            return written_manifest(draft, log, prefix, lost)

    return Receipt(
        position=draft.position,
        now_ms=draft.compiler.now_ms,
        format=draft.target.format,
        counter=draft.target.counter.id,
        reserved_system=draft.target.reserved_system,
        tokens=draft.tokens,
        fixed_tokens=draft.fixed_tokens,
        changes=draft.changes,
        left_out=draft.left_out,
        folds=draft.folds,
        limit_steps=draft.limit_steps,
        decided_at=draft.compiler.decided_at,
        shows_refs=draft.shows_refs,
        prefix=prefix,
        is_lost=lost is not None,
        log=ref(log),
        draft=draft,
        write=write,
    )


def written_manifest(
    draft: ManifestDraft, log: Log, prefix: Prefix | None, lost: LostPiece | None
) -> Manifest:
    """A manifest, whole: with what its request shares with the one before, and its digest."""
    manifest = manifest_of(draft, log)
    if prefix is not None and lost is not None:
        before = lost.before
        before = before if isinstance(before, Manifest) else manifest_of(before, log)
        prefix = with_loss(prefix, lost, before, manifest, draft.target)
    return msgspec.structs.replace(manifest, prefix=prefix).digested()


def manifest_of(draft: ManifestDraft, log: Log) -> Manifest:
    """The manifest of a request, but for its digest and what it shares with the one before."""
    compiler, lasting = draft.compiler, draft.lasting
    session_id = draft.planned.clean_id(draft.session_id)
    spec_hash = lasting.fields["spec_hash"]
    checksum, session_digest = sha256(draft.body).hexdigest(), log.digest(draft.position)
    origin = f"{session_id}\n{session_digest}\n{spec_hash}\n{checksum}"
    task, step = _step(draft)
    fixed = draft.fixed_tokens
    entries = _kept_entries(draft, log, _costs(draft, draft.tokens - min(draft.bare, draft.tokens)))
    written = _written(draft, log)
    return Manifest(
        pack_id=_pack_id(sha256(origin.encode()).hexdigest(), task, step, compiler.now_ms),
        session_id=session_id,
        position=draft.position,
        decided_at=compiler.decided_at,
        session_digest=session_digest,
        now_ms=compiler.now_ms,
        agent=compiler.agent,
        tokens=draft.tokens,
        fixed_tokens=fixed,
        layer_tokens={**entries.layers},
        kept=entries.entries,
        changes=written.shorter,
        left_out=draft.left_out,
        inserted=draft.inserted,
        unrendered=_unrendered(draft, entries),
        notes=draft.notes,
        answers=draft.answers,
        folds=draft.folds,
        limit_steps=draft.limit_steps,
        steps=draft.steps,
        checksum=checksum,
        artifact_uris=entries.artifacts,
        **lasting.copy(),
        truncation_events=written.truncations,
        **_of_pack(draft, task, step),
    )


def _unrendered(draft: ManifestDraft, entries: "KeptEntries") -> tuple[Unrendered, ...]:
    """What the receiver can not be sent: parts, fields, tools and parameters."""
    target, unsent, lasting = draft.target, entries.unsent, draft.lasting
    if not unsent:
        return lasting.unrendered
    blocks = tuple([one.block for one in unsent if one.is_refusable])
    lost = [one.lost for one in unsent] if target.takes_messages else []
    return (
        *unrendered(blocks, draft.conversation, target, draft.reasoning),
        *unrendered_fields(lost, target, draft.planned),
        *lasting.unrendered,
    )


def _of_pack(draft: ManifestDraft, task: str, step: str) -> dict[str, Any]:
    """The fields of a pack: of its step, its layers."""
    allocation = draft.allocation
    return {
        "task_id": task,
        "step_id": step,
        "layer_budgets": allocation.budgets if allocation is not None else {},
        "weights": allocation.weights if allocation is not None else {},
        "signals": dict(draft.signals),
        "evidence_needed": needed(draft.blocks, draft.state) if draft.planned.step_key else (),
        "shows_refs": draft.shows_refs,
    }


def _step(draft: ManifestDraft) -> tuple[str, str]:
    if not draft.planned.step_key:
        return "", ""
    step = step_of(draft.state.get(draft.planned.step_key))
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


class WrittenChanges(NamedTuple):
    """What is written of changes.

    Args:
        shorter: each with its lineage in ranges. truncations: neighbours of one step as one.
    """

    changes: tuple[Change, ...]
    shorter: tuple[Change, ...]
    truncations: tuple[Truncation, ...]


def _written(draft: ManifestDraft, log: Log) -> WrittenChanges:
    """What is written of the changes: most requests have those of the one before."""
    memo, changes = draft.memo, draft.changes
    known: WrittenChanges | None = memo.newest(_WRITTEN)
    if known is not None and same_objects(known.changes, changes):
        return known
    shorter = with_ranges(changes, log, memo)
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


def _costs(draft: ManifestDraft, total: int) -> list[int]:
    """Tokens of each block that sum to `total`. Messages cost what they cost where the counter is
    exact; texts share sections, and share what these save."""
    sections = SectionCosts(draft.cost, draft.markers, refs=draft.shows_refs)
    costs = list(map(sections.take, draft.blocks))
    if all(map(_MESSAGES, draft.blocks)):
        return shares_of(total, costs)
    texts = [place for place, block in enumerate(draft.blocks) if not block.messages]
    rest = total - sum(costs) + sum(costs[place] for place in texts)
    if rest < 0 or not draft.target.counter.exact:
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
        layers: tokens of each layer.
    """

    system: Blocks = ()
    blocks: Blocks = ()
    costs: Sequence[int] = ()
    entries: tuple[KeptBlock, ...] = ()
    artifacts: tuple[str, ...] = ()
    unsent: tuple[Unsent, ...] = ()
    layers: Mapping[str, int] = {}


def _kept_entries(draft: ManifestDraft, log: Log, costs: list[int]) -> KeptEntries:
    """An entry for each block; worked out once while the block stays."""
    memo, system = draft.memo, draft.system
    about = draft.compiler.agent, draft.target.format
    table = ("kept blocks", *about)
    newest: KeptEntries | None = memo.newest(table)
    # most requests begin as the one before, and so does what is written of them
    count = 0 if newest is None else len(newest.blocks)
    if (
        newest is None
        or newest.system != system
        or draft.blocks[:count] != newest.blocks
        or costs[:count] != newest.costs
    ):
        unsent = chain.from_iterable(_unsent(block, draft, log) for block in system)
        newest, count = KeptEntries(system, unsent=tuple(unsent)), 0
    further = draft.blocks[count:]
    refs = [ref for ref in filter(None, map(_REF, further)) if ref.startswith("artifact://")]
    written = memo.each(
        ("written blocks", *about), further, lambda block: _written_block(block, draft, log)
    )
    new = _with_shares(map(_ENTRY, written), costs[count:])
    made = KeptEntries(
        system,
        draft.blocks,
        costs,
        newest.entries + new,
        tuple(dict.fromkeys((*newest.artifacts, *refs))) if refs else newest.artifacts,
        (*newest.unsent, *chain.from_iterable(map(_UNSENT, written))),
        _with_layers(newest.layers, new),
    )
    memo.table(table)[NEWEST] = made
    return made


def _with_shares(entries: Iterable[KeptBlock], costs: Sequence[int]) -> tuple[KeptBlock, ...]:
    """Each entry with the block's share of this request's tokens."""
    return tuple(
        [
            one if one.tokens == tokens else msgspec.structs.replace(one, tokens=tokens)
            for one, tokens in zip(entries, costs, strict=True)
        ]
    )


def _written_block(block: Block, draft: ManifestDraft, log: Log) -> WrittenBlock:
    return WrittenBlock(_kept_block(block, draft, log), _unsent(block, draft, log))


def _unsent(block: Block, draft: ManifestDraft, log: Log) -> tuple[Unsent, ...]:
    """A block of which the receiver may not be sent something; nothing where it is sent all."""
    lost = lost_of(block, log, draft.target.format)
    is_refusable = has_refusable(block)
    return (Unsent(block, is_refusable, lost),) if lost or is_refusable else ()


def _trust(block: Block, agent: str) -> str:
    """Whose words a block holds, for the agent that the request is for."""
    if block.order < 0:  # a text, or a message that nobody said, such as a note
        return block.trust.name.lower()
    if agent and is_of_another(block, agent):
        return "foreign"
    return least_trusted(block.messages)


def _kept_block(block: Block, draft: ManifestDraft, log: Log) -> KeptBlock:
    """The entry of a block, with what it costs alone."""
    shown = block.ref if block.fidelity.label != "raw" or block.layer.label == "evidence" else ""
    calls = [part for one in block.messages for part in one.parts if isinstance(part, ToolCall)]
    return KeptBlock(
        id=block.id,
        source=block.source,
        layer=block.layer.label,
        tokens=draft.cost(block),
        fidelity=block.fidelity.label,
        cache=block.cache.label,
        tier=block.tier,
        score=block.score,
        ref=shown,
        lineage=in_ranges(block.lineage, log, draft.memo),
        order=block.order,
        turn=block.turn,
        role=block.role,
        tools=tuple(dict.fromkeys(map(_NAME, calls))),
        trust=_trust(block, draft.compiler.agent),
        pinned=block.pinned,
    )


def _with_layers(layers: Mapping[str, int], blocks: Iterable[KeptBlock]) -> dict[str, int]:
    """Tokens of each layer, with those of more blocks."""
    tokens = {**layers}
    for block in blocks:
        tokens[block.layer] = tokens.get(block.layer, 0) + block.tokens
    return tokens
