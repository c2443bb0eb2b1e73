"""Which exchange each part of a request is of: requests carry no ids of ours, so both sides are
read in their order and matched by role, call and words."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import msgspec

from contextwright.compiler.manifest import KeptBlock, Manifest
from contextwright.inspect.request_parts import RequestPart
from contextwright.render.insertion import Insertion
from contextwright.session.event import Text, Thinking, ToolCall, ToolResult
from contextwright.session.snapshot import Snapshot

ENGINE = -1
"""A part that the engine made, or that is of no exchange."""
_AHEAD = 40
"""Parts of the session that are looked at for one of the request."""


class SourcePart(msgspec.Struct, frozen=True):
    """A part of an exchange, and the exchange's place; `event` is its event's in the log."""

    order: int
    event: int
    kind: str
    role: str
    text: str
    name: str = ""
    call_id: str = ""


class Aligned(msgspec.Struct, frozen=True):
    """A part of a request with what it is of.

    Args:
        source: the part of the session, if it is of one. block: the id of the engine's block.
    """

    part: RequestPart
    source: SourcePart | None = None
    block: str = ""


def source_parts(order: int, snapshot: Snapshot) -> list[SourcePart]:
    """The parts of an exchange as the session has them."""
    exchange = snapshot.exchanges(order, order + 1)[0]
    parts: list[SourcePart] = []
    names = {call.id: call.name for call in exchange.calls}
    for position, event in zip(exchange.positions, exchange.events, strict=True):
        for part in event.parts:
            if isinstance(part, Text):
                parts.append(SourcePart(order, position, "text", event.role, part.text))
            elif isinstance(part, ToolCall):
                parts.append(
                    SourcePart(
                        order, position, "call", event.role, part.arguments, part.name, part.id
                    )
                )
            elif isinstance(part, ToolResult):
                name = part.name or names.get(part.call_id, "")
                parts.append(
                    SourcePart(order, position, "result", "tool", part.text, name, part.call_id)
                )
            elif isinstance(part, Thinking):
                parts.append(SourcePart(order, position, "thinking", event.role, part.text))
            else:
                parts.append(SourcePart(order, position, "media", event.role, ""))
    return parts


def aligned(
    parts: Sequence[RequestPart], manifest: Manifest, sources: Sequence[SourcePart]
) -> list[Aligned]:
    """Every part of a request with its source.

    Args:
        sources: the parts of the exchanges that the manifest keeps, in the order of the log.
    """
    made = [block for block in manifest.kept if block.order < 0]
    lines = [one for one in manifest.inserted if one.kind == "left_out"]
    out: list[Aligned] = []
    reached, owner, owners, taken = 0, ENGINE, dict[str, int](), set[int]()
    for part in parts:
        engine = _made(part, made, lines)
        if part.message < 0 or engine:
            out.append(Aligned(part, None, engine))
            continue
        # a result is of its call's exchange, or the engine's for a call that has none
        of = owners.get(part.call_id, owner) if part.kind == "result" else ENGINE
        at = _match(part, sources, reached, of, taken)
        if at < 0:
            out.append(Aligned(part))
            continue
        out.append(Aligned(part, sources[at]))
        taken.add(at)
        reached = max(reached, at + 1)
        if part.kind == "call":
            owner = owners[part.call_id] = sources[at].order
    return out


def _made(part: RequestPart, made: Sequence[KeptBlock], lines: list[Insertion]) -> str:
    """The id of the engine's block that a section is; empty where it is none.

    Args:
        lines: those that name what is left out, and were not met yet.
    """
    if part.kind != "text" or "<context_block " not in part.text[:400]:
        return ""
    line = next((one for one in lines if one.text == part.text), None)
    if line is not None:
        lines.remove(line)
        return line.where
    for block in made:
        if any(f'source="{name}' in part.text for name in (block.source, block.id) if name):
            return block.id
    return made[0].id if made else "section"


def _match(
    part: RequestPart,
    sources: Sequence[SourcePart],
    reached: int,
    owner: int,
    taken: AbstractSet[int],
) -> int:
    """The place of the source of a part, from `reached` on; -1 where it has none.

    Args:
        owner: the exchange that it must be of; `ENGINE` where any may be. Its results may have
            come in another order than they are sent in.
        taken: those that other parts are of.
    """
    start = reached if owner == ENGINE else max(0, reached - _AHEAD)
    near = range(start, min(len(sources), reached + _AHEAD))
    alike = [at for at in near if sources[at].kind == part.kind and at not in taken]
    if owner != ENGINE:
        alike = [at for at in alike if sources[at].order == owner]
    if part.call_id:
        same = [at for at in alike if sources[at].call_id == part.call_id]
        if same:
            return same[0]
    if part.kind in {"text", "thinking"}:
        alike = [at for at in alike if part.kind != "text" or sources[at].role == part.role]
    whole = [at for at in alike if sources[at].text == part.text]
    if whole:
        return whole[0]
    if part.kind == "call":
        alike = [at for at in alike if sources[at].name == part.name] or alike
    if part.kind == "text":
        alike = [at for at in alike if _begins_alike(part.text, sources[at].text)]
    return next(iter(alike), -1)


def _begins_alike(sent: str, original: str) -> bool:
    """Whether a text may be a shorter form of another: they share words."""
    head = sent.split(maxsplit=6)[:4]
    return any(len(word) > 2 and word in original for word in head)
