"""What the exchanges of a log say: most are one text, and no block is made of them."""

from collections.abc import Callable, Iterator, Sequence

from contextwright.blocks.block import Message
from contextwright.blocks.of_exchange import messages_of_calls
from contextwright.session.event import Event, Text
from contextwright.spec.inputs import Inputs

AT_ONCE = 1024
"""Exchanges whose events are looked at in one go."""


def logged_texts(
    start: int,
    stop: int,
    of_words: Callable[[Event, str], str],
    of_messages: Callable[[Sequence[Message]], str],
    inputs: Inputs,
) -> Iterator[str]:
    """The text of each exchange from `start` up to `stop`, which have settled.

    Args:
        of_words: of one that is the event of one text. of_messages: the same, of any.
    """
    snapshot = inputs.snapshot
    for begin in range(start, stop, AT_ONCE):
        end = min(stop, begin + AT_ONCE)
        if inputs.guards:  # what they redact, they find in blocks
            for block in inputs.readable(snapshot.exchanges(begin, end)):
                yield of_messages(block.messages)
            continue
        for index, events in enumerate(snapshot.log.events_of(begin, end), begin):
            words = _words_alone(events)
            if words is not None:
                yield of_words(events[0], words)
                continue
            messages = messages_of_calls(events)
            if messages is None:
                (block,) = inputs.readable(snapshot.exchanges(index, index + 1))
                messages = block.messages
            yield of_messages(messages)


def _words_alone(events: Sequence[Event]) -> str | None:
    """The text of an exchange that is nothing else; None of any other."""
    parts = events[0].parts
    if len(events) > 1 or len(parts) != 1:
        return None
    part = parts[0]
    return part.text if isinstance(part, Text) and part.text.strip() else None
