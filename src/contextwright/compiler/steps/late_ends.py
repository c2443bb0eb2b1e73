"""Where a conversation says that something is done or called off: what was asked for long before
would look as if it were still to do. It is looked through from its end, as far back as somebody
asks."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence

from contextwright.blocks.block import Block
from contextwright.compiler.steps.directive_places import SPEAKERS, words_at
from contextwright.compiler.steps.exchange_features import calls_of, said_by
from contextwright.text.end_messages import EndMessages
from contextwright.text.end_sentences import names_in
from contextwright.text.task_statuses import (
    LONGEST,
    gives_end,
    may_give_ends,
    task_label,
)

REACH = 2_048
"""Exchanges in front of a step in which ends are looked for: what ended before them was asked for
before them as well, of which a note tells no more than the task."""
STATUS_REACH = 256
"""The same for short results that have a task's name: all of a result has to be looked at for it,
of a first compile as well."""
COMMON = 32
"""Short results that have a name from which on it is none of one task, but of a file, say."""


class LookedAt:
    """The exchanges that were looked at: those from one to another."""

    def __init__(self) -> None:
        self._start = self._stop = 0

    def truncate(self, start: int) -> bool:
        """Forget the exchanges from `start` on; whether any of them was looked at."""
        is_known = start < self._stop
        self._stop = min(self._stop, start)
        self._start = min(self._start, start)
        return is_known

    def look(self, first: int, stop: int) -> list[int]:
        """Those from `first` to `stop` that were not looked at yet; they are from now on."""
        if self._start == self._stop:  # nothing to go on from
            self._start = self._stop = stop
        new = [*range(self._stop, stop), *range(self._start - 1, first - 1, -1)]
        self._start, self._stop = min(self._start, first), stop
        return new


class LateEnds:
    """What says that something is over. Each exchange is looked at once."""

    def __init__(self) -> None:
        self._looked_at = LookedAt()
        self._ends = EndMessages()
        self._statuses = ToolStatuses()

    @property
    def held_bytes(self) -> int:
        """About what it holds."""
        return self._ends.held_bytes

    def truncate(self, start: int) -> None:
        """Forget the exchanges from `start` on."""
        if self._looked_at.truncate(start):
            self._ends.truncate(start)
        self._statuses.truncate(start)

    def end_of(self, blocks: Sequence[Block], request: str, at: int, stop: int) -> int | None:
        """The exchange between `at` and `stop` that says that what was asked for at `at` is over;
        None where none does."""
        first = max(at + 1, stop - REACH)
        self._look(blocks, first, stop)
        end = self._ends.end_of(request, first, stop, _words_in(blocks))
        if end is None and (label := task_label(request)):
            return self._statuses.end_of(blocks, label, first, stop)
        return end

    def last_status_of(
        self, blocks: Sequence[Block], request: str, at: int, stop: int
    ) -> int | None:
        """The last exchange between `at` and `stop` in which a tool says something short of what
        was asked for in front of them, by name, whatever it says; None where none does."""
        if not (names := names_in(request)):
            return None
        return self._statuses.last_of(blocks, names, max(at + 1, stop - STATUS_REACH), stop)

    def last_word_on(self, blocks: Sequence[Block], request: str, at: int, stop: int) -> int | None:
        """The last exchange between `at` and `stop` that tells something of what was asked for at
        `at`."""
        first = max(at + 1, stop - REACH)
        self._look(blocks, first, stop)
        return self._ends.last_word_on(request, first, stop, _words_in(blocks))

    def news_of(self, blocks: Sequence[Block], statement: str, at: int, stop: int) -> int | None:
        """The last exchange between `at` and `stop` in which a user tells something of what was
        said at `at`."""
        first = max(at + 1, stop - REACH)
        self._look(blocks, first, stop)
        return self._ends.news_of(statement, first, stop, _words_in(blocks))

    def last_by_rare_word(
        self, blocks: Sequence[Block], statement: str, at: int, stop: int, *, by_users: bool
    ) -> int | None:
        """The last exchange between `at` and `stop` that tells something with a word of what was
        said at `at` which hardly any other has."""
        first = max(at + 1, stop - REACH)
        self._look(blocks, first, stop)
        words_at = _words_in(blocks)
        return self._ends.last_by_rare_word(statement, first, stop, words_at, by_users=by_users)

    def is_asked_for(self, blocks: Sequence[Block], text: str, at: int, stop: int) -> bool:
        """Whether a user asked before `at` for what is spoken of there."""
        first = max(0, stop - REACH)
        self._look(blocks, first, stop)
        return self._ends.is_asked_for(text, first, at)

    def _look(self, blocks: Sequence[Block], first: int, stop: int) -> None:
        """Look at the exchanges from `first` to `stop`."""
        self.truncate(stop)
        for at in self._looked_at.look(first, stop):
            role, text = words_at(blocks, at)
            if text and role in SPEAKERS:
                self._ends.add(at, text, role)


class ToolStatuses:
    """What short results of tools say of the status of tasks. Each exchange is looked at once, and
    none where no task has a label or a name."""

    def __init__(self) -> None:
        self._looked_at = LookedAt()
        self._results: dict[int, tuple[str, ...]] = {}
        self._names: dict[int, frozenset[str]] = {}
        self._places: dict[str, list[int]] = {}  # by name, ascending

    def truncate(self, start: int) -> None:
        """Forget the exchanges from `start` on."""
        if self._looked_at.truncate(start):
            for at in [at for at in self._names if at >= start]:
                self._results.pop(at, None)
                for name in self._names.pop(at):
                    self._places[name].remove(at)

    def end_of(self, blocks: Sequence[Block], label: str, first: int, stop: int) -> int | None:
        """The last exchange from `first` to `stop` in which a tool says that the task with a label
        is over."""
        self._look(blocks, first, stop)
        places = sorted((at for at in self._results if first <= at < stop), reverse=True)
        return next((at for at in places if gives_end(label, self._results[at])), None)

    def last_of(
        self, blocks: Sequence[Block], names: Iterable[str], first: int, stop: int
    ) -> int | None:
        """The last exchange from `first` to `stop` in which a tool says something of what has one
        of some names, or was asked for it. A name that many have is none of one task."""
        self._look(blocks, first, stop)
        named = (self._named(name, first, stop) for name in names)
        return max((places[-1] for places in named if 0 < len(places) <= COMMON), default=None)

    def _named(self, name: str, first: int, stop: int) -> list[int]:
        """Where one of the exchanges from `first` to `stop` has a name, ascending."""
        places = self._places.get(name, [])
        return places[bisect_left(places, first) : bisect_left(places, stop)]

    def _look(self, blocks: Sequence[Block], first: int, stop: int) -> None:
        for at in self._looked_at.look(first, stop):
            short = [one for one in calls_of(blocks[at]) if len(one.result) <= LONGEST]
            if texts := tuple(one.result for one in short if may_give_ends(one.result)):
                self._results[at] = texts
            texts = (*(one.result for one in short), *(one.arguments for one in short))
            names = [names_in(text) for text in texts if len(text) <= LONGEST]
            if short:
                self._names[at] = frozenset().union(*names)
                for name in self._names[at]:
                    insort(self._places.setdefault(name, []), at)


def _words_in(blocks: Sequence[Block]) -> Callable[[int], str]:
    """Gives what is sent of an exchange's words."""
    return lambda place: said_by(blocks[place])[1]
