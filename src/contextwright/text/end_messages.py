"""Messages in which somebody may say that something is over: which of many speaks of a request."""

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from contextwright.text.end_sentences import (
    LEAST_SHARED,
    ends_something,
    is_asked_in,
    is_news_of,
    label_of,
    names_in,
    proper_names,
    says_end,
    tells_of,
    things_of,
)
from contextwright.text.request_ends import LOOKED_AT
from contextwright.text.search_terms import content_words

NEAR = 512
"""Messages behind a request without a name that are looked at: more would tell at a first compile
of a long session, and hardly any speaks of it that much later."""
NEAR_NEWS = 128
"""Messages of users that are looked at for what lifts a rule without a name of it, and for what
they asked for that is over: there are many rules, and each is held against all of these."""
OFTEN = 16
"""Requests from which on it pays to look once which messages end anything."""
COMMON, NEWEST = 256, 32
"""Messages that have a name from which on it is no name of one thing, but the project's, say; and
how many of fewer are looked at, from the last on."""


class EndMessages:
    """The beginnings of messages, by their places."""

    def __init__(self) -> None:
        self._places: list[int] = []
        self._users: list[int] = []  # of these places those of users
        self._heads: dict[int, tuple[str, str, str]] = {}  # in small letters, as it is, whose
        self._unread: list[int] = []  # places of which nobody asked yet whether they end anything
        self._ends: list[int] = []  # of the others those that do
        self._asked = 0

    def add(self, place: int, text: str, role: str) -> None:
        """Take the message at a place."""
        head = text[:LOOKED_AT]
        self._heads[place] = head.casefold(), head, role
        insort(self._places, place)
        insort(self._unread, place)
        if role == "user":
            insort(self._users, place)

    def truncate(self, start: int) -> None:
        """Forget the places from `start` on."""
        for place in self._places[bisect_left(self._places, start) :]:
            del self._heads[place]
        for places in (self._places, self._users, self._unread, self._ends):
            del places[bisect_left(places, start) :]

    def end_of(
        self, request: str, start: int, stop: int, words_at: Callable[[int], str] | None = None
    ) -> int | None:
        """Of the places from `start` to `stop` the last where it says, by name, that a request is
        over, or the first where it says so in other words.

        Args:
            words_at: gives what is sent of a message, which has to say so too.
        """
        says = partial(says_end, request)
        near = self._speaking_of(request, self._places, start, stop, ends=True)
        return self._first(near, says, words_at)

    def last_word_on(
        self, request: str, start: int, stop: int, words_at: Callable[[int], str] | None = None
    ) -> int | None:
        """Of the places from `start` to `stop` the last that tells something of a request, in
        whatever language. Arguments as above."""
        near = self._speaking_of(request, self._places, start, stop, ends=False)
        return self._first(sorted({*near}, reverse=True), partial(tells_of, request), words_at)

    def news_of(
        self, statement: str, start: int, stop: int, words_at: Callable[[int], str] | None = None
    ) -> int | None:
        """Of the places from `start` to `stop` the last where a user tells something of what was
        said before. Arguments as above."""

        def says(text: str, role: str) -> bool:
            return is_news_of(statement, text)

        near = self._speaking_of(statement, self._users, start, stop, ends=False, most=NEAR_NEWS)
        return self._first(sorted({*near}, reverse=True), says, words_at)

    def is_asked_for(self, text: str, start: int, stop: int) -> bool:
        """Whether a user asked between `start` and `stop` for what a text speaks of."""
        users = self._users[bisect_left(self._users, start) : bisect_left(self._users, stop)]
        names = {*names_in(text), *proper_names(text)}
        words = {word[:-1] for word in content_words(text)}
        for at in reversed(users[-NEAR_NEWS:]):
            small, head, _ = self._heads[at]
            if self._shares(at, words, LEAST_SHARED) or any(map(small.__contains__, names)):
                if is_asked_in(text, head):
                    return True
        return False

    def _ends_among(self, start: int, stop: int) -> list[int]:
        """The places from `start` to `stop` where a message says that anything is over: most do
        not, and are held against no request."""
        low, high = bisect_left(self._unread, start), bisect_left(self._unread, stop)
        for place in self._unread[low:high]:
            _, head, role = self._heads[place]
            if ends_something(head, role):
                insort(self._ends, place)
        del self._unread[low:high]
        return self._ends[bisect_left(self._ends, start) : bisect_left(self._ends, stop)]

    def _speaking_of(
        self,
        request: str,
        among: list[int],
        start: int,
        stop: int,
        *,
        ends: bool,
        most: int = NEAR,
    ) -> Iterator[int]:
        """Places that may speak of a request: those that have one of its names, the newest first,
        then those that have half of its words, as they come.

        Args:
            ends: whether it has to be over there: what ends nothing need not be looked at.
            most: places that are looked at for its words.
        """
        places = among[bisect_left(among, start) : bisect_left(among, stop)]
        every, heads = set[int](), self._heads
        label = label_of(request)
        called = {*names_in(request), *proper_names(request), *([label] if label else ())}
        for name in called if places else ():
            named = [at for at in places if name in heads[at][0]]
            every.update(named[-NEWEST:] if len(named) <= COMMON else ())
        yield from sorted(every, reverse=True)
        things = {word[:-1] for word in things_of(request)} if places else set[str]()
        least = max(LEAST_SHARED, (len(things) + 1) // 2)
        near = places[:most] if len(things) >= least else []
        self._asked += ends
        if ends and self._asked > OFTEN:
            near = self._ends_among(near[0], near[-1] + 1) if near else []
        yield from (at for at in near if self._shares(at, things, least))

    def _shares(self, place: int, words: Collection[str], least: int) -> bool:
        small, others = self._heads[place][0], len(words) - least
        for word in words:
            if word not in small:
                others -= 1
                if others < 0:
                    return False
        return True

    def _first(
        self,
        places: Iterable[int],
        says: Callable[[str, str], bool],
        words_at: Callable[[int], str] | None,
    ) -> int | None:
        """The first whose words say so, and what is sent of them as well."""
        for place in places:
            _, head, role = self._heads[place]
            if says(head, role):
                sent = words_at(place)[:LOOKED_AT] if words_at is not None else head
                if sent == head or says(sent, role):
                    return place
        return None
