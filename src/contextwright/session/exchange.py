"""The atomic unit of a session: one message, or an assistant's calls with all of their results."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from contextwright.session.event import Event, ToolCall, ToolResult
from contextwright.session.failure import is_failure

Mark = Literal["complete", "open", "interrupted", "failed", "orphan", "duplicate"]


class Exchange(msgspec.Struct, frozen=True, eq=False, gc=False):
    """Events that are kept or left out together, seen at one position of the log.

    Args:
        index: place among the exchanges of the log.
        turn: the turn that it belongs to, counted from 0.
        positions: places in the log, ascending. Results may have arrived late.
        events: the events at those positions.
        results: call id to the result that counts: the last one that came.
        open_calls: ids of calls without a result at this position.
        mark: `complete`; `open`, calls wait and nothing came after; `interrupted`, calls wait
            and the session went on; `failed`, a result says error; `orphan`, a result whose
            call is not in the log; `duplicate`, a call was answered more than once.
    """

    index: int
    turn: int
    positions: tuple[int, ...]
    events: tuple[Event, ...]
    results: dict[str, ToolResult]
    open_calls: tuple[str, ...]
    mark: Mark

    @property
    def first(self) -> Event:
        """The event that gives the exchange its place."""
        return self.events[0]

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The assistant's tool calls, in order."""
        return self.events[0].calls if self.events[0].role == "assistant" else ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the events."""
        return tuple([event.id for event in self.events])

    @property
    def pinned(self) -> bool:
        """Whether one of the events is pinned: it pins the whole."""
        for event in self.events:
            if event.is_pinned:
                return True
        return False

    @property
    def failed(self) -> bool:
        """Whether a result says error, or a call was never answered."""
        return self.mark in {"failed", "interrupted"}


def exchange_of(
    index: int,
    turn: int,
    positions: tuple[int, ...],
    events: tuple[Event, ...],
    *,
    newest: bool,
    fails: bool,
) -> Exchange:
    """Build the exchange that these events form.

    Args:
        newest: whether nothing came after it; an unanswered call then is open.
        fails: whether any result that joined it says that it failed: the one that counts may not.
    """
    if len(events) == 1 and not _calls_or_answers(events[0]):  # most are one message of words
        return Exchange(index, turn, positions, events, {}, (), "complete")
    first = events[0]
    calls: list[ToolCall] = []
    came: list[ToolResult] = []
    for event in events:
        for part in event.parts:
            if isinstance(part, ToolResult):
                came.append(part)
            elif event is first and isinstance(part, ToolCall):
                calls.append(part)
    results = {result.call_id: result for result in came}  # the last one that came counts
    waiting = open_calls(calls, results) if first.role == "assistant" else ()
    if waiting:
        mark: Mark = "open" if newest else "interrupted"
    else:
        begins = bool(came) and came[0] in first.parts  # nobody judged it when it came
        mark = _mark(calls, results, len(came) > len(results), fails=fails or begins)
    return Exchange(index, turn, positions, events, results, waiting, mark)


def _calls_or_answers(event: Event) -> bool:
    for part in event.parts:
        if isinstance(part, (ToolCall, ToolResult)):
            return True
    return False


def open_calls(calls: Iterable[ToolCall], results: Mapping[str, ToolResult]) -> tuple[str, ...]:
    """Ids of an exchange's calls that have no result, or were interrupted."""
    return tuple(
        [
            call.id
            for call in calls
            if call.id not in results or results[call.id].status == "interrupted"
        ]
    )


def _mark(
    calls: Sequence[ToolCall], results: dict[str, ToolResult], twice: bool, *, fails: bool
) -> Mark:
    """The mark of an exchange in which nothing waits."""
    if not results:
        return "complete"
    if not calls:
        return "orphan"
    by_id = {call.id: call for call in calls} if fails else {}
    if fails and any(is_failure(result, by_id.get(id)) for id, result in results.items()):
        return "failed"
    return "duplicate" if twice else "complete"
