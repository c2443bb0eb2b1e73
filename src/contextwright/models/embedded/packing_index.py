"""Blocks as items of an index, kept from question to question: what is new is put in, and the
others are not taken apart again."""

from contextwright.blocks.block import Block
from contextwright.blocks.transcript import transcript
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.spec.growing import Growing

ITEM, CHARACTER = 500, 6
"""Bytes of an item, and for each character of its text, of which words are made, about."""


class PackingIndex(Growing[Block]):
    """The items of a sequence of blocks, in their order, and an index of them."""

    def __init__(self) -> None:
        super().__init__()
        self.index = Index()
        self.items: list[Item] = []
        self._new: list[Item] = []
        self._characters = 0

    @property
    def held_bytes(self) -> int:
        """About what it takes."""
        return ITEM * len(self.items) + CHARACTER * self._characters

    def follow(self, items: tuple[Block, ...]) -> None:
        """Bring it up to date with the blocks as they are now."""
        super().follow(items)
        self.index.add(self._new)
        self._new = []

    def append(self, item: Block) -> None:
        """One more block, which is put in with all that are new."""
        made = item_of(len(self.items), item)
        self.items.append(made)
        self._new.append(made)
        self._characters += len(made.text)

    def pop(self, item: Block) -> None:
        """Without the last block."""
        last = self.items.pop()
        self.index.remove([last.id])
        self._characters -= len(last.text)


def item_of(place: int, block: Block) -> Item:
    """A block as an item; it is told by its place."""
    is_turn = block.turn >= 0
    return Item(
        id=f"{place:08}",
        text=transcript(block),
        kind="turn" if is_turn else "memory",
        role=(block.author or block.role) if is_turn else "",
        thread="log" if is_turn else "",
    )
