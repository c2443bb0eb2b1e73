"""`C.select(...)`: exchanges by what their events are (context-algebra.md#attributes)."""

from typing import ClassVar, Literal, TypeVar

from contextwright.blocks.block import Block, Blocks
from contextwright.errors import SpecError
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits

T = TypeVar("T")
EventType = Literal[
    "text", "tool_call", "tool_result", "image", "file", "thinking", "opaque", "summary"
]


class Select(Atom, frozen=True, kw_only=True):
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
        """One exchange, or all that match."""
        return Traits(bounded=self.position is not None, role=self.role or "")

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
        """The exchanges of the whole log that match."""
        snapshot = inputs.snapshot
        stop = self._stop(inputs)
        wanted = self.wanted
        if len(wanted) == 1:
            ((name, value),) = wanted.items()
            exchanges = snapshot.exchanges_with(name, value, snapshot.preamble, stop)
        elif wanted:
            exchanges = snapshot.exchanges_of(_matching(snapshot, wanted))
            exchanges = [e for e in exchanges if snapshot.preamble <= e.index < stop]
        elif self.position is None and not self.not_authors:
            return inputs.until(stop, self.label)
        else:
            exchanges = snapshot.exchanges(snapshot.preamble, stop)
        if self.not_authors:
            left_out = set(self.not_authors)
            exchanges = [e for e in exchanges if e.first.speaker not in left_out]
        return inputs.blocks(self._placed(exchanges), self.label)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks among those that came that match."""
        stop = self._stop(inputs)
        ids = _ids(inputs.snapshot, self.wanted) if self.wanted else None
        matches = [
            block
            for block in blocks
            if (block.order < 0 and not self.wanted)
            or (block.order >= 0 and block.order < stop and self._fits(block, ids))
        ]
        return inputs.protection.with_protected(blocks, tuple(self._placed(matches)))

    def _fits(self, block: Block, ids: set[str] | None) -> bool:
        if block.author in self.not_authors:
            return False
        return ids is None or any(id in ids for id in block.lineage)

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


def _matching(snapshot: Snapshot, wanted: dict[str, str]) -> list[int]:
    """Positions of the events that have all of the attributes; the rarest narrows first."""
    by_rarity = sorted((snapshot.positions(name, value) for name, value in wanted.items()), key=len)
    rest = [set(positions) for positions in by_rarity[1:]]
    return [position for position in by_rarity[0] if all(position in other for other in rest)]


def _ids(snapshot: Snapshot, wanted: dict[str, str]) -> set[str]:
    return {snapshot.log[position].id for position in _matching(snapshot, wanted)}
