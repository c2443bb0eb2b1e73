"""Several blocks as one summary, which says whose summary it is and where the whole stands."""

from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec

from contextwright.atoms.incremental import ask_grown, ask_of_log
from contextwright.atoms.select.from_compaction import covered_by
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import range_ref
from contextwright.session.event import Event
from contextwright.spec.growing import begins_with
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import ReadPart, ends_of_part, lineage_of_part
from contextwright.spec.logged_prefix import PLACE
from contextwright.spec.task import Answer, Task
from contextwright.text.cut import cut

_ORDER = attrgetter("order")


def merged(
    blocks: Blocks,
    inputs: Inputs,
    task: Task,
    name: str,
    source: str,
    logged: Blocks | None = None,
) -> Blocks | None:
    """The blocks as one summary, or as they are where that would not be shorter; None where no
    summary was prepared, or it says nothing.

    A summary that a framework put into the log is the beginning of it, or all of it.

    Args:
        task: says how: its prompt, schema, model and `max_tokens`.
        name: tells it from other summaries of the same spec.
        source: what is summarized, for the block's label.
        logged: the same blocks as they were before something shortened them, by which a summary
            of what they begin with is known.
    """
    if not task.schema and not _over(blocks, task.max_tokens, inputs):
        return blocks
    event, rest = _reusable(blocks, inputs) if not (task.schema or task.prompt) else (None, blocks)
    if event is not None and not rest:
        why = f"summary in the log, by {event.speaker}"
        return (_block_of(event.text, blocks, _lineage_of(blocks), source, why),)
    if event is not None:
        task = msgspec.structs.replace(task, previous=inputs.clean(event.text))
    logged = blocks if logged is None else logged
    answer, whole = ask_grown(task, name, rest, inputs, logged if rest is blocks else rest)
    if answer is None or not _text(answer.value).strip():
        return None
    table = inputs.memo.table(("merged", name, source, inputs.counter_id), brief=True)
    room = _room_of(task)
    key = (_text(answer.value), answer.model, whole, blocks[0].id, len(blocks), room)
    if key not in table:
        text, why = _summary_text(answer, len(blocks), room, inputs)
        with inputs.memo.growing(("summary's lineage", name, source), _Lineage) as lineage:
            table[key] = _block_of(text, blocks, lineage.of(logged), source, why)
    summary: Block = table[key]
    # a record is asked for as such, whatever it takes; a summary that is no shorter is none
    pays = task.schema or _over(blocks, inputs.cost(summary), inputs)
    return (summary,) if pays else blocks


def summary_of_log(
    read: ReadPart, tokens: int, inputs: Inputs, task: Task, name: str, label: str
) -> Block | None:
    """The summary of exchanges of the log, of which no others are looked at than what is new; None
    where they have to be: none was prepared, or it would not be shorter.

    Args:
        tokens: that they take. task, name: as for `merged`. label: the block's, its `source`.
    """
    if tokens <= task.max_tokens:
        return None
    answer, whole = ask_of_log(task, name, read, inputs)
    if answer is None or not _text(answer.value).strip():
        return None
    part = read.part
    table = inputs.memo.table(("merged of log", name, label, inputs.counter_id), brief=True)
    room = _room_of(task)
    key = (_text(answer.value), answer.model, whole, part, room)
    if key not in table:
        text, why = _summary_text(answer, part.size, room, inputs)
        lineage = lineage_of_part(part, inputs.snapshot)
        ends = ends_of_part(part, inputs.snapshot)
        table[key] = _block(text, ends, lineage, label, why)
    summary: Block = table[key]
    return summary if inputs.cost(summary) < tokens else None


def _room_of(task: Task) -> int:
    """Tokens that a summary may have, which the room for its rules makes others from step to step;
    0 where it has no limit, or is a record, which is not cut."""
    return task.max_tokens + task.rule_tokens if task.max_tokens and not task.schema else 0


def _summary_text(answer: Answer, count: int, room: int, inputs: Inputs) -> tuple[str, str]:
    """What an answer says, and what of, in `room` tokens."""
    text = _text(answer.value)
    if room:
        text = cut(text, room, "head", inputs.count)
    return text, f"summary of {count} exchanges by {answer.model}"


def _over(blocks: Blocks, tokens: int, inputs: Inputs) -> bool:
    """Whether the blocks have more than so many tokens; looks no further than it must."""
    total = 0
    for block in blocks:
        total += inputs.cost(block)
        if total > tokens:
            return True
    return False


def _reusable(blocks: Blocks, inputs: Inputs) -> tuple[Event | None, Blocks]:
    """The newest summary in the log that stands for some of the blocks, and the others."""
    snapshot = inputs.snapshot
    positions = snapshot.positions("kind", "summary")
    ids = {id for block in blocks for id in block.lineage} if positions else set[str]()
    for position in reversed(positions):
        event = snapshot.log[position]
        if event.id not in ids or not event.text:
            continue
        covered = covered_by(event, snapshot) | {event.id}
        return event, tuple(block for block in blocks if not covered.issuperset(block.lineage))
    return None, blocks


class _Lineage:
    """The ids of what a summary is made of; it grows as the conversation does."""

    def __init__(self) -> None:
        self._blocks: Blocks = ()
        self._ids: tuple[str, ...] = ()

    @property
    def held_bytes(self) -> int:
        """What the places take: the ids are the log's."""
        return PLACE * (len(self._blocks) + len(self._ids))

    def of(self, blocks: Blocks) -> tuple[str, ...]:
        """Of these blocks; those that it knows are not looked at again."""
        if not begins_with(blocks, self._blocks):
            self._blocks, self._ids = (), ()
        self._ids += _lineage_of(blocks[len(self._blocks) :])
        self._blocks = blocks
        return self._ids


def _lineage_of(blocks: Blocks) -> tuple[str, ...]:
    return tuple(chain.from_iterable([block.lineage or (block.id,) for block in blocks]))


def _block_of(text: str, blocks: Blocks, lineage: tuple[str, ...], source: str, why: str) -> Block:
    logged = [block for block in blocks if block.order >= 0 and block.lineage]
    if not logged:
        return _block(text, (lineage[0], ""), lineage, source, why)
    first, last = min(logged, key=_ORDER), max(logged, key=_ORDER)
    return _block(text, (first.lineage[0], last.lineage[-1]), lineage, source, why)


def _block(
    text: str, ends: tuple[str, str], lineage: tuple[str, ...], source: str, why: str
) -> Block:
    """The block of a summary. Its ref names all that lies between the ends: what a failure or a
    pinned message stands among is not without a way back for it.

    Args:
        ends: the first and the last event of what it stands for; the last is empty where it stands
            for nothing of the log.
    """
    label = source.removeprefix("select:")
    return Block(
        id=f"summary:{label}/{ends[0]}",
        source=f"summary:{label}",
        layer=Layer.CONVERSATION,
        text=text,
        cache=CacheClass.SESSION,
        fidelity=Fidelity.SUMMARIZED,
        ref=range_ref(*ends) if ends[1] else "",
        lineage=lineage,
        why=why,
    )


def _text(value: Any) -> str:
    """A text as it is; an object as JSON, in the order of its names."""
    if isinstance(value, str):
        return value
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=1).decode()
