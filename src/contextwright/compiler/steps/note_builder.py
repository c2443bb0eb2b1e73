"""A note in the making: what it stands for, and forms for exchanges while there is room."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from contextwright.blocks.block import Block
from contextwright.compiler.steps.exchange_features import words_of
from contextwright.compiler.steps.forms import FORMS, NoteEntry, entries, entry
from contextwright.compiler.steps.history import History
from contextwright.compiler.steps.last_uses import Rank, Sizes
from contextwright.spec.inputs import Inputs
from contextwright.text.languages import is_foreign

REACH = 1_024
"""Exchanges in front of what a note ends with: what was used last before them is told only as a
rule, a request or the task. Else the last few tokens of a note are offered to all of a session."""
LEAST = 12
"""Tokens of a note in which no more exchanges are told: an id, who spoke, and a word or two. They
go to the identifiers of what is not told (docs/adr/0199-a-note-is-full-before-its-last-tokens.md).
"""
LONGEST_REQUEST = 300
"""Characters of what a user asked for that tell whether it is over."""
LASTING = ("rule", "remark")
"""Forms of what holds on, whatever came of it."""
UNTOLD = (None, "remark", "condition")
"""Forms of an exchange of which what was asked for, and what was done, is not told."""


class NoteScope(msgspec.Struct, frozen=True, eq=False):
    """What a note stands for.

    Args:
        blocks: the conversation; the request has `stop` of its exchanges.
        upto: exchanges before this one are in the note, but for those in `held`.
        page: tokens that are read back at once.
    """

    blocks: Sequence[Block]
    stop: int
    upto: int
    held: frozenset[int]
    history: History
    inputs: Inputs
    page: int

    def is_repeated(self, at: int) -> bool:
        """Whether a later exchange tells what this one does."""
        return self.history.repeats.is_repeated(at, self.stop)

    def is_outdated(self, at: int) -> bool:
        """Whether a later exchange says anew what this one says."""
        return self.history.newer.is_outdated(self.blocks[at], at, self.stop)


def end_of_request(scope: NoteScope, at: int) -> int | None:
    """The exchange that says, later on, that what a user asked for at `at` is over; where that was
    in another language than English, that tells of it last."""
    request, history = words_of(scope.blocks[at])[:LONGEST_REQUEST], scope.history
    look = history.last_word_on if is_foreign(request) else history.end_of
    return look(scope.blocks, request, at)


class NoteBuilder:
    """A note in the making: forms for exchanges while there is room."""

    def __init__(self, scope: NoteScope, room: int) -> None:
        self.scope = scope
        self.uses = scope.history.uses
        self.left = room
        self.forms: dict[int, str] = {}
        self.units: list[int] = []  # so many forms at the end of what stands together
        self.in_files: set[int] = set()  # exchanges that what is told of files has whole
        self.silent: set[int] = set()  # those of which what is told of lists says all
        self._ends: dict[int, int | None] = {}
        self._statuses: dict[int, int | None] = {}
        tables = ((form, entries(form, scope.inputs, scope.page)) for form in FORMS)
        self._entries = {form: table.get for form, table in tables}

    def block(self, at: int) -> Block:
        return self.scope.blocks[at]

    def entry(self, at: int, form: str) -> NoteEntry:
        block = self.scope.blocks[at]
        known = self._entries[form](block)
        return (
            known if known is not None else entry(block, form, self.scope.inputs, self.scope.page)
        )

    def words(self, at: int, form: str) -> str:
        """What stands of somebody's words, without who says it."""
        return self.entry(at, form).text.partition(": ")[2]

    def more(self, at: int, form: str) -> int:
        """The tokens that it takes more to tell it so."""
        before = self.forms.get(at)
        tokens = self.entry(at, form).tokens
        return tokens - (self.entry(at, before).tokens if before is not None else 0)

    def put(self, at: int, form: str) -> bool:
        """Tell it so, if there is room; what a user asked for with what says that it is over, where
        that is not in sight: without it, it would look as if it were still to do."""
        if self.forms.get(at) == "question" and form != "whole":
            return True  # what was chosen says nothing without it
        more, end = self.more(at, form), None
        if form not in LASTING and self.forms.get(at) in UNTOLD:
            end = self.untold_end(at)
            more += self.more(end, self.form_of_end(end)) if end is not None else 0
        if more > self.left:
            return False
        self.left -= more
        self.forms[at] = form
        if end is not None:
            self.forms[end] = self.form_of_end(end)
        return True

    def untold_end(self, at: int) -> int | None:
        """The exchange that says that what a user asked for is over, if nothing tells it; where
        nobody says so, the last in which a tool tells how it is, whatever that is."""
        end = self.end_of(at)
        if end is None or is_foreign(words_of(self.block(at))[:LONGEST_REQUEST]):
            both = (end, self._status_of(at))
            end = max((one for one in both if one is not None), default=None)
        return self.untold(end)

    def _status_of(self, at: int) -> int | None:
        block = self.block(at)
        if block.role != "user":
            return None
        if at not in self._statuses:
            request, history = words_of(block)[:LONGEST_REQUEST], self.scope.history
            self._statuses[at] = history.last_status_of(self.scope.blocks, request, at)
        return self._statuses[at]

    def form_of_end(self, at: int) -> str:
        """In which form it is told that something is over: what a tool says stands in its
        result."""
        return "bare" if self.block(at).results else "line"

    def untold(self, at: int | None) -> int | None:
        """An exchange, if it is one of those that the note stands for, and nothing tells it."""
        scope = self.scope
        if at is None or at >= scope.upto or at in scope.held:
            return None
        return at if self.forms.get(at) in UNTOLD else None

    def end_of(self, at: int) -> int | None:
        """As `end_of_request`, of an exchange that may be no user's."""
        if self.block(at).role == "user" and at not in self._ends:
            self._ends[at] = end_of_request(self.scope, at)
        return self._ends.get(at)

    def is_told_elsewhere(self, at: int) -> bool:
        """Whether a later exchange, or what a file holds by now, tells what this one does, or what
        has become of it."""
        scope = self.scope
        return at in self.in_files or scope.is_repeated(at) or scope.is_outdated(at)

    def in_order(self) -> list[Rank]:
        """What it tells, those used last first."""
        return sorted(map(self.uses.rank, self.forms))

    def fitting(self, measure: str, size_of: Callable[[int], int]) -> Iterator[int]:
        """What it tells and what it has room for when its turn comes, those used last first.

        Args:
            size_of: tokens that an exchange needs which is not told yet; `measure` names it. With
                fewer than `LEAST` left there is room for none.
        """
        sizes = self.uses.sizes(measure)
        present, at, place = self.in_order(), None, 0
        ahead = self._next_fitting(sizes, None, size_of)
        while ahead is not None or place < len(present):
            left = self.left
            if ahead is None or (place < len(present) and present[place] < ahead):
                rank = present[place]
                place += 1
            else:
                rank = ahead
            at = rank[2]
            yield at
            if rank == ahead or self.left > left:
                ahead = self._next_fitting(sizes, rank, size_of)
            elif ahead is not None and self.uses.tokens(sizes, ahead[2]) > self.left:
                # what had no room in front of it has none in less
                ahead = self._next_fitting(sizes, ahead, size_of)

    def _next_fitting(
        self, sizes: Sizes, rank: Rank | None, size_of: Callable[[int], int]
    ) -> Rank | None:
        """The next exchange behind `rank` that is not told and has room."""
        scope = self.scope
        while self.left >= LEAST:
            rank = self.uses.following(sizes, rank, self.left)
            if rank is None or -rank[0] < scope.upto - REACH:
                return None
            at = rank[2]
            if at in self.forms or at >= scope.upto or at in scope.held or at in self.silent:
                continue
            if scope.is_outdated(at) and not words_of(self.block(at)).strip():
                continue
            if not (tokens := self.uses.tokens(sizes, at)):
                self.uses.learn(sizes, rank, tokens := max(LEAST, size_of(at)))
            if tokens <= self.left:
                return rank
        return None
