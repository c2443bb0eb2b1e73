"""What a request must hold, out of the session alone: no line of the compiler is asked.

A rule that asked `blocks.protection` would repeat its mistakes. This says
rules.md#protection a second time, in the plainest way.
"""

import msgspec

from contextwright.session.call_kind import call_kinds
from contextwright.session.event import Event, Text, ToolCall
from contextwright.session.exchange import Exchange
from contextwright.session.failure import is_failure
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import RESOLVED_PREFIX


class Protected(msgspec.Struct, frozen=True):
    """A text that the request must hold byte for byte.

    Args:
        rule: the rule that protects it.
        event: the id of its event.
    """

    rule: str
    event: str
    text: str


def protected(snapshot: Snapshot) -> list[Protected]:
    """Every text of the session that no word and no budget may touch, by rule."""
    exchanges = [e for e in snapshot.exchanges(snapshot.preamble) if e.mark != "orphan"]
    by_user = [e for e in exchanges if e.first.role == "user"]
    parts: list[tuple[str, list[Exchange]]] = [
        ("system-instruction-stays", snapshot.exchanges(0, snapshot.preamble)),
        ("task-framing-stays", by_user[:1]),
        ("newest-user-message-stays", by_user[-1:]),
        ("live-edge-stays", exchanges[-1:]),
        ("pinned-stays", [e for e in exchanges if e.pinned]),
        (
            "open-failures-stay",
            [
                e
                for e in open_failures(exchanges)
                if RESOLVED_PREFIX + e.first.id not in snapshot.state
            ],
        ),
    ]
    return [
        Protected(rule, event.id, text)
        for rule, members in parts
        for exchange in members
        for event in exchange.events
        for text in texts_of(event, exchange)
    ]


def open_failures(exchanges: list[Exchange]) -> list[Exchange]:
    """Of each kind of call the newest that failed or was never answered, where no later call of
    the kind worked. Of an exchange with several calls, each counts for its own kind."""
    newest: dict[str, Exchange] = {}
    for exchange in exchanges:
        failed = {call_kinds(call)[-1] for call in exchange.calls if _failed(call, exchange)}
        for call in exchange.calls:
            if not _failed(call, exchange):
                for kind in call_kinds(call):
                    newest.pop(kind, None)
        newest |= dict.fromkeys(failed, exchange)
    return list({exchange.index: exchange for exchange in newest.values()}.values())


def _failed(call: ToolCall, exchange: Exchange) -> bool:
    return call.id in exchange.open_calls or is_failure(exchange.results[call.id], call)


def texts_of(event: Event, exchange: Exchange) -> list[str]:
    """The texts of an event that a request can hold: of a result that came twice, the last."""
    texts = [part.text for part in event.parts if isinstance(part, Text)]
    for result in event.results:
        if exchange.results.get(result.call_id) == result:
            texts += [part.text for part in result.content if isinstance(part, Text)]
    return [text for text in texts if text.strip()]
