"""Which chat message was which, before a context and behind it."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from contextwright.adapters.ordered_pairs import in_order

Wire = dict[str, Any]
"""A message of OpenAI Chat."""
_SECTION = "<context_block "
"""What a section of the context's begins with; no text that was changed does, as it is escaped."""


def message_sources(before: Sequence[Wire], after: Sequence[Wire]) -> list[int | None]:
    """Of each chat message that came back, which one it was: the same object, the same call, or
    one of its role between two that are known, or elsewhere one that says the same; None for one
    that was added.

    Ids of calls may repeat: what is of one id is told apart by its tool, by what it says, and by
    what stands around it.

    Args:
        before, after: the chat messages that a context was given, and those that it gave.
    """
    alignment = _Alignment(_signs(before, frozenset()), _signs(after, frozenset(_ids(before))))
    alignment.take_objects()
    alignment.take_instruction()
    for level in (_whole, _tool, _key):
        alignment.take_unique(level)
    alignment.take_in_order()
    alignment.take_moved()
    return alignment.sources


class _Signs(msgspec.Struct, frozen=True):
    """What a chat message is told by.

    Args:
        wire: itself.
        key: its role and the ids that it calls or answers; None where it does neither.
        tools: names of what it calls or answers; empty where its call is not there.
    """

    wire: Wire
    key: tuple[str, ...] | None
    tools: tuple[str, ...]


_Level = Callable[[_Signs], object]
"""What two messages must have in common to be one; None where a message is told otherwise."""


def _whole(signs: _Signs) -> object:
    return repr(signs.wire)


def _tool(signs: _Signs) -> object:
    return (signs.key, signs.tools) if all(signs.tools) and signs.key else None


def _key(signs: _Signs) -> object:
    return signs.key


def _is_section(wire: Wire) -> bool:
    return str(wire.get("content")).startswith(_SECTION)


def _own_sign(signs: _Signs) -> object:
    return signs.key or _whole(signs)


def _kind(signs: _Signs) -> tuple[str, ...]:
    return signs.key or (signs.wire["role"],)


class _Alignment:
    """The sources as they become known.

    Args:
        before, after: of each message, what it is told by.
    """

    def __init__(self, before: Sequence[_Signs], after: Sequence[_Signs]) -> None:
        self._before, self._after = before, after
        self._taken: set[int] = set()
        self.sources: list[int | None] = [None] * len(after)

    def take_objects(self) -> None:
        """What came back as it was."""
        places: defaultdict[int, list[int]] = defaultdict(list)
        for number in reversed(range(len(self._before))):
            places[id(self._before[number].wire)].append(number)
        for place, signs in enumerate(self._after):
            if left := places.get(id(signs.wire)):
                self._take(place, left.pop())

    def take_instruction(self) -> None:
        """The system text in front: what a context adds to it stands behind it."""
        roles = [each[0].wire["role"] for each in (self._before, self._after) if each]
        if roles == ["system", "system"] and 0 not in self._taken and self.sources[0] is None:
            self._take(0, 0)

    def take_unique(self, level: _Level) -> None:
        """What there is once between two that are known, before and behind."""
        for places, numbers in list(self._gaps()):
            own = _grouped(self._after, places, level)
            sought = _grouped(self._before, numbers, level)
            for sign, same in own.items():
                if len(same) == len(sought.get(sign, ())) == 1:
                    self._take(same[0], sought[sign][0])

    def take_in_order(self) -> None:
        """The rest between two that are known, in the order that leaves the fewest over; a section
        of the context's own is none of them."""
        for gap, numbers in list(self._gaps()):
            places = [place for place in gap if not _is_section(self._after[place].wire)]
            own = [_kind(self._after[place]) for place in places]
            sought = [_kind(self._before[number]) for number in numbers]
            for one, other in in_order(own, sought):
                self._take(places[one], numbers[other])

    def take_moved(self) -> None:
        """Calls and results that stand elsewhere than they did, and what says the same there, such
        as a user's message that stood between the two."""
        free = [number for number in range(len(self._before)) if number not in self._taken]
        sought = _grouped(self._before, free, _own_sign)
        for place, source in enumerate(self.sources):
            if source is None and (left := sought.get(_own_sign(self._after[place]))):
                self._take(place, left.pop(0))

    def _take(self, place: int, number: int) -> None:
        self.sources[place] = number
        self._taken.add(number)

    def _gaps(self) -> Iterator[tuple[list[int], list[int]]]:
        """What is not known yet between two that are: places behind, and those before."""
        places: list[int] = []
        start = 0
        for place, source in enumerate([*self.sources, len(self._before)]):
            if source is None:
                places.append(place)
                continue
            if places:
                numbers = range(start, source)
                yield places, [number for number in numbers if number not in self._taken]
            places, start = [], source + 1


def _grouped(
    signs: Sequence[_Signs], places: Sequence[int], level: _Level
) -> dict[object, list[int]]:
    """Places by what they are told by; without those that are told otherwise."""
    groups: defaultdict[object, list[int]] = defaultdict(list)
    for place in places:
        if (sign := level(signs[place])) is not None:
            groups[sign].append(place)
    return dict(groups)


def _signs(wires: Sequence[Wire], known: frozenset[str]) -> list[_Signs]:
    """What each of these messages is told by.

    Args:
        known: ids that came: a context tells the calls of one id in one exchange apart by a number
            behind it.
    """
    names: dict[str, str] = {}
    signs: list[_Signs] = []
    for wire in wires:
        ids = [_own(id, known) for id in _ids([wire])]
        if calls := wire.get("tool_calls"):
            tools = [str(call.get("function", call).get("name")) for call in calls]
            names.update(zip(ids, tools, strict=True))
        else:
            tools = [names.get(id, "") for id in ids]
        signs.append(_Signs(wire, (wire["role"], *ids) if ids else None, tuple(tools)))
    return signs


def _own(id: str, known: frozenset[str]) -> str:
    base = id.rpartition("~")[0]
    return base if base in known and id not in known else id


def _ids(wires: Sequence[Wire]) -> Iterator[str]:
    """The ids that messages call or answer."""
    for wire in wires:
        if wire["role"] == "tool":
            yield wire["tool_call_id"]
        for call in wire.get("tool_calls") or ():
            yield call["id"]


def plain_text(content: Any) -> str:
    """The text of a chat message's content."""
    if isinstance(content, str):
        return content
    parts = [part.get("text", "") for part in content or () if part.get("type") == "text"]
    return "\n".join(parts)
