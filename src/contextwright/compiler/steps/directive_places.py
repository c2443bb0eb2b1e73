"""Where a conversation says what holds from there on: in words that tell it, or in whatever words,
if all that came of them was that they were heard; and where a user says something beside a request,
which may hold on. It is looked through from its end, as far back as a note has room for."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from contextwright.blocks.block import Block
from contextwright.compiler.steps.exchange_features import said_by, words_of
from contextwright.compiler.steps.known_prefix import LoggedBlocks
from contextwright.session.inline_thinking import without_thinking
from contextwright.text.acknowledgement import acknowledges, is_passed_over, may_hold
from contextwright.text.choices import MAX_REASON, answered_gist, only_hears
from contextwright.text.conditions import said_conditions, told_conditions
from contextwright.text.directives import directives
from contextwright.text.foreign_statements import lasting_words
from contextwright.text.remarks import remarks
from contextwright.text.speakers import UNNAMED

SPEAKERS = ("user", "assistant")
ANSWER, BEHIND = 1, 3
"""Exchanges behind what a user said that tell whether it was only heard, and whether it was passed
over."""
READ = 1_000
"""Characters of each of these that are looked at."""
Wording = tuple[str, ...]
Words = Callable[[int], tuple[str, str]]
"""Who said what the first message of an exchange says."""


def directives_at(blocks: Sequence[Block], at: int, stop: int) -> Wording:
    """What an exchange says that holds from there on, in a conversation of `stop` exchanges."""

    def look(words_at: Words) -> Wording:
        role, text = words_at(at)
        if role not in SPEAKERS:
            return ()
        lasting = directives(text, role)
        if lasting or role != "user" or at + ANSWER >= stop:
            return lasting
        who, answer = words_at(at + ANSWER)  # few do, so this is asked first
        is_heard = who == "assistant" and acknowledges(answer, text) and may_hold(text)
        return (text,) if is_heard and not blocks[at + ANSWER].has_calls else ()

    return _looked_at(blocks, look)


def passed_over_at(blocks: Sequence[Block], at: int, stop: int) -> Wording:
    """What a user says in an exchange that nothing came of, in whatever words."""

    def look(words_at: Words) -> Wording:
        role, text = words_at(at)
        if role != "user" or at + 1 >= stop:
            return ()
        places = range(at + 1, min(stop, at + 1 + BEHIND))
        answers = [*takewhile(lambda place: words_at(place)[0] != "user", places)]
        words = (words_at(place)[1][:READ] for place in answers)
        calls = (_calls_of(blocks[place]) for place in answers)  # of few a block is made
        return (text,) if is_passed_over(text, words, calls) and not directives(text) else ()

    return _looked_at(blocks, look)


def _calls_of(block: Block) -> str:
    """The arguments of its calls, as far as they are looked at."""
    calls = block.calls if block.has_calls else ()
    return " ".join(call.arguments for call in calls)[:READ]


def choices_at(blocks: Sequence[Block], at: int, stop: int) -> Wording:
    """What was asked in front of an exchange in which a user only chooses, and what they chose."""

    def look(words_at: Words) -> Wording:
        role, text = words_at(at)
        if role != "user" or not at or len(text) > MAX_REASON:
            return ()
        who, before = words_at(at - 1)
        if who != "assistant" or not answered_gist(before, text, is_heard=True):
            return ()
        if blocks[at - 1].has_calls:  # few are left by now
            return ()
        acts = at + 1 < stop and blocks[at + 1].has_calls
        is_heard = not acts and at + 1 < stop and _only_hears(*words_at(at + 1))
        gist = answered_gist(before, text, acts=acts, is_heard=is_heard)
        return (gist, text) if gist else ()

    return _looked_at(blocks, look)


def _only_hears(role: str, answer: str) -> bool:
    return role == "assistant" and only_hears(without_thinking(answer))


def remarks_at(blocks: Sequence[Block], at: int, stop: int) -> Wording:
    """What a user says in an exchange beside what they ask for."""

    def look(words_at: Words) -> Wording:
        role, text = words_at(at)
        if role != "user" or not (all_remarks := remarks(text)):
            return ()
        if remarks(text, "?"):  # it asks for something: whatever stands in front, it is no answer
            return all_remarks
        who, before = words_at(at - 1) if at else ("", "")
        return remarks(text, before) if who == "assistant" else all_remarks

    return _looked_at(blocks, look)


def foreign_at(blocks: Sequence[Block], at: int, stop: int) -> Wording:
    """What a user says in an exchange in another language than English, and what may hold."""

    def look(words_at: Words) -> Wording:
        role, text = words_at(at)
        words = lasting_words(text) if role == "user" else ""
        return (words,) if words else ()

    return _looked_at(blocks, look)


def conditions_at(blocks: Sequence[Block], at: int, stop: int) -> Wording:
    """What an agent or a tool lays down in an exchange for those who go on."""
    block = blocks[at]
    if block.role != "assistant":
        return ()
    is_named = block.author not in UNNAMED and at + 1 < stop
    follower = blocks[at + 1].author if is_named else ""
    to_others = follower not in {*UNNAMED, block.author}
    of_tools = (one for result in block.results for one in told_conditions(result.text))
    return (*said_conditions(words_of(block), to_others), *of_tools)


def _looked_at(blocks: Sequence[Block], look: Callable[[Words], Wording]) -> Wording:
    """What there is to find, in the log's own words where they are what is sent."""
    if isinstance(blocks, LoggedBlocks):
        wording = look(blocks.words_at)
        if not (wording and blocks.is_mapped):  # words in between may leave less of it
            return wording
    return look(lambda place: said_by(blocks[place]))


