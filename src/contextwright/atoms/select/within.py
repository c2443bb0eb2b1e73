"""`C.within(...)`: the best of what is known for a question, in so many tokens
(context-packs.md#memory)."""

from collections.abc import Mapping
from typing import Any, ClassVar

from contextwright.atoms.select.from_state import plain_text
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import Ref
from contextwright.errors import SpecError
from contextwright.retrieval.item import Item
from contextwright.retrieval.token_budget import Ranking
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.spec.traits import Gives, Traits
from contextwright.tasks.plan_step import PASSAGES
from contextwright.tasks.scores import query_of


class Within(Atom, frozen=True, kw_only=True):
    """What the engine's retrievers know that helps with the step and the user's last words, in
    reading order, the best that fits: whole texts, and one excerpt at most.

    The room is that of the texts as the request has them, what stands around each included. A
    line of talk brings its neighbours, a session's date is said once (`retrieval.within`).

    They are what the state key holds: an engine with retrievers fills it before the turn, an
    application may do so itself. An entry is a text, or an object with `text` and, where known,
    `id`, `rank` (0 is the best), `kind`, `role` and `thread`, as an `Item` has them.

    Args:
        max_tokens: of all of them together.
        key: state key of the entries.
    """

    word: ClassVar[str] = "within"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT
    positional: ClassVar[int] = 1
    ranges: ClassVar[Ranges] = {"max_tokens": ValueRange(256, 16_000)}

    max_tokens: int
    key: str = PASSAGES

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise SpecError(
                f"max_tokens is {self.max_tokens}", where=repr(self), fix="give a positive number"
            )

    @property
    def traits(self) -> Traits:
        """Retrievers fill its key."""
        return Traits(gives=Gives.OFTEN_NOTHING, packs={self.key: self.max_tokens})

    def bring(self, inputs: Inputs) -> Blocks:
        """A block for each text that fits."""
        value = inputs.snapshot.state.get(self.key)
        entries = _entries(value)
        if value is None:
            inputs.notes.append(f"{self!r} finds nothing: the state has no {self.key!r}")
        items = [_item(entry, place) for place, entry in enumerate(entries)]
        ranks = [_rank(entry, place) for place, entry in enumerate(entries)]
        order = sorted(range(len(items)), key=lambda place: (ranks[place], place))

        # texts that stand together share one section, and a line of it each
        room = self.max_tokens - inputs.markers((self._block("", ""),))

        def cost(text: str) -> int:
            return inputs.cost(self._block("", text))

        packed = Ranking(items, query_of(inputs), order).packed(room, cost)
        if len(packed) < len(items):
            inputs.notes.append(
                f"{self!r}: {len(items) - len(packed)} of {len(items)} that were found did not fit"
            )
        return tuple(self._block(item.id, item.text) for item in packed)

    def _block(self, id: str, text: str) -> Block:
        return Block(
            id=f"within:{id}",
            source="within",
            layer=Layer.MEMORY,
            text=text,
            cache=CacheClass.DYNAMIC,
            ref=str(Ref("state", self.key)),
            lineage=(id,),
        )


def _entries(value: Any) -> list[Mapping[str, Any]]:
    listed: Any = value if isinstance(value, (list, tuple)) else [value] if value else []
    entries = [entry if isinstance(entry, Mapping) else {"text": entry} for entry in listed]
    return [entry for entry in entries if plain_text(entry.get("text", "")).strip()]


def _item(entry: Mapping[str, Any], place: int) -> Item:
    """An entry as retrieval has it; one that says no id is named by its place."""
    id = entry.get("id")
    kind, role, thread = (plain_text(entry.get(key, "")) for key in ("kind", "role", "thread"))
    text = plain_text(entry["text"])
    return Item(str(place if id is None else id), text, kind or "passage", role, thread)


def _rank(entry: Mapping[str, Any], place: int) -> int:
    rank = entry.get("rank")
    return rank if isinstance(rank, int) and not isinstance(rank, bool) else place
