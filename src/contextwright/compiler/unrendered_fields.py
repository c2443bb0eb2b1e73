"""Fields of messages and of their parts that a provider has no word for; the manifest names each,
where the messages came in another's format."""

from collections.abc import Iterable, Iterator
from itertools import chain

from contextwright.blocks.block import Block
from contextwright.compiler.manifest import Unrendered
from contextwright.compiler.plan import Plan
from contextwright.formats.known_keys import KNOWN, Field, lost_fields
from contextwright.formats.provenance import as_it_came, origins
from contextwright.render.source_messages import events_of_message
from contextwright.render.target import Target
from contextwright.session.event import Opaque
from contextwright.session.log import Log

_NAMED = 8
"""Fields that are named; they are keys of the caller's, who may have data for keys."""
_LONGEST = 80
"""Characters of a key that are shown."""
Lost = tuple[tuple[int, tuple[Field, ...]], ...]
"""Fields of messages, each by where its first event stands."""


def unrendered_fields(lost: Iterable[Lost], target: Target, planned: Plan) -> Iterator[Unrendered]:
    """The fields that no part of the request tells of, in how many messages each.

    Args:
        lost: what each block that is sent loses (`lost_of`).
    """
    messages: dict[Field, set[int]] = {}
    for first, fields in chain.from_iterable(lost):
        for field in fields:
            messages.setdefault(field, set()).add(first)
    for (path, key), places in list(messages.items())[:_NAMED]:
        clean = planned.clean_added_name(key)
        shown = clean if len(clean) <= _LONGEST else f"{clean[:_LONGEST]}…"
        count = f"{len(places)} message{'s' if len(places) > 1 else ''}"
        reason = f"'{path}.{shown}' has no equivalent in {target.format} ({count})"
        yield Unrendered("messages", "field", reason)
    if len(messages) > _NAMED:
        more = len(messages) - _NAMED
        have = "field more has" if more == 1 else "fields more have"
        reason = f"{more} {have} no equivalent in {target.format}"
        yield Unrendered("messages", "field", reason)


def lost_of(block: Block, log: Log, format: str) -> Lost:
    """What is lost of the messages that a block's events came from, up to these events: what came
    behind them of a message is told of its own block, and may come later."""
    by_message: dict[int, tuple[Field, ...]] = {}
    for message in block.messages:
        at = log.position_of(message.event_id) if message.event_id else None
        if at is None:
            continue
        event = log[at]
        if not event.extra:  # as that of most, which hold no more than is told of them here
            continue
        for source in event.extra.keys() & KNOWN.keys() - {format}:
            if len(origins(event, source)) != 1:
                continue  # an application's own, or of a record that other things were read from
            first, last = events_of_message(log, at, source, at + 1)
            by_message[first] = _of_message(log, first, last, source)
    return tuple([(first, fields) for first, fields in by_message.items() if fields])


def _of_message(log: Log, first: int, last: int, format: str) -> tuple[Field, ...]:
    """The fields of the message that these events were read from. One that its writer makes again
    as it was has none: it writes what its reader took."""
    record, events = origins(log[first], format)[0], log[first:last]
    if not record.get("rest"):
        return ()
    parts = [part for event in events for part in event.parts]
    parts += [part for event in events for result in event.results for part in result.content]
    taken = [part.value for part in parts if isinstance(part, Opaque)]
    message = as_it_came(KNOWN[format].write(events), record)
    return tuple(dict.fromkeys(lost_fields(format, message, taken)))
