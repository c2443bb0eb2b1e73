"""How much the identifiers of a conversation weigh: those most that were said most and latest."""

import re
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush

from contextwright.blocks.block import Block
from contextwright.compiler.steps.exchange_features import (
    about,
    identifiers,
    record_names,
    result_identifiers,
    words_of,
)
from contextwright.memo.ownership import cached_text
from contextwright.text.page_snapshot import without_frame
from contextwright.text.pasted_text import own_words

NAME = 120
"""Characters of the longest identifier that an index names."""
IN_WORDS, IN_RESULT, IN_CALL = 2_000, 1_000, 6_000
"""Weight of an identifier by where it stands: in words, in a result, in a call."""
OF_RECORD = 1
"""Weight of what a record of a result is called: it comes behind all identifiers, where they leave
room. Among them it cost recorded service sessions that are one two calls of 130."""

_NOTHING = re.compile(
    r"^(?:(?:[^\w\n]|_)+|\d{1,9}\.\d{3,}|\d{4}-\d\d-\d\dT\d\d|\d\d(?:\.\d+)?Z"
    r"|TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)$",
    re.MULTILINE,
)
"""Words of results that name nothing: lines that are drawn, measures and scores such as `0.8126`,
pieces of a time, how bad a line of a log is. Of 142 of these times in recorded service sessions no
later call named one."""
_HEAD = re.compile(r"\s*[A-Z][A-Z_()%-]*(?:(?:  +|\t)[A-Z][A-Z_()% -]*)+\n")
"""The head of a table in columns, in capitals: what it holds, and no name of anything."""
_CAME_FROM = re.compile(
    r"\b(?:utm_\w{1,20}|srsltid|[a-z]{0,4}clid|mc_[ce]id|igshid|vero_id)=[\w.~%+-]*"
)
"""Parameters of an address that tell where its reader came from."""
_NUMBERS = re.compile(r"^[\d.,]+[A-Za-z%]{0,2}$", re.MULTILINE)
_is_amount = re.compile(r"\d+(?:/\d+|(?:[.,]\d+)?(?:[smhdwx%]|ms|kB|[KMG]i?B?))").fullmatch
"""A number with a unit, or of how many: `22h`, `1/1`."""
MANY_NUMBERS = 40
"""Numbers, with a unit or without, from which on they are a table's or a series': a later call is
about none of them, or about one that somebody said."""

WORD = 300
"""Bytes of a word and its sums, about."""
MANY = 64
"""Words of equal shares from which on they have a heap."""
_Sum = tuple[int, int, int]
"""Of a word: its shares; its shares times their places; the exchange that named it first."""


_Ahead = tuple[int, str, int, int]
"""Minus the weight of a word, the word, its shares, and its place in their heap, -1 without one."""


