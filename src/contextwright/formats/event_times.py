"""When the events of a log happened, to find those of a span of time without a walk over all."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from contextwright.formats.fields import Json
from contextwright.session.event import Event


class EventTimes:
    """The events of a log that have a time, in the order of the log."""

    def __init__(self) -> None:
        self._times: list[int] = []
        self._ids: list[str] = []
        self._is_sorted = True
        self._count = 0

    def __len__(self) -> int:
        """How many events were looked at, with a time or without."""
        return self._count

    def add(self, events: Iterable[Event]) -> None:
        """The next events of the log."""
        for event in events:
            self._count += 1
            if event.time_ms is not None:
                self._is_sorted &= not self._times or self._times[-1] <= event.time_ms
                self._times.append(event.time_ms)
                self._ids.append(event.id)

    def between(self, start: int, end: int) -> Json:
        """The first and the last event of this span, and how many there are.

        Args:
            start, end: milliseconds since 1970, both included.
        """
        if self._is_sorted:
            ids = self._ids[bisect_left(self._times, start) : bisect_right(self._times, end)]
        else:
            timed = zip(self._ids, self._times, strict=True)
            ids = [id for id, time in timed if start <= time <= end]
        return {"events": len(ids)} | ({"first": ids[0], "last": ids[-1]} if ids else {})
