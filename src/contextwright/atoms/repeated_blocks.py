"""Which blocks of a sequence say what another one says, brought up to date by what is new."""

from collections.abc import Callable, Iterator

from contextwright.blocks.block import Block
from contextwright.spec.growing import Growing


class RepeatedTexts(Growing[Block]):
    """Blocks by what they say.

    Args:
        key_of: equal for blocks that say the same.
    """

    def __init__(self, key_of: Callable[[Block], str]) -> None:
        super().__init__()
        self._key_of = key_of
        self._count = 0
        self._first: dict[str, int] = {}
        self._again: dict[str, list[int]] = {}

    def append(self, item: Block) -> None:
        """One more block, at the end."""
        key = self._key_of(item)
        if self._first.setdefault(key, self._count) != self._count:
            self._again.setdefault(key, []).append(self._count)
        self._count += 1

    def pop(self, item: Block) -> None:
        """Without the last block."""
        key = self._key_of(item)
        again = self._again.get(key)
        if again is None:
            del self._first[key]
        else:
            again.pop()
            if not again:
                del self._again[key]
        self._count -= 1

    def groups(self) -> Iterator[list[int]]:
        """The places of blocks that say the same, the first of them first."""
        for key, again in self._again.items():
            yield [self._first[key], *again]


class RepeatedCalls(Growing[Block]):
    """Blocks by the calls that they hold.

    Args:
        calls_of: names of a block's calls, equal for equal calls.
    """

    def __init__(self, calls_of: Callable[[Block], tuple[str, ...]]) -> None:
        super().__init__()
        self._calls_of = calls_of
        self._calls: list[tuple[str, ...]] = []
        self._failed: list[bool] = []
        self._holders: dict[str, list[int]] = {}  # call -> places
        self._good: dict[str, list[int]] = {}  # call -> places where it did not fail
        self.superseded: set[int] = set()
        """Places of the blocks that failed, or whose every call was made again later and did not
        fail."""

    def append(self, item: Block) -> None:
        """One more block, at the end."""
        place, calls = len(self._calls), tuple(dict.fromkeys(self._calls_of(item)))
        self._calls.append(calls)
        self._failed.append(item.failed)
        if item.failed:
            self.superseded.add(place)
        for call in calls:
            if not item.failed:
                before = self._newest(call)
                self._good.setdefault(call, []).append(place)
                self._judge_since(call, before)
            self._holders.setdefault(call, []).append(place)

    def pop(self, item: Block) -> None:
        """Without the last block."""
        place, calls = len(self._calls) - 1, self._calls.pop()
        self._failed.pop()
        self.superseded.discard(place)
        for call in calls:
            _pop(self._holders, call)
            if not item.failed:
                _pop(self._good, call)
        if not item.failed:
            for call in calls:
                self._judge_since(call, self._newest(call))

    def _newest(self, call: str) -> int:
        good = self._good.get(call)
        return good[-1] if good else -1

    def _judge_since(self, call: str, first: int) -> None:
        """Judge anew those that hold a call from a place on: of those before, it was made again."""
        for place in reversed(self._holders.get(call, ())):
            if place < first:
                break
            if self._failed[place]:
                continue
            if all(self._newest(one) > place for one in self._calls[place]):
                self.superseded.add(place)
            else:
                self.superseded.discard(place)


def _pop(places: dict[str, list[int]], call: str) -> None:
    places[call].pop()
    if not places[call]:
        del places[call]
