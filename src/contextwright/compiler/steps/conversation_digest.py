"""What names the content of a conversation, and costs what is new."""

from hashlib import sha256
from itertools import groupby

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.spec.inputs import Inputs

_encode = msgspec.json.Encoder().encode


class ConversationDigest:
    """Names what exchanges say. One that stands as the log has it is named by its place, and all
    of them by the log's own digest; any other by its content."""

    def __init__(self) -> None:
        self._place = 0
        self._position = 0
        self._hash = sha256()

    def before(self, blocks: Blocks, stop: int, inputs: Inputs) -> str:
        """The digest of the exchanges before `stop`. Only what came since the last one is looked
        at; what stands before it is the same, or `forget` was called."""
        if stop < self._place:
            self.forget(0)
        new = blocks[self._place : stop]
        for source, group in groupby(new, key=lambda block: block.source):
            self._add(tuple(group), source, inputs)
        self._place = stop
        whole = self._hash.copy()
        whole.update(inputs.snapshot.log.digest(self._position).encode())
        return whole.hexdigest()

    def forget(self, start: int) -> None:
        """The conversation is another one from `start` on."""
        if start < self._place:
            self._place, self._position, self._hash = 0, 0, sha256()

    def _add(self, blocks: Blocks, source: str, inputs: Inputs) -> None:
        orders = [block.order for block in blocks if block.order >= 0]
        start = min(orders, default=0)
        exchanges = inputs.snapshot.exchanges(start, max(orders, default=-1) + 1)
        raw = inputs.blocks(exchanges, source)
        for block in blocks:
            place = block.order - start
            if block.order < 0 or place >= len(exchanges):
                self._hash.update(_digest(block))
                continue
            exchange = exchanges[place]
            self._position = max(self._position, exchange.positions[-1] + 1)
            if raw[place] is block or raw[place] == block:
                self._hash.update(f"{block.order} {source} {exchange.mark}\n".encode())
            else:
                self._hash.update(_digest(block))


def _digest(block: Block) -> bytes:
    return sha256(_encode(block)).digest()
