"""Messages in which somebody may say that something is over: which of many speaks of a request."""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from contextwright.text.directive_wordings import RULES
from contextwright.text.end_sentences import (
    LEAST_SHARED,
    ends_something,
    is_asked_in,
    is_news_of,
    label_of,
    names_in,
    proper_names,
    says_end,
    tells_news_with,
    tells_of,
    things_of,
    words_of_names,
)
from contextwright.text.request_ends import ANYTHING, LOOKED_AT
from contextwright.text.search_terms import STOP, content_words
from contextwright.text.word_places import WordPlaces

NEAR = 512
"""Messages behind a request without a name that are looked at: more would tell at a first compile
of a long session, and hardly any speaks of it that much later."""
NEAR_NEWS = 128
"""Messages of users that are looked at for what lifts a rule without a name of it, and for what
they asked for that is over: there are many rules, and each is held against all of these."""
MESSAGE = 1_100
"""Bytes of a message and its words, about, as recorded sessions have them."""
COMMON, NEWEST = 256, 32
"""Messages that have a name from which on it is no name of one thing, but the project's, say; and
how many of fewer are looked at, from the last on."""


RARE, NAME = 2, 5
"""Messages that have a word which names one thing, at most, and its letters, at least."""


class EndMessages:
    """The beginnings of messages, by their places."""

    def __init__(self) -> None:
        self._places: list[int] = []
        self._users: list[int] = []  # of these places those of users
        self._heads: dict[int, tuple[str, str, str]] = {}  # in small letters, as it is, whose
        self._words = WordPlaces()  # of the beginnings
        self._ends: dict[int, bool] = {}  # whether they end anything, as far as somebody asked

    @property
    def held_bytes(self) -> int:
        """About what it holds."""
        return MESSAGE * len(self._places)

    def add(self, place: int, text: str, role: str) -> None:
        """Take the message at a place."""
        head = text[:LOOKED_AT]
        self._heads[place] = head.casefold(), head, role
        self._words.add(place, head)
        insort(self._places, place)
        if role == "user":
            insort(self._users, place)

    def truncate(self, start: int) -> None:
        """Forget the places from `start` on."""
        for place in self._places[bisect_left(self._places, start) :]:
            self._words.remove(place, self._heads.pop(place)[1])
            self._ends.pop(place, None)
        for places in (self._places, self._users):
            del places[bisect_left(places, start) :]

    def end_of(
        self, request: str, start: int, stop: int, words_at: Callable[[int], str] | None = None
    ) -> int | None:
        """Of the places from `start` to `stop` the last where it says, by name, that a request is
        over, or the first where it says so in other words.

        Args:
            words_at: gives what is sent of a message, which has to say so too.
        """
        near = (at for at in self._speaking_of(request, start, stop) if self._ends_something(at))
        return self._first(near, partial(says_end, request), words_at)

    def last_word_on(
        self, request: str, start: int, stop: int, words_at: Callable[[int], str] | None = None
    ) -> int | None:
        """Of the places from `start` to `stop` the last that tells something of a request, in
        whatever language. Arguments as above."""
        near = self._speaking_of(request, start, stop)
        return self._first(sorted({*near}, reverse=True), partial(tells_of, request), words_at)

    def news_of(
        self, statement: str, start: int, stop: int, words_at: Callable[[int], str] | None = None
    ) -> int | None:
        """Of the places from `start` to `stop` the last where a user tells something of what was
        said before. Arguments as above."""

        def says(text: str, role: str) -> bool:
            return is_news_of(statement, text)

        near = self._speaking_of(statement, start, stop, by_users=True)
        return self._first(sorted({*near}, reverse=True), says, words_at)

    def last_by_rare_word(
        self,
        statement: str,
        start: int,
        stop: int,
        words_at: Callable[[int], str] | None = None,
        *,
        by_users: bool = False,
    ) -> int | None:
        """Of the places from `start` to `stop` the last that tells something with a word of a
        statement that hardly any other has: it names what is meant, be it written as any word is.

        Args:
            words_at: as for `end_of`. by_users: whether a user has to speak there.
        """
        rare, places = set[str](), set[int]()
        for word in {*content_words(statement)} - STOP - ANYTHING - RULES.words:
            if len(word) >= NAME and not word.isdigit():
                having = self._words.shared((word,), start, stop)
                if 0 < len(having) <= RARE:
                    rare.add(word)
                    places.update(having)
        if by_users:
            places = {at for at in places if self._heads[at][2] == "user"}

        def says(text: str, role: str) -> bool:
            return tells_news_with(rare, statement, text, in_few=by_users)

        return self._first(sorted(places, reverse=True), says, words_at)

    def is_asked_for(self, text: str, start: int, stop: int) -> bool:
        """Whether a user asked between `start` and `stop` for what a text speaks of."""
        users = self._users[bisect_left(self._users, start) : bisect_left(self._users, stop)]
        users = users[-NEAR_NEWS:]
        names = {*names_in(text), *proper_names(text)}
        things = {*content_words(text)}
        words = {word[:-1] for word in things}
        shared = self._words.shared(things, users[0], stop) if users else Counter[int]()
        for at in reversed(users):
            small, head, _ = self._heads[at]
            is_named = any(map(small.__contains__, names))
            if not (is_named or shared[at] >= LEAST_SHARED or label_of(head)):
                if not shared[at] or not proper_names(head):
                    continue
            if is_named or self._shares(at, words, LEAST_SHARED):
                if is_asked_in(text, head):
                    return True
        return False

    def _ends_something(self, place: int) -> bool:
        """Whether a message says of anything that it is over, as most do not."""
        ends = self._ends.get(place)
        if ends is None:
            _, head, role = self._heads[place]
            ends = self._ends[place] = ends_something(head, role)
        return ends

    def _speaking_of(
        self, request: str, start: int, stop: int, *, by_users: bool = False
    ) -> Iterator[int]:
        """Places that may speak of a request: those that have one of its names, the newest first,
        then, near it, those that have half of its words, as they come.

        Args:
            by_users: whether a user has to speak there.
        """
        places = self._users if by_users else self._places
        first, end = bisect_left(places, start), bisect_left(places, stop)
        if first == end:
            return
        newest, named = set[int](), set[int]()
        label = label_of(request)
        for name in {*names_in(request), *proper_names(request), *([label] if label else ())}:
            called = self._called(name, start, stop, by_users=by_users)
            named.update(called)
            newest.update(called[-NEWEST:] if len(called) <= COMMON else ())
        yield from sorted(newest, reverse=True)
        things = {word[:-1] for word in things_of(request)}
        least = max(LEAST_SHARED, (len(things) + 1) // 2)
        if len(things) < least:
            return
        near = places[first : min(end, first + (NEAR_NEWS if by_users else NEAR))]
        may = named | self._with_words_of(request, start, near[-1] + 1)
        may.intersection_update(near)
        yield from (at for at in sorted(may - newest) if self._shares(at, things, least))

    def _called(self, name: str, start: int, stop: int, *, by_users: bool) -> list[int]:
        """The places from `start` to `stop`, ascending, that have a name, or a label, in small
        letters."""
        heads, called = self._heads, self._words.with_part(name, start, stop)
        if by_users:
            called = [at for at in called if heads[at][2] == "user"]
        return [at for at in called if name in heads[at][0]]

    def _with_words_of(self, request: str, start: int, stop: int) -> set[int]:
        """The places from `start` to `stop` that have so many of the words of a request that one of
        their sentences may speak of it: half of them, or all of a name's."""
        things = things_of(request)
        least = max(LEAST_SHARED, (len(things) + 1) // 2)
        shared = self._words.shared(things, start, stop, least)
        may = {at for at, count in shared.items() if count >= least}
        for words in words_of_names(request):
            shared = self._words.shared(words, start, stop, len(words))
            may.update(at for at, count in shared.items() if count == len(words))
        return may

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
