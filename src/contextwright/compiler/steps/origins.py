"""Where the steps of a conversation begin anew: what was decided before such a place decides
nothing behind it, so a first compile begins at the newest."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence

from contextwright.blocks.block import Block
from contextwright.compiler.mapped_log import is_redacted
from contextwright.compiler.token_sums import SOURCE
from contextwright.spec.inputs import Inputs

SPACES = 8
"""Times its space that a conversation grows by until its steps begin anew: some ten steps, of
which one is taken about half a step too early. With 16, recorded sessions are billed the same to
half a percent, and a first compile takes twice the steps."""
SHORTENED = 16
"""The same where words shorten a conversation before a limit is given it: what it takes as it came
is some two or three times what they leave of it."""
STRETCH, FEWEST = 128_000, 4
"""Tokens by which a conversation grows at most until then, unless they are fewer than so many times
its space. A note tells of a thousand exchanges at most: what a large limit remembers beyond that is
read for nothing."""


def stretch(space: int, inputs: Inputs) -> int:
    """Tokens by which a conversation grows until its steps begin anew, as it comes.

    Args:
        space: what exchanges and note may have together.
    """
    spaces = SHORTENED if inputs.goes_by_log and not is_redacted(inputs) else SPACES
    return max(min(spaces, FEWEST) * space, min(spaces * space, STRETCH))


def logged_cost(inputs: Inputs) -> Callable[[Block], int]:
    """Tokens of an exchange by which is told where steps begin anew: behind words, those that the
    log tells, but for the task, which may stand shortened."""
    if not inputs.goes_by_log:
        return inputs.cost
    snapshot, task = inputs.snapshot, inputs.protection.task

    def cost(block: Block) -> int:
        if block.order < snapshot.preamble or block.order == task:
            return inputs.cost(block)
        exchanges = snapshot.exchanges(block.order, block.order + 1)
        return sum(map(inputs.cost, inputs.blocks(exchanges, SOURCE)))

    return cost


class Origins:
    """Places up to which exchanges have taken more than a `stretch` since the one before, each in
    front of a message of the assistant, and what turns have taken since. They follow from the
    exchanges as they came, not from what steps, or words in front of them, made of them. They grow
    with a conversation.

    Attributes:
        goes_on: whether steps did not begin anew at the newest.
    """

    def __init__(self) -> None:
        self._places: list[int] = []
        self._first = 0  # the first exchange that is summed
        self._are_logged = False
        self._sums = array("q", [0])  # of tokens, since the origin before the first
        self._turns = array("q", [0])  # how many began, since then
        self._longer: dict[int, bool] = {}  # place -> whether steps begin anew there
        self.goes_on = False

    @property
    def held_bytes(self) -> int:
        """About what they hold."""
        return 2 * self._sums.itemsize * len(self._sums)

    @property
    def has_begun(self) -> bool:
        """Whether anything was summed."""
        return self._first > 0 or len(self._sums) > 1

    def reaches(self, place: int) -> bool:
        """Whether they tell of a request that ends there."""
        return self._are_logged or place >= self._first

    def begin(
        self,
        place: int,
        origin: int,
        before: int,
        passed: int,
        turns: int,
        *,
        are_logged: bool = False,
    ) -> None:
        """Go on behind the exchanges before `place`, which nobody looked at.

        Args:
            origin: the newest of them; before: the one in front of it. passed: tokens of the
                exchanges since; turns: how many turns began since.
            are_logged: whether the log told them, not what was saved of some conversation.
        """
        self._are_logged = are_logged
        self._places = [before, origin] if before else [origin]
        self._first = place
        self._sums, self._turns = array("q", [passed]), array("q", [turns])

    def forget(self, start: int) -> None:
        """The conversation is another one from `start` on."""
        self._longer = {at: one for at, one in self._longer.items() if at <= start}
        count = bisect_left(self._places, start)
        if start < self._first or (
            count < len(self._places) and self._places[count] <= self._first
        ):
            self.__init__()
            return
        del self._places[count:]
        del self._sums[start - self._first + 1 :], self._turns[start - self._first + 1 :]

    def newest(self, blocks: Sequence[Block], stop: int, space: int, inputs: Inputs) -> int:
        """The newest origin of a request with the exchanges before `stop`; 0 before the first.
        Where words leave of what came since the one before no more than there is room for, steps
        go on.

        Args:
            space: what exchanges and note may have together.
        """
        origin = newest = self._newest(blocks, stop, stretch(space, inputs), logged_cost(inputs))
        while origin and inputs.goes_by_log and not self._is_long(blocks, origin, space, inputs):
            origin = self.before(origin)
        self.goes_on = origin != newest
        return origin

    def _is_long(self, blocks: Sequence[Block], origin: int, space: int, inputs: Inputs) -> bool:
        """Whether what came up to a place since the one before is longer than there is room for."""
        if origin not in self._longer:
            came = blocks[self.before(origin) : origin]
            self._longer[origin] = sum(map(inputs.cost, came)) > space
        return self._longer[origin]

    def _newest(
        self, blocks: Sequence[Block], stop: int, most: int, cost: Callable[[Block], int]
    ) -> int:
        sums = self._sums
        origin = self._places[-1] if self._places else 0
        start = self._first + len(sums) - 1
        for place, block in enumerate(blocks[start:stop], start):
            role = block.role
            if role == "assistant" and self.passed(origin, place) > most:
                self._places.append(origin := place)
            sums.append(sums[-1] + cost(block))
            self._turns.append(self._turns[-1] + block.by_user)
        origin = self.before(stop + 1)  # what was saved may end with one
        return stop if self.passed(origin, stop) > most else origin

    def before(self, origin: int) -> int:
        """The origin in front of one; 0 before the first."""
        at = bisect_left(self._places, origin)
        return self._places[at - 1] if at else 0

    def passed(self, origin: int, stop: int) -> int:
        """Tokens of the exchanges from an origin to `stop`."""
        return self._since(self._sums, origin, stop)

    def turns(self, origin: int, stop: int) -> int:
        """How many turns began from an origin to `stop`."""
        return self._since(self._turns, origin, stop)

    def _since(self, sums: "array[int]", origin: int, stop: int) -> int:
        before = sums[origin - self._first] if origin >= self._first else 0
        return sums[stop - self._first] - before
