"""`C.select(...)`: exchanges by what their events are (context-algebra.md#attributes)."""

from collections.abc import Iterable
from typing import ClassVar, Literal, TypeVar

from contextwright.blocks.block import Block, Blocks
from contextwright.errors import SpecError
from contextwright.session.exchange import Exchange
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits
from contextwright.spec.word_roles import ConversationWindow, Indexed, LogSelector

T = TypeVar("T")
EventType = Literal[
    "text", "tool_call", "tool_result", "image", "file", "thinking", "opaque", "summary"
]

PAGE = 64
"""Exchanges in which a window's newest are looked for first; then in twice as many."""


class Select(Indexed, LogSelector, frozen=True, kw_only=True):
    """Exchanges with an event that has all of these attributes, oldest first.

    An exchange is atomic: selecting a tool result brings its call. What is not said does not
    matter.

    Args:
        author: who spoke; `"user"` is the user.
        role: `system`, `user`, `assistant` or `tool`.
        type: the kind of part that the event holds.
        tag: a tag of the event, set by the application or by `S.tag`.
        position: only the first or the last of the found exchanges.
        scope: `all`; `before_window`, what is older than the spec's `C.window`;
            `tool_results`, the same as `type="tool_result"`.
        not_authors: leave these authors out.
    """

    word: ClassVar[str] = "select"
    kind: ClassVar[Kind] = Kind.REFINER
    verb: ClassVar[Verb] = Verb.SELECT

    author: str | None = None
    role: Literal["system", "user", "assistant", "tool"] | None = None
    type: EventType | None = None
    tag: str | None = None
    position: Literal["first", "last"] | None = None
    scope: Literal["all", "before_window", "tool_results"] = "all"
    not_authors: tuple[str, ...] = ()

    @property
    def traits(self) -> Traits:
        """One exchange, which is one of all; or all that match, each by itself."""
        role = self.role or ""
        if self.position is not None:
            return Traits(bounded=True, role=role)
        return Traits(bounded=False, role=role, view="log")

    def authors(self) -> tuple[str, ...]:
        """The one that is wanted, and those that are left out."""
        return (*filter(None, (self.author,)), *self.not_authors)

    @property
    def wanted(self) -> dict[str, str]:
        """The attributes that must match."""
        attributes = {
            "author": self.author,
            "role": self.role,
            "type": self.type,
            "tag": self.tag,
        }
        if self.scope == "tool_results":
            attributes["type"] = "tool_result"
        return {name: value for name, value in attributes.items() if value is not None}

    @property
    def label(self) -> str:
        """The source of the blocks."""
        named = {**self.wanted, "position": self.position, "not": ",".join(self.not_authors)}
        shown = ",".join(f"{name}={value}" for name, value in named.items() if value)
        scope = self.scope if self.scope == "before_window" else ""
        return "select:" + (",".join(filter(None, (shown, scope))) or "all")

    def bring(self, inputs: Inputs) -> Blocks:
        """The exchanges of the whole log that match; where no other term brings any, of those that
        are looked at."""
        start, stop = inputs.snapshot.preamble, self._stop(inputs)
        held: list[Exchange] = []
        if inputs.is_sole and inputs.start > start:
            start = inputs.start
            held = [
                e for at in inputs.held_before(start) for e in self.matching(at, at + 1, inputs)
            ]
        elif not (self.wanted or self.position or self.not_authors):
            return inputs.until(stop, self.label)
        exchanges = [*held, *self.matching(start, stop, inputs)]
        return inputs.blocks(self._placed(exchanges), self.label)

    def bring_newest(self, window: ConversationWindow, inputs: Inputs) -> Blocks | None:
        """The newest that match, page by page until the window is filled, and of the rest what
        must stay."""
        snapshot = inputs.snapshot
        first, start, size = snapshot.preamble, snapshot.exchange_count, PAGE
        if self.position is not None or self.scope == "before_window" or window.strides:
            return None
        newest: list[Exchange] = []
        while start > first and not window.is_filled(newest):
            stop, start = start, max(first, start - size)
            newest = [*self.matching(start, stop, inputs), *newest]
            size *= 2
        places = inputs.held_within(first, start)
        held = [one for at in places for one in self.matching(at, at + 1, inputs)]
        return inputs.blocks([*held, *newest], self.label)

    def chosen(self, inputs: Inputs, source: str) -> Blocks | None:
        """Those that match by the log's indexes, and what must stay."""
        if not self.wanted or (self.not_authors and inputs.guards):  # a name may be redacted
            return None
        snapshot = inputs.snapshot
        first, count = snapshot.preamble, snapshot.exchange_count
        held = snapshot.exchanges_at(inputs.held_within(first, count))
        matches = self._placed(self.matching(first, count, inputs))
        chosen = {one.index: one for one in (*matches, *held)}
        return inputs.blocks([chosen[at] for at in sorted(chosen)], source)

    def matching(self, start: int, stop: int, inputs: Inputs) -> list[Exchange]:
        """The exchanges from `start` up to `stop` that match, whichever is wanted of them."""
        snapshot, stop = inputs.snapshot, min(stop, self._stop(inputs))
        wanted = sorted(self.wanted.items(), key=_rarity)
        if wanted:
            exchanges = snapshot.exchanges_with(*wanted[0], start, stop)
            if len(wanted) > 1:
                exchanges = [e for e in exchanges if _has_all(e.positions, wanted, snapshot)]
        else:
            exchanges = snapshot.exchanges(start, stop)
        if left_out := set(self.not_authors):
            exchanges = [e for e in exchanges if e.first.speaker not in left_out]
        return exchanges

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks among those that came that match."""
        return inputs.protection.with_protected(blocks, self._matches(blocks, inputs))

    def _matches(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """Those of the blocks that match."""
        stop, wanted = self._stop(inputs), self.wanted
        matches = [block for block in blocks if block.order < stop]
        if wanted:
            ids = _ids(matches, wanted, inputs.snapshot)
            matches = [b for b in matches if b.order >= 0 and not ids.isdisjoint(b.lineage)]
        if left_out := set(self.not_authors):
            matches = [b for b in matches if b.order < 0 or b.author not in left_out]
        return tuple(self._placed(matches))

    def _placed(self, matches: list[T]) -> list[T]:
        if self.position is None or not matches:
            return matches
        return matches[:1] if self.position == "first" else matches[-1:]

    def _stop(self, inputs: Inputs) -> int:
        if self.scope != "before_window":
            return inputs.snapshot.exchange_count
        if inputs.window is None:
            raise SpecError(
                "before_window needs a window: the spec has no C.window",
                where=repr(self),
                fix="C.window(n=5) + C.select(scope='before_window')",
            )
        return inputs.window


def _rarity(attribute: tuple[str, str]) -> int:
    """Ascending, the more events have one: what has a tag is told apart by it."""
    return ("tag", "type", "author", "role").index(attribute[0])


def _has_all(
    positions: Iterable[int], wanted: Iterable[tuple[str, str]], snapshot: Snapshot
) -> set[int]:
    """Those of the positions whose events have all of the attributes."""
    having = set(positions)
    for name, value in wanted:
        having = snapshot.holding(name, value, having)
    return having


def _ids(blocks: list[Block], wanted: dict[str, str], snapshot: Snapshot) -> set[str]:
    """The ids of the blocks' events that have all of the attributes."""
    ids = [id for block in blocks if block.order >= 0 for id in block.lineage]
    at = zip(map(snapshot.log.position_of, ids), ids, strict=True)
    places = {position: id for position, id in at if position is not None}
    return {places[position] for position in _has_all(places, wanted.items(), snapshot)}
