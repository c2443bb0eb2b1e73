"""Where a conversation says that something is done or called off: what was asked for long before
would look as if it were still to do. It is looked through from its end, as far back as somebody
asks."""

from collections.abc import Sequence

from contextwright.blocks.block import Block
from contextwright.compiler.steps.directive_places import SPEAKERS, Words, looked_at
from contextwright.text.ends_by_word import EndsByWord
from contextwright.text.request_ends import ends_in


class LateEnds:
    """What says that something is over. Each exchange is looked at once."""

    def __init__(self) -> None:
        self._start = self._stop = 0  # between them each exchange was looked at
        self._ends = EndsByWord()

    def truncate(self, start: int) -> None:
        """Forget the exchanges from `start` on."""
        if start < self._stop:
            self._ends.truncate(start)
        self._stop = min(self._stop, start)
        self._start = min(self._start, start)

    def end_of(self, blocks: Sequence[Block], request: str, at: int, stop: int) -> int | None:
        """The newest exchange between `at` and `stop` that says that what was asked for at `at` is
        over; None where none does."""
        self._look(blocks, at + 1, stop)
        return self._ends.newest(request, at + 1, stop)

    def _look(self, blocks: Sequence[Block], first: int, stop: int) -> None:
        """Look at the exchanges from `first` to `stop`."""
        self.truncate(stop)
        if self._start == self._stop:  # nothing to go on from
            self._start = self._stop = stop
        for at in (*range(self._stop, stop), *range(self._start - 1, first - 1, -1)):
            self._ends.add(at, looked_at(blocks, lambda words_at, at=at: _ends_at(words_at, at)))
        self._start, self._stop = min(self._start, first), stop


def _ends_at(words_at: Words, at: int) -> tuple[str, ...]:
    role, text = words_at(at)
    return ends_in(text, role) if role in SPEAKERS else ()
