"""The settled exchanges of a log, each told once, in their order: a table of what they say grows by
what came since."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar
from weakref import ref

from contextwright.blocks.block import Blocks
from contextwright.session.log import Log
from contextwright.spec.inputs import Inputs

T = TypeVar("T", bound="FollowedLog")


class FollowedLog:
    """How far a table of a log has come. It begins anew with another log, after a result that came
    late, and where fewer exchanges have settled."""

    def __init__(self) -> None:
        self._log: ref[Log] | None = None
        self._begin()

    def _begin(self) -> None:
        """What is known of no exchange."""
        self._stop = self._joins = 0

    def settled_since(self, inputs: Inputs) -> Blocks:
        """The exchanges that have settled since the last time, as they stand in the log."""
        start, stop = self.range_since(inputs)
        return inputs.readable(inputs.snapshot.exchanges(start, stop))

    def range_since(self, inputs: Inputs) -> tuple[int, int]:
        """The first of the exchanges that have settled since the last time, and the one behind
        them."""
        snapshot = inputs.snapshot
        log, joins = snapshot.log, snapshot.log.joins
        same = self._log is not None and self._log() is log and joins == self._joins
        if not same or self._stop > inputs.settled:
            self._begin()
            self._log, self._joins = ref(log), joins
        start = max(self._stop, snapshot.preamble)
        self._stop = max(start, inputs.settled)
        return start, max(start, inputs.settled)


def looks_back(inputs: Inputs) -> bool:
    """Whether what is compiled is less than the log has by now."""
    return inputs.snapshot.position < len(inputs.snapshot.log)


def followed(key: object, make: Callable[[], T], inputs: Inputs) -> AbstractContextManager[T]:
    """A table of the log, while it is asked: of what is left of it by a spec that redacts. It is
    kept with the session; a look back has one of its own, since the kept one knows what came later.

    Args:
        key: names the table. make: makes one that knows nothing yet.
    """
    if looks_back(inputs):
        return nullcontext(make())
    return inputs.memo.growing((key, inputs.guards, inputs.ports), make)
