"""A conversation brought under a number of tokens: compiled with `C.cool` and `C.budget`, which
say by the manifest what was left out and by the request what was shortened."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from contextwright.adapters.wrap.cooling_report import CoolingLog
from contextwright.adapters.wrap.foreign_messages import HELD, ForeignMessages, PartKey
from contextwright.adapters.wrap.live_renderer import (
    FORMAT,
    SentCounter,
    message_tokens,
)
from contextwright.adapters.wrap.water_fill import water_fill
from contextwright.compiler.manifest import Manifest
from contextwright.compiler.pack import Pack
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.engine.prepare import Turn, preparing
from contextwright.engine.run_tasks import TaskGenerator
from contextwright.engine.shorten_text import Wanted, shortening
from contextwright.errors import BudgetError, SpecError
from contextwright.render.target import Target
from contextwright.session.event import Event, Text, ToolResult
from contextwright.session.exchange import Exchange
from contextwright.session.session import Session
from contextwright.spec.task import NO_ANSWERS
from contextwright.text.ref_notes import without_event_notes
from contextwright.tokens.counter import Counter
from contextwright.words import C

NEWEST = 3
"""Exchanges at the end whose texts are shortened for themselves, and then stay: an agent reads
them next. At their first sending that costs no cache (rules.md#caching)."""
GRAIN = 64
"""Tokens in whose steps the room of the newest texts changes: a text that has the same room in the
next call is asked about once."""
LEAST = 40
"""Tokens that each of the newest texts keeps at least: less is no summary."""
UNLIMITED = 10**9
"""Tokens of a window that sets no limit: the threshold does."""
_NONE: frozenset[str] = frozenset()


class ShortenedPart(msgspec.Struct, frozen=True):
    """A part with its text in short.

    Args:
        by: who made it: a model's name; `cut`.
        why: why nobody better did.
    """

    old: str
    new: str
    by: str
    why: str = ""


class CooledConversation(msgspec.Struct, frozen=True, eq=False):
    """What became of a conversation.

    Args:
        tokens: of all that is sent.
        parts: the shortened ones.
        dropped: ids of the events that are left out.
    """

    tokens: int
    parts: Mapping[PartKey, ShortenedPart] = {}
    dropped: frozenset[str] = frozenset()


def size_of(talk: ForeignMessages, counter: Counter) -> tuple[int, int]:
    """Tokens of a conversation, as `LiveRenderer` counts it, and those of the user's and the
    system's words, which stay."""
    held = tokens = 0
    for event in talk.events:
        own = message_tokens(event.parts, counter)
        tokens += own
        held += own if event.role in HELD else 0
    return tokens, held


def cooling(
    talk: ForeignMessages, size: tuple[int, int], room: int, counter: Counter, log: CoolingLog
) -> TaskGenerator[CooledConversation]:
    """A conversation in so many tokens: its newest texts in their share of the room, of the rest
    the oldest in short, and the least salient exchanges left out.

    Where what must stay is over the room by itself, the rest has a quarter of it beside.

    Args:
        size: of the conversation as it is, `size_of`.
        room: tokens that it may have.
        counter: counts tokens.
        log: where the whole of a shortened text is put aside.
    """
    tokens, held = size
    sent = SentCounter(counter, log.sample_mark)
    exchanges = _exchanges(Session(events=talk.events))[-NEWEST:]
    newest = yield from _newest_in_short(exchanges, size, room, sent, log)
    events = [_with_texts(event, newest) for event in talk.events]
    stay = frozenset(id for exchange in exchanges for id in exchange.ids)
    limits = (
        (room, stay),
        (room, _NONE),
        (held + room // 4, _NONE),
        (held + room, _NONE),
    )
    for limit, pins in limits:
        try:
            pack, left = yield from _compiled(events, pins, limit, sent)
        except BudgetError:
            continue
        except SpecError:  # only the system speaks, or only results whose calls are not there
            break
        return _outcome(pack, events, left, newest, log)
    saved = sum(counter.count(one.old) - counter.count(one.new) for one in newest.values())
    return CooledConversation(tokens - saved, newest)


def _compiled(
    events: Sequence[Event], pinned: frozenset[str], limit: int, counter: Counter
) -> TaskGenerator[tuple[Pack, Session]]:
    """The pack, and the events that it was made of: those that stay even if nobody is asked for a
    summary. So no model reads what is left out."""
    # what leaves is no part of the log that is compiled next, so there are no steps to go by
    last = C.budget(limit, overflow="truncate_least_salient", steps=False)
    spec = C.default() | C.cool(limit, steps=False) | last
    target = Target(FORMAT, FORMAT, UNLIMITED, 0, counter, refs="show")
    compiler = SpecCompiler(spec)
    whole = Session(events=[_pinned(event, pinned) for event in events])
    first = compiler.compile(whole.snapshot(), target)
    stay = _sent(first.manifest)
    left = Session(events=[e for e in whole.log if e.id in stay or e.role == "system"])
    turn = Turn(SpecCompiler(spec), target, left.snapshot)
    pack, _ = yield from preparing(turn, NO_ANSWERS, lambda series: None)
    return pack, left


def _pinned(event: Event, ids: frozenset[str]) -> Event:
    return msgspec.structs.replace(event, pinned=True) if event.id in ids else event


def _sent(manifest: Manifest) -> frozenset[str]:
    return frozenset(id for block in manifest.kept for id in block.lineage)


def _newest_in_short(
    newest: Sequence[Exchange], size: tuple[int, int], room: int, counter: Counter, log: CoolingLog
) -> TaskGenerator[dict[PartKey, ShortenedPart]]:
    """The newest texts, the largest shortened first. They have half of the room beside what stays
    in any case, and more where the older ones need less."""
    exchanges = [one for one in newest if not one.pinned]
    texts = [(key, text) for one in exchanges if not one.failed for key, text in _texts(one)]
    counts = [counter.count(text) for _, text in texts]
    events = [event for one in exchanges for event in one.events]
    newest_tokens = sum(message_tokens(event.parts, counter) for event in events)
    tokens, held = size
    space = max(0, room - held)
    older = tokens - held - newest_tokens
    share = max(space // 2, space - older) - (newest_tokens - sum(counts))
    if sum(counts) <= share:
        return {}
    most = water_fill(counts, share)
    most = max(LEAST, most - most % GRAIN if most > 2 * GRAIN else most)
    large = [entry for entry, tokens in zip(texts, counts, strict=True) if tokens > most]
    wanted = [Wanted(text, most, tail=log.mark(text)) for _, text in large]
    shorts = yield from shortening(wanted, counter.count)
    return {
        key: ShortenedPart(text, short.text, short.by or "cut", short.why)
        for (key, text), short in zip(large, shorts, strict=True)
        if short.text != text
    }


def _exchanges(session: Session) -> list[Exchange]:
    snapshot = session.snapshot()
    return snapshot.exchanges(snapshot.preamble)


def _texts(exchange: Exchange) -> Iterator[tuple[PartKey, str]]:
    """The texts of an exchange that may be shortened."""
    for event in exchange.events:
        for place, part in enumerate(event.parts):
            if isinstance(part, ToolResult) or (
                isinstance(part, Text) and event.role == "assistant"
            ):
                yield (event.id, place), part.text


def _with_texts(event: Event, shortened: Mapping[PartKey, ShortenedPart]) -> Event:
    parts = list(event.parts)
    for place, part in enumerate(parts):
        short = shortened.get((event.id, place))
        if short is not None and isinstance(part, Text):
            parts[place] = Text(text=short.new)
        elif short is not None and isinstance(part, ToolResult):
            media = [one for one in part.content if not isinstance(one, Text)]
            content = (Text(text=short.new), *media)
            parts[place] = msgspec.structs.replace(part, content=content)
    return msgspec.structs.replace(event, parts=tuple(parts))


def _outcome(
    pack: Pack,
    events: Sequence[Event],
    left: Session,
    newest: Mapping[PartKey, ShortenedPart],
    log: CoolingLog,
) -> CooledConversation:
    """What the pack says of the events."""
    stay = _sent(pack.manifest) | {event.id for event in left.log if event.role == "system"}
    makers = {id: c.reason for c in pack.manifest.changes for id in c.lineage}
    why = "; ".join(dict.fromkeys(one.fallback for one in pack.manifest.answers if one.fallback))
    parts = {key: short for key, short in newest.items() if key[0] in stay}
    for key, old, new in _changed(pack, left):
        reason, plain = makers.get(key[0], ""), without_event_notes(new)
        by = reason.rpartition(": by ")[2] if ": by " in reason else "cut"
        if key in newest:
            old, by = newest[key].old, f"{newest[key].by}, cut"
        if plain != new:
            plain += log.mark(old)
        parts[key] = ShortenedPart(old, plain, by, "" if by == "cut" else why)
    dropped = frozenset(event.id for event in events if event.id not in stay)
    return CooledConversation(pack.tokens, parts, dropped)


def _changed(pack: Pack, session: Session) -> Iterator[tuple[PartKey, str, str]]:
    """The texts of the request that are others than those of the events."""
    homes = {id: one for one in _exchanges(session) for id in one.ids}
    for wire in pack.request["messages"]:
        exchange = homes.get(wire["event"])
        if exchange is None:
            continue
        texts = {key: text for key, text in _texts(exchange) if key[0] == wire["event"]}
        own, answers = iter(texts.items()), _answers(exchange)
        for part in wire["parts"]:
            entry = None
            if part["kind"] == "result":
                entry = answers(part["call"])
            elif part["kind"] == "text" and wire["role"] == "assistant":
                entry = next(own, None)
            if entry is not None and entry[1] != part["text"]:
                yield *entry, part["text"]


def _answers(exchange: Exchange) -> Callable[[str], tuple[PartKey, str] | None]:
    """Finds the result of a call as the block of an exchange has it: the last one that came; of
    calls that share an id, which the block tells apart by `~1`, each its own."""
    queues: dict[str, list[tuple[PartKey, str]]] = {}
    for event in exchange.events:
        for place, part in enumerate(event.parts):
            if isinstance(part, ToolResult):
                queues.setdefault(part.call_id, []).append(((event.id, place), part.text))
    ids = [call.id for call in exchange.calls]
    first = 0 if len(set(ids)) < len(ids) else -1

    def answer(call_id: str) -> tuple[PartKey, str] | None:
        queue = queues.get(call_id) or queues.get(call_id.rpartition("~")[0])
        return queue.pop(first) if queue else None

    return answer
