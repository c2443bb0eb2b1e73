"""What shortening the exchanges of a log saves, kept with its session: whether all of it together
is worth it is told without a look at each."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable

from contextwright.atoms.followed_log import FollowedLog
from contextwright.blocks.block import Block
from contextwright.spec.inputs import Inputs


class LoggedGains(FollowedLog):
    """Tokens that a word saves of each settled exchange, if nothing but its own words holds it."""

    def _begin(self) -> None:
        super()._begin()
        self._places = array("q")  # the exchanges of which it saves anything
        self._sums = array("q", [0])

    @property
    def held_bytes(self) -> int:
        """What they take."""
        return self._places.itemsize * (len(self._places) + len(self._sums))

    def saved(
        self, stop: int, held: Iterable[int], gain_of: Callable[[Block], int], inputs: Inputs
    ) -> int:
        """Tokens that are saved of the settled exchanges in front of one.

        Args:
            stop: that one. held: those that stay as they are now. gain_of: what is saved of one.
        """
        for block in self.settled_since(inputs):
            if gain := gain_of(block):
                self._places.append(block.order)
                self._sums.append(self._sums[-1] + gain)
        count = bisect_left(self._places, stop)
        return self._sums[count] - sum(self._of(at) for at in {*held} if at < stop)

    def _of(self, exchange: int) -> int:
        at = bisect_left(self._places, exchange)
        is_known = at < len(self._places) and self._places[at] == exchange
        return self._sums[at + 1] - self._sums[at] if is_known else 0
