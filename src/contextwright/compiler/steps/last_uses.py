"""Exchanges in the order of their last use, of which those are found that have room."""

from bisect import bisect_left, bisect_right

import msgspec

from contextwright.blocks.block import Block
from contextwright.compiler.steps.exchange_features import about, ids_in
from contextwright.compiler.steps.size_row import SizeRow

PLACE, NAME_BYTES, SLOT = 600, 300, 64
"""Bytes of an exchange, of a name, and of one among an exchange's, about."""
Rank = tuple[int, int, int]
"""An exchange's place in the order: minus where it was used last; how many exchanges the name may
mean by which it was, the rarest of several; and where it stands."""


class Sizes(msgspec.Struct, eq=False):
    """What exchanges need of a note, in one way to tell them, as far as it was looked at.

    Args:
        known: tokens of each exchange; 0 where nobody looked yet.
        used: for each exchange, the least that any exchange needs that was used last there; it
            may be too low.
        named: for a name, the tokens of the exchanges that it may mean, in their order.
    """

    known: list[int]
    used: SizeRow
    named: dict[str, SizeRow]


class LastUses:
    """Where each exchange was used last: a later call named what it was about, or an identifier
    that it gave; where it stands, if none did. Grows with a conversation.

    A name that is used again takes all exchanges that it may mean with it. So these are kept by
    name, and an exchange is found through the name of it that was used last: a use costs what
    the exchange that uses says, not what uses it has.

    Args:
        first: the first exchange that is known; older ones count as never used again.
    """

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self._names: list[frozenset[str]] = []  # by what a later exchange may use each
        self._says: list[tuple[str, ...]] = []  # what the calls of each say, each name once
        self._slots = 0  # names of all exchanges
        self._named: dict[str, list[int]] = {}  # name -> exchanges that it may mean
        self._used: dict[str, list[int]] = {}  # name -> exchanges whose calls say it
        self._last: dict[str, int] = {}  # name -> the last of them
        self._sizes: dict[str, Sizes] = {}

    @property
    def stop(self) -> int:
        """The exchange behind the last that is known."""
        return self.first + len(self._names)

    @property
    def held_bytes(self) -> int:
        """About what it holds."""
        return PLACE * len(self._names) + NAME_BYTES * len(self._named) + SLOT * self._slots

    def append(self, block: Block) -> None:
        """Add the next exchange."""
        at = self.stop
        names, says = _names(block), tuple(dict.fromkeys(about(block)))
        self._names.append(names)
        self._says.append(says)
        self._slots += len(names) + len(says)
        for name in names:
            self._named.setdefault(name, []).append(at)
        for name in says:
            self._used.setdefault(name, []).append(at)
            self._last[name] = at
        for sizes in self._sizes.values():
            sizes.known.append(0)
            sizes.used.append(0)

    def truncate(self, start: int) -> None:
        """Forget the exchanges from `start` on."""
        left = max(0, start - self.first)
        for place in range(len(self._names) - 1, left - 1, -1):
            for name in self._names[place]:
                self._pop(name)
            for name in self._says[place]:
                self._unuse(name)
            self._slots -= len(self._names[place]) + len(self._says[place])
        del self._names[left:], self._says[left:]
        for sizes in self._sizes.values():
            del sizes.known[left:]
            sizes.used.truncate(min(left, len(sizes.used)))

    def _unuse(self, name: str) -> None:
        places = self._used[name]
        places.pop()
        if not places:
            del self._used[name], self._last[name]
            return
        self._last[name] = places[-1]
        for sizes in self._sizes.values():
            sizes.used[places[-1] - self.first] = 0

    def _pop(self, name: str) -> None:
        places = self._named[name]
        places.pop()
        for sizes in self._sizes.values():
            row = sizes.named.get(name)
            if row is not None and len(row) > len(places):
                row.truncate(len(places))
        if not places:
            del self._named[name]

    def sizes(self, measure: str) -> Sizes:
        """What is known of the tokens that exchanges need, told in one way."""
        sizes = self._sizes.get(measure)
        if sizes is None:
            sizes = self._sizes[measure] = Sizes([], SizeRow(), {})
            for _ in self._names:
                sizes.known.append(0)
                sizes.used.append(0)
        return sizes

    def forget_sizes(self, measure: str) -> None:
        """Look at all of them again."""
        self._sizes.pop(measure, None)

    def last_use(self, at: int) -> int:
        """Where an exchange was used last."""
        names = self._names[at - self.first] if at >= self.first else ()
        if not names:
            return at
        last = self._last
        return max([at, *map(last.__getitem__, last.keys() & names)])

    def rank(self, at: int) -> Rank:
        """An exchange's place in the order."""
        used = self.last_use(at)
        return -used, self._rarity(at, used), at

    def _rarity(self, at: int, used: int) -> int:
        names, last = self._names[at - self.first] if at >= self.first else (), self._last
        counts = (len(self._named[name]) for name in last.keys() & names if last[name] == used)
        return min(counts, default=0)

    def following(self, sizes: Sizes, rank: Rank | None, most: int) -> Rank | None:
        """The next one in the order, behind `rank`, that may need at most `most` tokens."""
        rarity, start, first = 0, 0, self.first
        if rank is None:
            used = first + sizes.used.preceding(len(self._names), most)
        else:
            used, rarity, start = -rank[0], rank[1], rank[2] + 1
        while used >= first:
            names = self._names_used(used)
            for count in self._counts(names, rarity):
                rarest = [name for name in names if len(self._named[name]) == count]
                at = self._next_used(sizes, (used, count, start), rarest, most)
                if at is not None:
                    return -used, count, at
                start = 0
            least = (self._row(sizes, name, used).least(self._meant(name, used)) for name in names)
            sizes.used[used - first] = min([sizes.known[used - first], *least])
            used = first + sizes.used.preceding(used - first, most)
            rarity = start = 0
        return None

    def tokens(self, sizes: Sizes, at: int) -> int:
        """What an exchange needs; 0 where nobody looked yet."""
        return sizes.known[at - self.first]

    def learn(self, sizes: Sizes, rank: Rank, tokens: int) -> None:
        """An exchange needs so many tokens."""
        used, at = -rank[0], rank[2]
        sizes.known[at - self.first] = tokens
        for name in self._names_used(used):
            place = bisect_left(self._named[name], at)
            row = self._row(sizes, name, used)
            if place < len(row) and self._named[name][place] == at:
                row[place] = tokens

    def _counts(self, names: list[str], least: int) -> list[int]:
        """How many exchanges these names may mean each, from `least` on; 0 where there is none."""
        counts = {len(self._named[name]) for name in names} or {0}
        return sorted(count for count in counts if count >= least)

    def _next_used(self, sizes: Sizes, start: Rank, names: list[str], most: int) -> int | None:
        """The first exchange from `start` on of those that `names` meant when they were used."""
        used, rarity, place = start
        if not names:
            fits = place <= used and sizes.known[used - self.first] <= most
            return used if fits and self.last_use(used) == used else None
        while True:
            places = [self._next_meant(sizes, name, used, place, most) for name in names]
            at = min((place for place in places if place is not None), default=None)
            if at is None or self.rank(at) == (-used, rarity, at):
                return at
            place = at + 1

    def _next_meant(self, sizes: Sizes, name: str, used: int, start: int, most: int) -> int | None:
        """The first exchange from `start` on that a name meant when it was used."""
        meant, count = self._named[name], self._meant(name, used)
        row = self._row(sizes, name, used)
        place = bisect_left(meant, start)
        while (place := row.following(place, most)) >= 0 and place < count:
            at = meant[place]
            tokens = sizes.known[at - self.first]
            if tokens <= most:
                return at
            row[place] = tokens
        return None

    def _row(self, sizes: Sizes, name: str, used: int) -> SizeRow:
        """Tokens of the exchanges that a name may have meant when it was used."""
        meant, row = self._named[name], sizes.named.setdefault(name, SizeRow())
        while len(row) < self._meant(name, used):
            row.append(sizes.known[meant[len(row)] - self.first])
        return row

    def _meant(self, name: str, used: int) -> int:
        """How many exchanges a name may have meant when it was used."""
        return bisect_right(self._named[name], used)

    def _names_used(self, used: int) -> list[str]:
        """The names that were used last by an exchange."""
        last = self._last
        return [name for name in self._says[used - self.first] if last[name] == used]


def _names(block: Block) -> frozenset[str]:
    """By what a later call may use an exchange: what it was about, identifiers that it gave."""
    return frozenset(about(block)).union(*(ids_in(one.text) for one in block.results))
