"""What earlier compiles of a session worked out."""

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import compress, count, repeat
from operator import is_
from sys import getsizeof
from typing import TypeVar

from contextwright.blocks.block import Block, Blocks, Message
from contextwright.blocks.of_exchange import block_of
from contextwright.forked_process import renewed_in_a_fork
from contextwright.memo.owned_tables import Tables
from contextwright.memo.sizes import bytes_of, measured_by
from contextwright.session.exchange import Exchange
from contextwright.spec.growing import GrowingMap

LONG = 64
"""Items from which on it pays to look how far a sequence begins as it did before."""

K = TypeVar("K")
T = TypeVar("T")


class Memo(Tables):
    """What was worked out for a block before, by atom. Only saves time: a result is the same
    with an empty one.

    Attributes:
        lock: held by the compile that uses it: compiles of one session take turns.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.RLock()
        renewed_in_a_fork(self)

    def renew(self) -> None:
        """Remember nothing, in a forked process: a compile of another thread holds the lock there,
        and left what it was at half done."""
        self.lock = threading.RLock()
        self.start_anew()
        self._scopes.clear()

    def start_anew(self) -> None:
        """Remember nothing of before, as for another session; in front of a compile, that is, which
        looks up what it goes by as it goes."""
        self.tables.clear()
        self._passing.clear()
        self._due.clear()

    def block(self, exchange: Exchange) -> Block:
        """The raw block of an exchange."""
        return self.table("raw").remembered(exchange, self._new_block)

    def blocks(self, exchanges: list[Exchange]) -> Blocks:
        """The raw blocks of exchanges."""
        if len(exchanges) < LONG:
            return self._made("raw", self._new_block, exchanges)
        return self._grown("raw", tuple(exchanges), partial(self._made, "raw", self._new_block))

    def _new_block(self, exchange: Exchange) -> Block:
        """The block of an exchange, in place of that of the exchange as it was before."""
        newest = self.table("newest")
        before = newest.get(exchange.index)
        if before is not None:
            self.table("raw").pop(before, None)
        newest[exchange.index] = exchange
        return block_of(exchange)

    def map(self, key: object, blocks: Blocks, make: Callable[[Block], T]) -> tuple[T, ...]:
        """What is made of every block, from memory where it was made before.

        `key` must hold everything that `make` depends on beside the block.
        """
        if len(blocks) < LONG:
            return self._made(key, make, blocks)
        return self._grown(key, blocks, partial(self._made, key, make))

    def each(self, key: object, items: Sequence[K], make: Callable[[K], T]) -> tuple[T, ...]:
        """As `map`, of anything, where it is known how far it begins as the last time; what the
        next requests do not ask for is forgotten soon."""
        self.table(key, brief=True)
        return self._made(key, make, items)

    def column(self, key: object, blocks: Blocks, read: Callable[[Block], T]) -> tuple[T, ...]:
        """As `map`, of what takes no longer to read from a block than to look up."""
        if len(blocks) < LONG:
            return tuple(map(read, blocks))
        return self._grown(("column", key), blocks, partial(map, read))

    def _grown(
        self, key: object, items: tuple[K, ...], make: Callable[[tuple[K, ...]], Iterable[T]]
    ) -> tuple[T, ...]:
        """What is made of many items, asked for those that are others than the last time alone."""
        with self.growing(("map", key), GrowingMap) as grown:
            return grown.of(items, make)

    def _made(self, key: object, make: Callable[[K], T], keys: Sequence[K]) -> tuple[T, ...]:
        table = self.table(key)
        made = list(map(table.get, keys))
        if None in made:
            for place in compress(count(), map(is_, made, repeat(None))):
                made[place] = table.remembered(keys[place], make)
        return tuple(made)  # pyright: ignore[reportReturnType]


def _block_bytes(block: Block) -> int:
    """A block, and what it says in other words than the log."""
    texts = getsizeof(block.text) if block.text else 0
    return (
        getsizeof(block)
        + texts
        + getsizeof(block.lineage)
        + sum(getsizeof(one) if one.whole else _message_bytes(one) for one in block.messages)
    )


def _message_bytes(message: Message) -> int:
    return getsizeof(message) + sum(map(bytes_of, message.parts))


measured_by(Block, _block_bytes)
measured_by(Exchange, getsizeof)
