"""A window over a stream: attention sinks, working memory, and between them what is most salient
(cooling-and-forgetting.md#sliding-window).

`C.sliding` is the same for a session; this is for a stream that no session holds; what leaves is
chosen by the same function.
"""

import threading
from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar

from contextwright.atoms.select.sliding import first_of, last_of, least_salient, refuse_tight
from contextwright.errors import SpecError, is_number
from contextwright.process_bound import ProcessBound
from contextwright.retrieval.salience import SalienceScorer
from contextwright.session.event import Event
from contextwright.tokens.counter import named_counter

SHARE = 10
"""A tenth of the middle leaves at once (cooling-and-forgetting.md#sliding-window): what is scored
again for it is then paid by what leaves, so that an `add` costs O(log n) on the average."""
RECENT = 1024
"""Tokens of working memory where no number is given and the window has room for them."""
T = TypeVar("T", str, Event)


class Scorer(Protocol):
    """Scores how salient a text is: 0 to 1."""

    def score(self, content: str) -> float:
        """The salience of a text."""
        ...


class _Unit(Generic[T]):
    """Items that stay or leave as one: a text, or an exchange.

    Args:
        waiting: ids of the calls whose results are still to come.
    """

    __slots__ = ("items", "text", "tokens", "waiting")

    def __init__(self, items: list[T], text: str, tokens: int) -> None:
        self.items, self.text, self.tokens = items, text, tokens
        self.waiting: set[str] = set()

    def extend(self, items: list[T], text: str, tokens: int) -> None:
        """Take in what belongs to it, at its end."""
        self.items, self.text = [*self.items, *items], f"{self.text}\n{text}"
        self.tokens += tokens


