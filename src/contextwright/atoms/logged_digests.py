"""The hash of a part of the log, gone on with from where one was asked for before: what it costs
is what is new, and no exchange is compared with what it was."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any
from weakref import ref

from contextwright.session.log import Log
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import ReadPart, Span, spans_between

LINK = 32
"""Bytes of an exchange's digest."""
NEWEST = 8
"""Hashes that are kept: of what an answer covers, and of all."""
PAGE = 4096
"""Exchanges after which one is kept for as long as nothing before it is another one."""
STATE = 256
"""About the bytes of a hash that can be gone on with."""


class LoggedDigests:
    """Digests of one log's exchanges behind its instruction, and hashes of those that the part
    has which is asked about. They grow at their end; a result that comes late begins what is behind
    it anew."""

    def __init__(self) -> None:
        self._log: ref[Log] | None = None
        self._begin(0)

    def _begin(self, first: int) -> None:
        self._first, self._joins = first, 0
        self._links = bytearray()
        # place, and what the part is without in front of it -> of the others
        self._hashes: dict[tuple[int, tuple[int, ...]], Any] = {}

    @property
    def held_bytes(self) -> int:
        """What it takes."""
        return len(self._links) + STATE * len(self._hashes)

    def follow(self, read: ReadPart, inputs: Inputs) -> None:
        """Bring it up to date with the log, as far as a part of it reaches."""
        snapshot, part = inputs.snapshot, read.part
        log, first = snapshot.log, snapshot.preamble
        if self._log is None or self._log() is not log or first != self._first:
            self._log = ref(log)
            self._begin(first)
        joins = log.late_joins(self._joins)
        self._joins += len(joins)
        known = first + len(self._links) // LINK
        others = {at for at in joins if first <= at < known}
        if others:
            known = min(others)
            del self._links[(known - first) * LINK :]
        # one that goes on growing is none of those that are kept
        stop = min(part.stop, snapshot.exchange_count - 1)
        if known < stop:
            self._links += self._of((known, stop), read, inputs)
        least = min(others, default=stop)
        self._hashes = {key: one for key, one in self._hashes.items() if key[0] <= least}

    def hash_of(self, count: int, read: ReadPart, inputs: Inputs) -> str:
        """Of the digests of the first so many of a part, one behind the other."""
        place = read.part.place_of(count)
        stop = min(place, self._first + len(self._links) // LINK)
        hashed = self._until(stop, read.part.without)
        if place > stop:
            hashed.update(self._of((stop, place), read, inputs))
        return hashed.hexdigest()

    def names(self, spans: Iterable[Span], read: ReadPart, inputs: Inputs) -> Iterator[bytes]:
        """The digests of exchanges at these places, those that are kept from memory."""
        first, known = self._first, self._first + len(self._links) // LINK
        for start, stop in spans:
            middle = max(start, min(stop, known))
            yield bytes(self._links[(start - first) * LINK : (middle - first) * LINK])
            if middle < stop:
                yield self._of((middle, stop), read, inputs)

    def _of(self, span: Span, read: ReadPart, inputs: Inputs) -> bytes:
        """The digests of exchanges."""
        return b"".join(read.names([span], inputs))

    def _until(self, stop: int, without: tuple[int, ...]) -> Any:
        first, keys = self._first, self._hashes

        def key_of(place: int) -> tuple[int, tuple[int, ...]]:
            return place, without[: bisect_left(without, place)]

        known = max((at for at, own in keys if at <= stop and key_of(at)[1] == own), default=first)
        hashed = keys[key_of(known)].copy() if key_of(known) in keys else sha256()
        pages = range(known - known % PAGE + PAGE, stop, PAGE)
        links = memoryview(self._links)
        for place in (*pages, stop):
            for begin, end in spans_between(known, place, without):
                hashed.update(links[(begin - first) * LINK : (end - first) * LINK])
            keys[key_of(place)] = hashed.copy()
            known = place
        links.release()
        rest = sorted(key for key in keys if key[0] % PAGE)[:-NEWEST]
        for key in rest:
            del keys[key]
        return hashed
