"""What names the content of a conversation, and costs what is new."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter

import msgspec

from contextwright.blocks.block import Block
from contextwright.compiler.token_sums import SOURCE
from contextwright.spec.inputs import Inputs
from contextwright.spec.saved_fold import SavedPrefix

LOOSE = 4
"""Exchanges at the end that are hashed at each look: one grows by its results."""
MARKS = 32
"""Places that are kept from which hashing goes on: words shorten what is some turns old."""
_RUN, _BLOCK = itemgetter(0), itemgetter(1)
_encode = msgspec.json.Encoder().encode


class _Reached:
    """How far was hashed."""

    def __init__(self, prefix: SavedPrefix | None = None) -> None:
        self.place = prefix.place if prefix is not None else 0
        self.position = 0  # behind the events of those that stand as the log has them
        self.hash = sha256()

    def follow(self, blocks: Sequence[Block], stop: int, inputs: Inputs) -> None:
        """Hash the exchanges before `stop` too."""
        further = blocks[self.place : stop]
        # neighbours in the log: what lies between two others is not looked at
        runs = [(one.source, one.order < 0, one.order - at) for at, one in enumerate(further)]
        for (source, *_), group in groupby(zip(runs, further, strict=True), key=_RUN):
            self._add(tuple(map(_BLOCK, group)), source, inputs)
        self.place = max(self.place, stop)

    def copy(self) -> "_Reached":
        """The same, to go on from."""
        other = _Reached()
        other.place, other.position, other.hash = self.place, self.position, self.hash.copy()
        return other

    def _add(self, blocks: Sequence[Block], source: str, inputs: Inputs) -> None:
        start = blocks[0].order
        exchanges = inputs.snapshot.exchanges(start, start + len(blocks)) if start >= 0 else []
        raw = inputs.blocks(exchanges, source)
        for place, block in enumerate(blocks):
            if place >= len(exchanges):
                self.hash.update(_digest(block))
                continue
            exchange = exchanges[place]
            self.position = max(self.position, exchange.positions[-1] + 1)
            if raw[place] is block or raw[place] == block:
                self.hash.update(f"{block.order} {source} {exchange.mark}\n".encode())
            else:
                self.hash.update(_digest(block))


class ConversationDigest:
    """Names what exchanges say. One that stands as the log has it is named by its place, and all
    of them by the log's own digest; any other by its content. Of a prefix of the log nothing but
    the task is looked at: it may stand shortened."""

    def __init__(self) -> None:
        self._begin(None)

    def _begin(self, prefix: SavedPrefix | None) -> None:
        self._start = prefix.place if prefix is not None else 0
        self._marks = [_Reached(prefix)]

    def before(
        self, blocks: Sequence[Block], stop: int, inputs: Inputs, prefix: SavedPrefix | None = None
    ) -> str:
        """The digest of the exchanges before `stop`. Only what came since the last one is looked
        at, and the newest; what stands before it is the same, or `forget` was called."""
        self.forget(stop)
        if (prefix.place if prefix is not None else 0) != self._start:
            self._begin(prefix)
        if stop - LOOSE > self._marks[-1].place:
            self._marks.append(self._marks[-1].copy())
            self._marks[-1].follow(blocks, stop - LOOSE, inputs)
            del self._marks[1:-MARKS]
        newest = self._marks[-1].copy()
        newest.follow(blocks, stop, inputs)
        position = newest.position
        if prefix is not None:
            newest.hash.update(_encode((prefix, _task(blocks, prefix, inputs))))
            position = max(position, prefix.position)
        newest.hash.update(inputs.snapshot.log.digest(position).encode())
        return newest.hash.hexdigest()

    def forget(self, start: int) -> None:
        """The conversation is another one from `start` on."""
        while self._marks and self._marks[-1].place > start:
            self._marks.pop()
        if not self._marks:
            self._begin(None)


def stands_as_logged(blocks: Sequence[Block], prefix: SavedPrefix, inputs: Inputs) -> bool:
    """Whether the conversation begins with all of a prefix, each exchange but the task as the log
    has it, and as it had it then."""
    snapshot, task, place = inputs.snapshot, inputs.protection.task, prefix.place
    raw = inputs.blocks(snapshot.exchanges(snapshot.preamble, prefix.stop), SOURCE)
    return (
        len(raw) == place <= len(blocks)
        and all(index >= prefix.stop for index in snapshot.log.late_joins(prefix.joins))
        and all(
            block == logged or block.order == task == logged.order
            for block, logged in zip(blocks[:place], raw, strict=True)
        )
    )


def _task(blocks: Sequence[Block], prefix: SavedPrefix, inputs: Inputs) -> bytes:
    """The digest of the task, if it is in the prefix."""
    place = inputs.protection.task - inputs.snapshot.preamble
    return _digest(blocks[place]) if 0 <= place < prefix.place else b""


def _digest(block: Block) -> bytes:
    return sha256(_encode(block)).digest()
