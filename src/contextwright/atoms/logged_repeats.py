"""What the exchanges of a log say and call, kept with its session: whether one says what an earlier
one did is told without a look at that."""

from bisect import bisect_left
from collections.abc import Callable

from contextwright.atoms.followed_log import FollowedLog
from contextwright.blocks.block import Block
from contextwright.blocks.protection import reason_of_its_own, whole_of_its_own
from contextwright.spec.inputs import Inputs

Calls = tuple[str, ...]
EXCHANGE = 400
"""Bytes of an exchange's places, about."""


class LoggedRepeats(FollowedLog):
    """The settled exchanges of a log by what they say and call. They grow at their end; a result
    that comes late begins them anew."""

    def _begin(self) -> None:
        super()._begin()
        self._first: dict[str, int] = {}
        self._held: dict[str, int] = {}  # the first that something of its own holds
        self._good: dict[str, dict[Calls, list[int]]] = {}  # those that did not fail
        self._called: dict[str, int] = {}  # call -> the last that made it and did not fail

    @property
    def held_bytes(self) -> int:
        """About what they take."""
        return EXCHANGE * self._stop

    def follow(
        self, inputs: Inputs, key_of: Callable[[Block], str], calls_of: Callable[[Block], Calls]
    ) -> None:
        """Take in the exchanges that have settled.

        Args:
            key_of: equal for exchanges that say the same.
            calls_of: names of an exchange's calls, equal for equal calls.
        """
        self._key_of, self._calls_of = key_of, calls_of
        for block in self.settled_since(inputs):
            self._append(block)

    def _append(self, block: Block) -> None:
        key, at = self._key_of(block), block.order
        self._first.setdefault(key, at)
        if has_own_reason(block):
            self._held.setdefault(key, at)
        if block.failed:
            return
        calls = self._calls_of(block)
        self._good.setdefault(key, {}).setdefault(calls, []).append(at)
        self._called.update(dict.fromkeys(calls, at))

    def is_said(self, block: Block) -> bool:
        """Whether an earlier exchange says the same."""
        return self._first.get(self._key_of(block), block.order) < block.order

    def is_told(self, block: Block, called: dict[str, int], held: dict[str, int]) -> bool:
        """Whether an earlier one says the same that no later call stands for.

        Args:
            called: of calls that were made since, the last exchange that did.
            held: by key, the first exchange that is protected.
        """
        key, at = self._key_of(block), block.order
        if min(self._held.get(key, at), held.get(key, at)) < at:
            return True
        for calls, places in self._good.get(key, {}).items():
            place = bisect_left(places, self._made_until(calls, called)) if calls else 0
            if place < len(places) and places[place] < at:
                return True
        return False

    def is_superseded(self, block: Block, called: dict[str, int]) -> bool:
        """Whether it failed, or each of its calls was made again later. `called` as above."""
        calls = self._calls_of(block)
        return block.failed or bool(calls and self._made_until(calls, called) > block.order)

    def _made_until(self, calls: Calls, called: dict[str, int]) -> int:
        """The exchange up to which each of these was made again."""
        return min(max(called.get(one, -1), self._called.get(one, -1)) for one in calls)


def has_own_reason(block: Block) -> bool:
    """Whether something of its own keeps a block from being left out, or from being changed."""
    return bool(whole_of_its_own(block) or reason_of_its_own(block))