class SlidingWindow(ProcessBound, Generic[T]):
    """The first tokens of a stream, the last ones, and of those between the most salient.

    A stream is of texts, or of events; an assistant's calls and their results stay or leave
    together, and stay while a result is missing and the user has not gone on; a result whose call
    is not in the window is given back at once. Sinks are never removed, nor is the newest piece:
    if these alone are larger than the window, `pressure` is above 1.

    Safe to share between threads.

    Args:
        window_size: tokens of all that stays.
        sink_size: tokens at the beginning; the piece in which they end stays whole. 0 for none.
        recent_size: tokens at the end, of whole pieces; by default a quarter of the window, at most
            1,024.
        attention_sinks, middle, recent: what a window held before, as it was stored.
        salience_scorer: has `score(text)`; by default a `SalienceScorer`. One of these is shown the
            stream, and told what the user asks last.
        count: tokens of a text; by default those of OpenAI's models.

    Raises:
        SpecError: sinks and recent do not leave room in the window, or a scorer that scores
            nothing.
    """

    in_a_worker = (
        "give its parts to a new one: SlidingWindow(attention_sinks=window.attention_sinks, "
        "middle=window.middle, recent=window.recent)"
    )

    def __init__(
        self,
        window_size: int = 4096,
        sink_size: int = 4,
        recent_size: int | None = None,
        *,
        attention_sinks: Iterable[T] = (),
        middle: Iterable[T] = (),
        recent: Iterable[T] = (),
        salience_scorer: Scorer | None = None,
        count: Callable[[str], int] | None = None,
    ) -> None:
        if recent_size is None:
            recent_size = min(RECENT, window_size // 4) if is_number(window_size) else RECENT
        form = "SlidingWindow(window_size={}, sink_size={}, recent_size={})"
        where = "SlidingWindow(...)"
        refuse_tight(window_size, sink_size, recent_size, where=where, form=form)
        if count is not None and not callable(count):
            raise SpecError(
                f"expected a function from a text to its tokens, got a {type(count).__name__}",
                where="SlidingWindow(count=...)",
                fix="give such a function, or leave it out",
            )
        scorer: Any = salience_scorer
        if scorer is not None and not callable(getattr(scorer, "score", None)):
            raise SpecError(
                f"expected a scorer with score(text), got a {type(scorer).__name__}",
                where="SlidingWindow(salience_scorer=...)",
                fix="give a SalienceScorer(), or an object with score(text)",
            )
        self.window_size, self.sink_size, self.recent_size = window_size, sink_size, recent_size
        self.salience_scorer: Scorer = salience_scorer or SalienceScorer()
        self._count = count or named_counter("o200k_base").count
        self._units: list[_Unit[T]] = []
        self._calls: dict[str, _Unit[T]] = {}
        self._tokens = 0
        self._lock = threading.RLock()
        self.add([*attention_sinks, *middle, *recent])

    @property
    def attention_sinks(self) -> list[T]:
        """The first items, which always stay."""
        return _items(self._zones()[0])

    @property
    def middle(self) -> list[T]:
        """What is left between the first and the last."""
        return _items(self._zones()[1])

    @property
    def recent(self) -> list[T]:
        """The newest items: the working memory."""
        return _items(self._zones()[2])

    @property
    def items(self) -> list[T]:
        """All that is in the window, in order."""
        return [item for zone in self._zones() for item in _items(zone)]

    @property
    def tokens(self) -> int:
        """Tokens in the window."""
        return self._tokens

    @property
    def pressure(self) -> float:
        """How full it is: 1 for full."""
        return self._tokens / self.window_size

    def add(self, items: Iterable[T] | T) -> list[T]:
        """Add to the end; what left for it, in its order. All that was added is in the window or
        was given back by an `add` or a `prune`.

        Raises:
            SpecError: neither texts nor events; then nothing was added.
        """
        wanted = _texts_or_events(items)
        pruned: list[T] = []
        with self._lock:
            for item in wanted:
                if not self._take_in(item):
                    pruned.append(item)
                elif self._tokens > self.window_size:
                    pruned += self._prune_by(self._tokens - self.window_size)
        return pruned

    def prune(self) -> list[T]:
        """Remove a tenth of the middle, the least salient; what left, in its order."""
        with self._lock:
            return self._prune_by(0)

    _prune = prune
    """The name that cooling-and-forgetting.md#sliding-window calls it by."""

    def get_context(self, separator: str = " ") -> str:
        """All texts in order."""
        return separator.join(unit.text for zone in self._zones() for unit in zone if unit.text)

    def _take_in(self, item: T) -> bool:
        """Take in an item; not a result whose calls are all gone."""
        text = item if isinstance(item, str) else _event_text(item)
        tokens, by_user = self._count(text), isinstance(item, Event) and item.role == "user"
        if isinstance(self.salience_scorer, SalienceScorer):
            self.salience_scorer.observe(text)
            if by_user:
                self.salience_scorer.ask(text)
        if isinstance(item, Event) and item.results:
            unit = self._answered(item)
            if unit is None:
                return False
            unit.extend([item], text, tokens)
        else:
            if by_user:  # a user who speaks waits for no result any more
                for unit in self._calls.values():
                    unit.waiting.clear()
            unit = _Unit([item], text, tokens)
            for call in item.calls if isinstance(item, Event) else ():
                self._calls[call.id] = unit
                unit.waiting.add(call.id)
            self._units.append(unit)
        self._tokens += tokens
        return True

    def _answered(self, event: Event) -> _Unit[T] | None:
        """The unit whose calls an event answers."""
        ids = {result.call_id for result in event.results}
        units = list(dict.fromkeys(self._calls[id] for id in ids if id in self._calls))
        if not units:
            return None
        home = units[0] if len(units) == 1 else self._merged(units)
        home.waiting -= ids
        return home

    def _merged(self, units: list[_Unit[T]]) -> _Unit[T]:
        """Units that one event answers as one, among the sinks, which stay, or else where the
        newest of them stands."""
        units.sort(key=self._units.index)
        first, *others = units
        home = first if first in self._zones()[0] else units[-1]
        merged = _Unit(first.items, first.text, first.tokens)
        for unit in others:
            merged.extend(unit.items, unit.text, unit.tokens)
        merged.waiting = set[str]().union(*(unit.waiting for unit in units))
        self._units = [
            merged if u is home else u for u in self._units if u is home or u not in units
        ]
        self._calls = {id: merged if u in units else u for id, u in self._calls.items()}
        return merged

    def _zones(self) -> tuple[list[_Unit[T]], list[_Unit[T]], list[_Unit[T]]]:
        """The sinks, the middle and the newest."""
        with self._lock:
            units = [*self._units]
        costs = [unit.tokens for unit in units]
        sinks = first_of(costs, self.sink_size)
        recent = len(units) - max(1, last_of(costs[sinks:], self.recent_size))
        recent = max(sinks, recent)
        return units[:sinks], units[sinks:recent], units[recent:]

    def _prune_by(self, over: int) -> list[T]:
        """Remove a tenth of the middle at least, and until so many tokens are gone."""
        middle = [unit for unit in self._zones()[1] if not unit.waiting]
        costs = [unit.tokens for unit in middle]
        count = -(-len(middle) // SHARE)
        places = least_salient(range(len(middle)), self._scores(middle), costs, over, count=count)
        leaving = {middle[place]: None for place in sorted(places)}
        self._units = [unit for unit in self._units if unit not in leaving]
        self._calls = {id: unit for id, unit in self._calls.items() if unit not in leaving}
        self._tokens -= sum(unit.tokens for unit in leaving)
        return _items(leaving)

    def _scores(self, units: list[_Unit[T]]) -> list[float]:
        scorer, newest = self.salience_scorer, max(1, len(units) - 1)
        if not isinstance(scorer, SalienceScorer):
            return [scorer.score(unit.text) for unit in units]
        return [
            scorer.score(unit.text, recency=place / newest, role=getattr(unit.items[0], "role", ""))
            for place, unit in enumerate(units)
        ]


def _texts_or_events(items: Any) -> list[Any]:
    several: Any = [items] if isinstance(items, (str, Event)) else items
    stream: list[Any] = list(several) if isinstance(several, Iterable) else [several]
    for item in stream:
        if not isinstance(item, (str, Event)):
            raise SpecError(
                f"expected texts or Events, got a {type(item).__name__}",
                where="SlidingWindow.add(items)",
                fix="give texts, or the events of a session: read_session(messages).log",
            )
    return stream


def _items(units: Iterable[_Unit[T]]) -> list[T]:
    return [item for unit in units for item in unit.items]


def _event_text(event: Event) -> str:
    """The text of an event, calls and results included."""
    calls = (f"{call.name} {call.arguments}" for call in event.calls)
    results = (result.text for result in event.results)
    return "\n".join(filter(None, (event.text, *calls, *results)))