def words_at(blocks: Sequence[Block], at: int) -> tuple[str, str]:
    """Who said what the first message of an exchange says, in the log's own words where no block is
    made of it yet: words in between may leave less."""
    return blocks.words_at(at) if isinstance(blocks, LoggedBlocks) else said_by(blocks[at])


def _between(start: int, stop: int, among: Sequence[int] | None) -> Sequence[int]:
    if among is None:
        return range(start, stop)
    return among[bisect_left(among, start) : bisect_left(among, stop)]


class LastingPlaces:
    """Exchanges that say what holds on, or may; of those of one wording the newest.

    Args:
        wording_at: what one of a conversation says, `directives_at`, `remarks_at` or `foreign_at`.
    """

    def __init__(self, wording_at: Callable[[Sequence[Block], int, int], Wording]) -> None:
        self._wording_at = wording_at
        self._start = self._stop = 0  # between them each exchange was looked at
        self._newest: list[int] = []
        self._wordings: dict[int, Wording] = {}
        self._places: dict[Wording, list[int]] = {}

    def truncate(self, start: int) -> None:
        """Forget the exchanges from `start` on."""
        while self._newest and self._newest[-1] >= start:
            at = self._newest.pop()
            wording = self._wordings.pop(at)
            places = self._places[wording]
            places.pop()
            if places:
                insort(self._newest, places[-1])
            else:
                del self._places[wording]
        self._stop = min(self._stop, start)
        self._start = min(self._start, start)

    def before(
        self,
        blocks: Sequence[Block],
        stop: int,
        upto: int,
        start: int = 0,
        among: Sequence[int] | None = None,
    ) -> Iterator[int]:
        """Those from `start` to `upto` in a conversation of `stop` exchanges, the newest first.
        What says the same as a later one is none.

        Args:
            among: the places that may be one, ascending; None for all.
        """
        self.truncate(stop)
        if self._start == self._stop:  # nothing to go on from
            self._start = self._stop = stop
        self.truncate(max(self._start, self._stop - BEHIND))  # what came of them was not there yet
        for at in _between(self._stop, stop, among):
            if wording := self._wording_at(blocks, at, stop):
                self._put(at, wording)
        self._stop = stop
        newest = self._newest
        yield from reversed(newest[bisect_left(newest, start) : bisect_left(newest, upto)])
        wording_at = self._wording_at
        for at in reversed(_between(start, self._start, among)):
            self._start = at
            wording = wording_at(blocks, at, stop)  # most say nothing that holds
            if wording and self._put(at, wording) and at < upto:
                yield at

    def _put(self, at: int, wording: Wording) -> bool:
        """Put an exchange at either end of those that are known; whether it is the newest of its
        wording."""
        places = self._places.setdefault(wording, [])
        self._wordings[at] = wording
        if places and at < places[0]:
            places.insert(0, at)
            return False
        if places:
            del self._newest[bisect_left(self._newest, places[-1])]
        places.append(at)
        insort(self._newest, at)
        return True
