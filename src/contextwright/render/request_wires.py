"""What is known of a request's messages: each is measured and checked once, while requests hold it
(rules.md#horizon).

A message that was made for one request stands in the next ones as the very same object: nobody
writes into it. So what was found out of it is known by its identity, for as long as it is
remembered; and of a request that goes on from the one before only what is new is looked at.
"""

from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import msgspec

from contextwright.memo.by_identity import same_beginning
from contextwright.memo.owned_tables import Table
from contextwright.memo.ownership import owned_growing, owned_table
from contextwright.render.wire import Wire

if TYPE_CHECKING:
    from contextwright.render.renderer import Renderer
    from contextwright.render.target import Target

_UNKNOWN = object()
RECORD = 120
"""Bytes of what is known of a message, about."""


class KnownWire(msgspec.Struct, eq=False):
    """A message, and what was found out of it.

    Args:
        tokens: of it, once they were counted.
        ids: that only it may have, once they were looked up.
        is_allowed: whether a request that has it broke no rule.
    """

    wire: Wire
    tokens: int | None = None
    ids: tuple[Hashable, ...] | None = None
    is_allowed: bool = False


def _known_of(wire: Wire, known: KnownWire | None, others: Table) -> KnownWire:
    """What is known of a message, by what stands under its identity."""
    if known is None and id(wire) in others.before:
        known = others.recall(id(wire), None)
    return KnownWire(wire) if known is None or known.wire is not wire else known


class RequestWires:
    """The messages of the newest request, to go on from. One that is the beginning of it is known
    with it.

    Attributes:
        wires: as they are sent.
    """

    __slots__ = (
        "_allowed",
        "_ids",
        "_is_request",
        "_known",
        "_newest",
        "_sums",
        "_tools",
        "_with_ids",
        "wires",
    )

    def __init__(self) -> None:
        self.wires: list[Wire] = []
        self._newest: Sequence[Wire] | None = None  # the list that these were, of one request
        self._known: list[KnownWire] = []
        self._tools: object = _UNKNOWN  # of a request that broke no rule
        self._sums = [0]  # tokens of so many first ones
        self._allowed = 0  # so many first ones stood in a request that broke no rule
        self._is_request = False  # whether these were all of it
        self._ids: set[Hashable] = set()
        self._with_ids = 0  # so many first ones have these, each another

    @property
    def held_bytes(self) -> int:
        """About what is known of them; the messages themselves their request holds."""
        return RECORD * len(self.wires)

    def go_on(self, wires: Sequence[Wire], target: "Target") -> None:
        """Know these messages. Nobody writes into the list of a request either."""
        if wires is self._newest:  # it is measured, checked, and held against the one before
            return
        self._newest = wires
        same = same_beginning(self.wires, wires)
        if same == len(wires):
            return
        others = owned_table(("other wires known", *_key(target)), brief=True)
        if same < len(self.wires):
            self._cut(same, others)
        further = wires[same:]
        if others or (others is not None and others.before):
            known: list[KnownWire | None] = list(map(others.get, map(id, further)))
            self._known += [
                one if one is not None and one.wire is wire else _known_of(wire, one, others)
                for wire, one in zip(further, known, strict=True)
            ]
        else:
            self._known += map(KnownWire, further)
        self.wires += further

    def _cut(self, at: int, others: Table | None) -> None:
        if others is not None:
            others.update(zip(map(id, self.wires[at:]), self._known[at:], strict=True))
        del self.wires[at:], self._known[at:], self._sums[at + 1 :]
        if self._allowed > at:
            self._allowed, self._is_request = at, False
        if self._with_ids > at:
            self._ids, self._with_ids = set(), 0

    def sums(self, count: int, renderer: "Renderer", target: "Target") -> list[int]:
        """Tokens of none, of the first, and so on up to so many."""
        if len(self._sums) <= count:
            counting, tokens = target.counter.counting(), self._sums[-1]
            sums: list[int] = []
            for one in self._known[len(self._sums) - 1 : count]:
                if one.tokens is None:
                    one.tokens = renderer.measure_wire(one.wire, counting)
                tokens += one.tokens
                sums += (tokens,)
            self._sums += sums
        return self._sums[: count + 1]

    def unchecked(self, count: int, renderer: "Renderer") -> tuple[list[Wire], list[Wire]]:
        """Of so many first messages those that are not known to be allowed; and those from the
        first on that a request without fault does not tell the neighbours of."""
        stand = min(self._allowed, count)
        fresh = [one.wire for one in self._known[stand:count] if not one.is_allowed]
        if stand < self._allowed or not self._is_request:
            stand -= 1
            while stand > 0 and not renderer.begins_anew(self.wires[stand]):
                stand -= 1
        return fresh, self.wires[max(0, stand) : count]

    def ids_differ(self, renderer: "Renderer") -> bool:
        """Whether no two messages have an id that only one may have."""
        new = self._known[self._with_ids :]
        for known in new:
            if known.ids is None:
                known.ids = tuple(renderer.message_ids(known.wire))
        ids = [one for known in new for one in known.ids or ()]
        before = len(self._ids)
        self._ids.update(ids)
        if len(self._ids) < before + len(ids):
            self._ids, self._with_ids = set(), 0
            return False
        self._with_ids += len(new)
        return True

    def allows_tools(self, tools: object) -> bool:
        """Whether a request with this list of tools, or without any, broke no rule."""
        return self._tools == tools

    def without_tools(self, request: Wire) -> Wire:
        """The request without a list of tools with which one broke no rule: what they say is read
        once, and rules of messages ask for nothing else of them."""
        if "tools" not in request or not self.allows_tools(request["tools"]):
            return request
        return {key: value for key, value in request.items() if key != "tools"}

    def allow(self, count: int, tools: object) -> None:
        """Remember that a request of so many first messages and of these tools broke no rule."""
        self._tools = tools
        for one in self._known[min(self._allowed, count) : count]:
            one.is_allowed = True
        self._allowed, self._is_request = count, True


def request_wires(target: "Target") -> AbstractContextManager[RequestWires]:
    """What is known of the messages of requests to a target, while it is used."""
    known = owned_growing(("request wires", *_key(target)), RequestWires)
    return nullcontext(RequestWires()) if known is None else known


def token_sums(renderer: "Renderer", wires: Sequence[Wire], target: "Target") -> list[int]:
    """Tokens of so many first messages: of none, of the first, and so on."""
    with request_wires(target) as known:
        known.go_on(wires, target)
        return known.sums(len(wires), renderer, target)


def _key(target: "Target") -> tuple[str, str, str]:
    return target.format, target.model, target.counter.id