class WordWeights:
    """The identifiers of the exchanges of a conversation, from `first` on, by their weight.

    A share at place `at` of `upto` weighs `share * (1 + at / upto)`: of two exchanges the later
    one counts up to twice as much. So a word weighs `shares * upto + placed`, in parts of `upto`:
    whole numbers that grow with each exchange, whatever `upto` is. Words with equal shares stay
    in one order for ever, by `placed`, and none weighs twice as much as another of them: the
    order of all is merged from theirs, and few of them are looked at.
    """

    def __init__(self, first: int = 0) -> None:
        self._from = self._upto = first
        self._sums: dict[str, _Sum] = {}
        self._equal: dict[int, set[str]] = {}  # shares -> words
        self._heaps: dict[int, list[tuple[int, str]]] = {}  # of many words: (-placed, word)
        self._shares: list[int] = []  # those that words have, ascending

    @property
    def held_bytes(self) -> int:
        """About what it holds."""
        return WORD * len(self._sums)

    @property
    def upto(self) -> int:
        """The exchange behind the last that is weighed."""
        return self._upto

    def move(self, blocks: Sequence[Block], upto: int) -> None:
        """Weigh the exchanges before `upto`, and no others."""
        changed: dict[str, _Sum | None] = {}
        upto = max(upto, self._from)
        for at, block in enumerate(blocks[self._upto : upto], self._upto):
            self._add(block, at, 1, changed)
        for at in range(self._upto - 1, upto - 1, -1):
            self._add(blocks[at], at, -1, changed)
        self._upto = upto
        for word, before in changed.items():
            self._file(word, before)

    def _add(self, block: Block, at: int, sign: int, changed: dict[str, _Sum | None]) -> None:
        sums = self._sums
        for word, share in weighed(block):
            known = sums.get(word)
            changed.setdefault(word, known)
            shares, placed, first = known or (0, 0, at)
            shares += sign * share
            if shares:
                sums[word] = shares, placed + sign * share * at, first
            else:
                del sums[word]

    def _file(self, word: str, before: _Sum | None) -> None:
        """Put a word where its sums are now."""
        after = self._sums.get(word)
        if before is not None and (after is None or after[0] != before[0]):
            words = self._equal[before[0]]
            words.discard(word)
            if not words:
                del self._equal[before[0]], self._shares[bisect_left(self._shares, before[0])]
                self._heaps.pop(before[0], None)
        if after is None or after == before:
            return
        words = self._equal.get(after[0])
        if words is None:
            words = self._equal[after[0]] = set()
            insort(self._shares, after[0])
        words.add(word)
        if (heap := self._heaps.get(after[0])) is not None:
            heappush(heap, (-after[1], word))

    def ranked(self) -> Iterator[str]:
        """The words, the heaviest first; of equals by their letters."""
        ahead: list[_Ahead] = []
        unopened, last = len(self._shares), ""
        while True:
            while unopened and (
                not ahead or 2 * self._shares[unopened - 1] * self._upto > -ahead[0][0]
            ):
                unopened -= 1
                self._open(self._shares[unopened], ahead)
            if not ahead:
                return
            _, word, shares, place = heappop(ahead)
            if place >= 0:
                entry = self._heaps[shares][place]
                self._push(shares, 2 * place + 1, ahead)
                self._push(shares, 2 * place + 2, ahead)
                if word == last or self._sums.get(word, (0, 0))[:2] != (shares, -entry[0]):
                    continue
                last = word
            yield word

    def _open(self, shares: int, ahead: list[_Ahead]) -> None:
        """Put the words of equal shares in line; of many, only the first."""
        words, sums, weight = self._equal[shares], self._sums, shares * self._upto
        if len(words) < MANY:
            self._heaps.pop(shares, None)
            for word in words:
                heappush(ahead, (-weight - sums[word][1], word, shares, -1))
            return
        heap = self._heaps.get(shares)
        if heap is None or len(heap) > 2 * len(words):
            heap = self._heaps[shares] = [(-sums[word][1], word) for word in words]
            heapify(heap)
        self._push(shares, 0, ahead)

    def _push(self, shares: int, place: int, ahead: list[_Ahead]) -> None:
        heap = self._heaps[shares]
        if place < len(heap):
            placed, word = heap[place]
            heappush(ahead, (placed - shares * self._upto, word, shares, place))

    def first(self, word: str) -> int:
        """The exchange that named a word first."""
        return self._sums[word][2]


@cached_text
def weighed(block: Block) -> tuple[tuple[str, int], ...]:
    """Identifiers of an exchange, by where they stand: in its words, a result, a call."""
    words = words_of(block)
    own = own_words(words) if block.role == "user" else words
    pairs = [(word, IN_WORDS) for word in identifiers(own) if len(word) <= NAME]
    if own != words:
        pairs += [(word, IN_RESULT) for word in _worth_naming(words) if len(word) <= NAME]
    for result in block.results:
        words = _worth_naming(result.text)
        pairs += [(word, _in_result(word)) for word in words if len(word) <= NAME]
        pairs += [(name, OF_RECORD) for name in record_names(result.text)]
    pairs += [(word, IN_CALL) for word in about(block) if len(word) <= NAME]
    return tuple(pairs)


def _in_result(word: str) -> int:
    return OF_RECORD if _is_amount(word) else IN_RESULT


def _without_head(text: str) -> str:
    head = _HEAD.match(text)
    return text[head.end() :] if head is not None else text


def _worth_naming(text: str) -> Sequence[str]:
    """The identifiers of a result without what nobody names again."""
    if "id=" in text or "utm_" in text:
        text = _CAME_FROM.sub("", text)
    words = result_identifiers(_without_head(without_frame(text)))
    every = "\n".join(words)
    nothing = set(_NOTHING.findall(every))
    if len(words) > MANY_NUMBERS and len(numbers := _NUMBERS.findall(every)) > MANY_NUMBERS:
        nothing.update(numbers)
    return [word for word in words if word not in nothing] if nothing else words


@cached_text
def places_of_words(block: Block) -> dict[str, int]:
    """Where each identifier of an exchange stands first among its weights: an index names some of
    the many words of a large result, at each step."""
    pairs = weighed(block)
    return {pairs[number][0]: number for number in range(len(pairs) - 1, -1, -1)}
