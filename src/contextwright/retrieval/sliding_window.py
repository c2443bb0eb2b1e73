"""A window over a stream: attention sinks, working memory, and between them what is most salient
(document 004, "Sliding Window"; the sinks are StreamingLLM's).

`C.sliding` is the same for a session; this is for a stream that no session holds.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Generic, Protocol, TypeVar

from contextwright.errors import SpecError, is_number
from contextwright.retrieval.salience import SalienceScorer
from contextwright.session.event import Event
from contextwright.tokens.counter import named_counter

SHARE = 10
"""A tenth of the middle leaves at once (document 004): what is scored again for it is then paid by
what leaves, so that an `add` costs O(log n) on the average."""
T = TypeVar("T", str, Event)


def refuse_tight(window: int, sinks: int, recent: int, *, where: str, form: str) -> None:
    """Refuse sinks and recent that leave no room in a window.

    Args:
        form: how sizes are given; the fix names some that fit: a quarter of the rest as recent.

    Raises:
        SpecError: as said.
    """
    numbers = all(map(is_number, (window, sinks, recent)))
    if numbers and sinks >= 0 and recent >= 0 and sinks + recent <= window:
        return
    room = max(1, window) if is_number(window) else 4096
    first = sinks if is_number(sinks) and 0 <= sinks <= room else min(4, room)
    raise SpecError(
        f"{sinks} tokens of sinks and {recent} recent ones in a window of {window}",
        where=where,
        fix=form.format(room, first, (room - first) // 4),
    )


class Scorer(Protocol):
    """What says how salient a text is: 0 to 1."""

    def score(self, content: str) -> float:
        """The salience of a text."""
        ...


class _Piece(Generic[T]):
    """What stays or leaves as one: a text, or an exchange."""

    __slots__ = ("items", "number", "open", "text", "tokens")

    def __init__(self, number: int, item: T, text: str, tokens: int) -> None:
        self.number, self.items, self.text, self.tokens = number, [item], text, tokens
        self.open: set[str] = set()


class SlidingWindow(Generic[T]):
    """The first tokens of a stream, the last ones, and of those between the most salient.

    A stream is of texts, or of events; an assistant's calls and their results stay or leave
    together, and stay while a result is missing and the user has not gone on; a result whose call
    is not in the window is given back at once. Sinks are never removed, nor is the newest piece:
    if these alone are larger than the window, `pressure` is above 1.

    Safe to share between threads.

    Args:
        window_size: tokens of all that stays.
        sink_size: tokens at the beginning; the piece in which they end stays whole. 0 for none.
        recent_size: tokens at the end, of whole pieces.
        salience_scorer: has `score(text)`; by default a `SalienceScorer`. One of these is shown the
            stream, and told what the user asks last.
        count: tokens of a text; by default those of OpenAI's models.

    Raises:
        SpecError: sinks and recent do not leave room in the window, or a scorer that scores
            nothing.
    """

    def __init__(
        self,
        window_size: int = 4096,
        sink_size: int = 4,
        recent_size: int = 1024,
        *,
        salience_scorer: Scorer | None = None,
        count: Callable[[str], int] | None = None,
    ) -> None:
        form = "SlidingWindow(window_size={}, sink_size={}, recent_size={})"
        where = "SlidingWindow(...)"
        refuse_tight(window_size, sink_size, recent_size, where=where, form=form)
        if count is not None and not callable(count):
            raise SpecError(
                f"a {type(count).__name__} counts nothing",
                where="SlidingWindow(count=...)",
                fix="give a function from a text to its tokens, or leave it out",
            )
        scorer: Any = salience_scorer
        if scorer is not None and not callable(getattr(scorer, "score", None)):
            raise SpecError(
                f"a {type(scorer).__name__} scores nothing",
                where="SlidingWindow(salience_scorer=...)",
                fix="give a SalienceScorer(), or what has score(text)",
            )
        self.window_size, self.sink_size, self.recent_size = window_size, sink_size, recent_size
        self.salience_scorer: Scorer = salience_scorer or SalienceScorer()
        self._count = count or named_counter("o200k_base").count
        self._sinks: list[_Piece[T]] = []
        self._middle: list[_Piece[T]] = []
        self._recent: deque[_Piece[T]] = deque()
        self._sink_tokens = self._middle_tokens = self._recent_tokens = 0
        self._calls: dict[str, _Piece[T]] = {}
        self._waiting: dict[int, _Piece[T]] = {}
        self._added = 0
        self._lock = threading.RLock()

    @property
    def attention_sinks(self) -> list[T]:
        """The first items, which always stay."""
        return _items(self._sinks)

    @property
    def middle(self) -> list[T]:
        """What is left between the first and the last."""
        return _items(self._middle)

    @property
    def recent(self) -> list[T]:
        """The newest items: the working memory."""
        return _items(self._recent)

    @property
    def items(self) -> list[T]:
        """All that is in the window, in order."""
        with self._lock:
            return [*self.attention_sinks, *self.middle, *self.recent]

    @property
    def tokens(self) -> int:
        """Tokens in the window."""
        return self._sink_tokens + self._middle_tokens + self._recent_tokens

    @property
    def pressure(self) -> float:
        """How full it is: 1 for full."""
        return self.tokens / self.window_size

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
                pruned += self._put(item)
                while len(self._recent) > 1 and self._recent_tokens > self.recent_size:
                    self._to_middle()
                if self.tokens > self.window_size:
                    pruned += self._prune(self.tokens - self.window_size)
        return pruned

    def prune(self) -> list[T]:
        """Remove a tenth of the middle, the least salient; what left, in its order."""
        with self._lock:
            return self._prune(0)

    def get_context(self, separator: str = " ") -> str:
        """All texts in order."""
        with self._lock:
            pieces = [*self._sinks, *self._middle, *self._recent]
        return separator.join(piece.text for piece in pieces if piece.text)

    def _put(self, item: T) -> list[T]:
        """Take in an item; it is given back where the call that it answers is gone."""
        text = item if isinstance(item, str) else _said(item)
        tokens = self._count(text)
        if isinstance(self.salience_scorer, SalienceScorer):
            self.salience_scorer.observe(text)
            if isinstance(item, Event) and item.role == "user":
                self.salience_scorer.ask(text)
        if isinstance(item, Event) and item.results:
            return self._join(item, text, tokens)
        piece = _Piece(self._added, item, text, tokens)
        self._added += 1
        if isinstance(item, Event):
            self._expect(piece, item)
        if self._sink_tokens < self.sink_size and not self._recent:
            self._sinks.append(piece)
            self._sink_tokens += tokens
        else:
            self._recent.append(piece)
            self._recent_tokens += tokens
        return []

    def _expect(self, piece: _Piece[T], event: Event) -> None:
        """Remember the calls whose results belong to a piece; a user who speaks waits no more."""
        if event.role == "user":
            for waiting in self._waiting.values():
                waiting.open.clear()
            self._waiting.clear()
        for call in event.calls:
            self._calls[call.id] = piece
            piece.open.add(call.id)
            self._waiting[piece.number] = piece

    def _join(self, event: T, text: str, tokens: int) -> list[T]:
        """Make results one piece with their calls."""
        assert isinstance(event, Event)
        pieces = [self._calls[one.call_id] for one in event.results if one.call_id in self._calls]
        if not pieces:
            return [event]
        # where they become one: with the sinks, which stay, or else where the newest is
        piece = max(pieces, key=lambda one: (one in self._sinks, one.number))
        for one in dict.fromkeys(pieces):
            one.open.difference_update(result.call_id for result in event.results)
            if one is not piece:
                self._take_in(piece, one)
        if not piece.open:
            self._waiting.pop(piece.number, None)
        piece.items.append(event)
        piece.text = f"{piece.text}\n{text}"
        self._grow(piece, tokens)
        return []

    def _take_in(self, piece: _Piece[T], other: _Piece[T]) -> None:
        """Have two pieces that one event answers stay or leave together."""
        self._grow(other, -other.tokens, of_window=True)
        home = next(each for each in (self._sinks, self._middle, self._recent) if other in each)
        home.remove(other)
        first, second = sorted((piece, other), key=lambda one: one.number)
        piece.items, piece.text = first.items + second.items, f"{first.text}\n{second.text}"
        piece.open |= other.open
        self._grow(piece, other.tokens)
        self._calls.update((call, piece) for call, one in [*self._calls.items()] if one is other)
        if self._waiting.pop(other.number, None) is not None and piece.open:
            self._waiting[piece.number] = piece

    def _grow(self, piece: _Piece[T], tokens: int, *, of_window: bool = False) -> None:
        """Count tokens where a piece stands.

        Args:
            of_window: not of the piece itself, which leaves.
        """
        piece.tokens += 0 if of_window else tokens
        if piece in self._sinks:
            self._sink_tokens += tokens
        elif self._recent and piece.number >= self._recent[0].number:
            self._recent_tokens += tokens
        else:
            self._middle_tokens += tokens

    def _to_middle(self) -> None:
        piece = self._recent.popleft()
        self._recent_tokens -= piece.tokens
        self._middle.append(piece)
        self._middle_tokens += piece.tokens

    def _prune(self, over: int) -> list[T]:
        """Remove a tenth of the middle at least, and until so many tokens are gone."""
        free = [piece for piece in self._middle if not piece.open]
        least = -(-len(free) // SHARE)
        gone: set[int] = set()
        for piece in self._ranked(free):
            if len(gone) >= least and over <= 0:
                break
            gone.add(piece.number)
            over -= piece.tokens
            self._middle_tokens -= piece.tokens
        pruned = [piece for piece in self._middle if piece.number in gone]
        left = {id(piece) for piece in pruned}
        self._calls = {call: one for call, one in self._calls.items() if id(one) not in left}
        self._middle = [piece for piece in self._middle if piece.number not in gone]
        return _items(pruned)

    def _ranked(self, pieces: list[_Piece[T]]) -> list[_Piece[T]]:
        """The least salient first; of equals the older."""
        scorer, last = self.salience_scorer, max(1, len(pieces) - 1)
        scores: dict[int, float] = {}
        for place, piece in enumerate(pieces):
            if isinstance(scorer, SalienceScorer):
                role = getattr(piece.items[0], "role", "")
                score = scorer.score(piece.text, recency=place / last, role=role)
                scores[piece.number] = score
            else:
                scores[piece.number] = scorer.score(piece.text)
        return sorted(pieces, key=lambda piece: (scores[piece.number], piece.number))


def _texts_or_events(items: Any) -> list[Any]:
    several: Any = [items] if isinstance(items, (str, Event)) else items
    given: list[Any] = list(several) if isinstance(several, Iterable) else [several]
    for item in given:
        if not isinstance(item, (str, Event)):
            raise SpecError(
                f"a {type(item).__name__} is neither a text nor an Event",
                where="SlidingWindow.add(items)",
                fix="give texts, or the events of a session: read_session(messages).log",
            )
    return given


def _items(pieces: Iterable[_Piece[T]]) -> list[T]:
    return list(chain.from_iterable(piece.items for piece in pieces))


def _said(event: Event) -> str:
    """What an event says, calls and results included."""
    calls = (f"{call.name} {call.arguments}" for call in event.calls)
    results = (result.text for result in event.results)
    return "\n".join(filter(None, (event.text, *calls, *results)))
