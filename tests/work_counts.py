"""How much work something is: what it calls and what it reads, never how long it takes."""

import sys
from collections.abc import Callable, Collection

import pytest

from contextwright.session.log import Log


def function_calls(work: Callable[[], object], events: Collection[str] = ("call", "c_call")) -> int:
    """Functions that it calls, C's included unless `events` are Python's `call` alone."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in events

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def exchanges_read(work: Callable[[], object]) -> int:
    """Exchanges that it reads of any log."""
    counts: list[int] = []
    whole = Log.exchanges

    def counted(log: Log, start: int, stop: int, before: int):
        found = whole(log, start, stop, before)
        counts.append(len(found))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Log, "exchanges", counted)
        work()
    return sum(counts)
