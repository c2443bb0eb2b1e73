"""Blocks that somebody may read, each made when it is read: of a long conversation whose ends alone
are read the others are made by nobody."""

from collections.abc import Callable, Sequence
from typing import overload

from contextwright.blocks.block import Block, Blocks

PAGE = 32
"""Blocks that are made at once."""


class LazyBlocks(Sequence[Block]):
    """So many blocks, made in pages, each page once.

    Args:
        size: how many they are. between: makes those from one place up to another.
    """

    def __init__(self, size: int, between: Callable[[int, int], Blocks]) -> None:
        self._size, self._between = size, between
        self._pages: dict[int, Blocks] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> Blocks: ...
    def __getitem__(self, index: int | slice) -> Block | Blocks:
        places = range(self._size)[index]
        return self._at(places) if isinstance(places, int) else tuple(map(self._at, places))

    def _at(self, place: int) -> Block:
        page = place // PAGE
        if page not in self._pages:
            start = page * PAGE
            self._pages[page] = self._between(start, min(self._size, start + PAGE))
        return self._pages[page][place % PAGE]
