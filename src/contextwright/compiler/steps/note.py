"""Which exchanges a note tells, and in how many words: those that were used last, while there is
room."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec

from contextwright.blocks.block import Block
from contextwright.compiler.steps.exchange_features import calls_of, identifiers, words_of
from contextwright.compiler.steps.file_states import FileState, ToldFile, file_states, told_file
from contextwright.compiler.steps.forms import CALLS, FORMS, WORDS, NoteEntry, entries, entry
from contextwright.compiler.steps.history import History
from contextwright.compiler.steps.last_uses import Rank, Sizes
from contextwright.compiler.steps.shown_text import ShownText
from contextwright.spec.inputs import Inputs
from contextwright.text.directives import directives
from contextwright.text.json_rows import loaded
from contextwright.text.request_ends import NEXT, is_called_off, is_done, may_end
from contextwright.text.search_terms import content_words

INDEX = 50
"""Percent of a note, beside rules and decisions, for the identifiers of what it does not tell."""
BARE = 60
"""Percent of a note for each exchange in its fewest words, before any is told in more."""
FIRST = 15
"""Percent of a note up to which the task's first words stand in it whole."""
DIRECTIVES = 33
"""Percent of a note for what holds from where it was said on, rules and decisions, the newest
first. What it takes is taken from lines of calls, of which a session has more."""
SPARED, SPARED_SHARE = 1_200, 85
"""Tokens that these may have of a note with little room, and percent of that room at most: some
eighty of them, each behind its id, which a long talk may have, are worth more than a few lines of
calls. With 700 and 66, of 20 rules and 20 decisions planted in a recorded coding session 16 and 18
outlived 29 steps at 8,000 tokens, with 900 and 70 13 and 13 at 5,000, and with 900 of sixty in a
talk with customers one was lost; now all do, and where a recorded session has fewer, its requests
are the same."""
REMARKS_FROM = 550
"""Tokens of a note from which on what a user said beside a request has the room that rules and
decisions leave: with it, notes of 500 tokens lose two calls of 581 in recorded service sessions,
larger ones none."""
REQUESTS = 6
"""Percent of a note for what else the user said and what came of it, the newest first: what was
asked for tells what the calls were for. On recorded sessions it wins one later call of 130 whose
values are in sight in a talk with many users, and loses five of 356 in a coding session."""
OUTCOMES = 16
"""Exchanges at each end of a turn that are looked through for what came of its request."""
FILES, FILES_FROM = 65, 1_500
"""Percent of a note for what the files hold by now that the agent edits, from so many tokens on
that it has beside rules and requests: an edit names the lines that it replaces, word for word, but
what was done is told first."""
FILE_SHARE = 60
"""Percent of what is left of that for one file, at most."""
LEAST_FILE = 40
"""Tokens below which no file is told."""
LONG_RULE = 40
"""Tokens of the longest rule that is told before others that are older: where tools answer in the
user's name, a page of a manual or of code has words of a rule as well. With any length, of the 20
and 20 planted in six sessions of a coding agent without function calls 5 and 4 were left."""
SENTENCE = 8
"""Tokens that a rule or a decision needs at least."""
MISSES, WORDINGS = 16, 512
"""Rules and decisions without room after which no more are looked at, and how many there are at
most."""
SPOKEN = 200
"""Tokens of a note up to which the assistant's words get what identifiers and results did not
need. With 300, recorded service sessions cost half a percent more for no call more that can be
answered, with 500 recorded tool sessions 3 percent."""
REACH = 1_024
"""Exchanges in front of what a note ends with: what was used last before them is told only as a
rule, a request or the task. Else the last few tokens of a note are offered to all of a session."""
UNTOLD = (None, "remark")
"""Forms of an exchange of which what was asked for is not told."""
NEVER = 1 << 60
"""Tokens of what a note tells in no case."""


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


class NoteContent(msgspec.Struct, frozen=True):
    """What a note tells.

    Args:
        forms: places and forms of exchanges.
        index: identifiers of the rest, with their places.
        files: what the files hold by now.
    """

    forms: tuple[tuple[int, str], ...] = ()
    index: tuple[tuple[str, int], ...] = ()
    files: tuple[ToldFile, ...] = ()


def note_of(scope: NoteScope, room: int) -> NoteContent:
    """What a note tells in so many tokens."""
    first = next((at for at in range(scope.upto) if at not in scope.held), None)
    if room <= 0 or first is None:
        return NoteContent()
    note = _NoteBuilder(scope, room)
    left = _tell_directives(note, directives_room(room))
    if room >= REMARKS_FROM:
        _tell_remarks(note, left)
    _tell_requests(note, room * REQUESTS // 100)
    files = _tell_files(note, max(0, note.left - FILES_FROM) * FILES // 100)
    index_tokens = note.left * INDEX // 100
    note.left -= index_tokens
    _tell_task(note, room)
    _tell_in_few_words(note)
    _tell_results(note)
    shown = [note.entry(at, form).text for at, form in sorted(note.forms.items())]
    shown += [text for _, text in files]
    free = index_tokens + note.left
    index = _index(scope, ShownText((*shown, *_rest_of_request(scope))), free)
    note.left = free - sum(scope.inputs.count(f" {word}") for word, _ in index)
    _tell_words(note)
    return NoteContent(tuple(sorted(note.forms.items())), index, tuple(file for file, _ in files))


def _rest_of_request(scope: NoteScope) -> Iterator[str]:
    """What the request says outside of the note: the instruction, what is held, and what is newer,
    its calls with their arguments."""
    snapshot = scope.inputs.snapshot
    for exchange in snapshot.exchanges(0, snapshot.preamble):
        yield from (event.text for event in exchange.events)
    held = (scope.blocks[at] for at in sorted(scope.held) if at < scope.upto)
    for block in (*held, *scope.blocks[scope.upto : scope.stop]):
        yield block.plain_text
        yield from (call.arguments for call in calls_of(block))


class _NoteBuilder:
    """A note in the making: forms for exchanges while there is room."""

    def __init__(self, scope: NoteScope, room: int) -> None:
        self.scope = scope
        self.uses = scope.history.uses
        self.left = room
        self.forms: dict[int, str] = {}
        self.in_files: set[int] = set()  # exchanges that what is told of files has whole
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
        """Tell it so, if there is room."""
        more = self.more(at, form)
        if more > self.left:
            return False
        self.left -= more
        self.forms[at] = form
        return True

    def is_told_elsewhere(self, at: int) -> bool:
        """Whether a later exchange, or what a file holds by now, tells what this one does."""
        return at in self.in_files or self.scope.is_repeated(at)

    def in_order(self) -> list[Rank]:
        """What it tells, those used last first."""
        return sorted(map(self.uses.rank, self.forms))

    def fitting(self, measure: str, size_of: Callable[[int], int]) -> Iterator[int]:
        """What it tells and what it has room for when its turn comes, those used last first.

        Args:
            size_of: tokens that an exchange needs which is not told yet; `measure` names it.
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
        while self.left > 0:
            rank = self.uses.following(sizes, rank, self.left)
            if rank is None or -rank[0] < scope.upto - REACH:
                return None
            at = rank[2]
            if at in self.forms or at >= scope.upto or at in scope.held:
                continue
            if not (tokens := self.uses.tokens(sizes, at)):
                self.uses.learn(sizes, rank, tokens := size_of(at))
            if tokens <= self.left:
                return rank
        return None


def _tell_task(note: _NoteBuilder, room: int) -> None:
    """The first words of the user that the note stands for."""
    first = note.scope.history.first_user(note.scope.upto, note.scope.held)
    if first is not None:
        short = note.entry(first, "whole").tokens * 100 <= FIRST * room
        note.put(first, "whole" if short else "line")


def directives_room(room: int) -> int:
    """Tokens of a note's room for what holds from where it was said on."""
    return max(room * DIRECTIVES // 100, min(SPARED, room * SPARED_SHARE // 100))


def _tell_directives(note: _NoteBuilder, room: int) -> int:
    """What holds from where it was said on: the newest first, long wordings in what the others
    leave. The room that is left."""
    scope, long, misses = note.scope, list[int](), 0

    def put(at: int) -> int:
        """The tokens of a rule that has room, and then stands; 0 where it has none."""
        tokens = note.entry(at, "rule").tokens
        return tokens if tokens <= room and note.put(at, "rule") else 0

    places = scope.history.directives(scope.blocks, scope.upto, scope.held)
    for at in islice(places, WORDINGS):
        if room < SENTENCE or misses == MISSES:
            break
        if _is_over(note, at, "rule"):
            continue
        if note.entry(at, "rule").tokens > LONG_RULE:
            long.append(at)
        elif taken := put(at):
            room -= taken
        else:
            misses += 1
    for at in long[:MISSES]:
        room -= put(at)
    return room


def _tell_remarks(note: _NoteBuilder, room: int) -> None:
    """What else a user said beside what they asked for, the newest first."""
    scope, misses = note.scope, 0
    for at in islice(scope.history.remarks(scope.blocks, scope.upto, scope.held), WORDINGS):
        if room < SENTENCE or misses == MISSES:
            return
        tokens = note.more(at, "remark")
        if tokens <= 0 or _is_over(note, at, "remark"):
            continue
        if tokens <= room and note.put(at, "remark"):
            room -= tokens
        else:
            misses += 1


def _is_over(note: _NoteBuilder, at: int, form: str) -> bool:
    """Whether what a user asked for, in the words of a rule or in others that were heard or may
    hold, was done, as the answer next to it or at the end of its turn says, or called off soon
    after."""
    scope, request = note.scope, note.words(at, form)
    is_worded = bool(directives(words_of(note.block(at))))
    if note.block(at).role != "user" or not may_end(request):
        return False
    users = scope.history.users_behind(at, NEXT)
    end = users[0] if users else scope.stop  # of the turn
    if is_worded:
        ends = {at + 1, end - 1} if at + 1 < end else set[int]()
    else:  # no wording says that it is a rule: what comes of it comes later
        ends = {one - 1 for one in users} | {one + 1 for one in users} | {end - 1}
    for place in ends & {*range(at + 1, scope.stop)}:
        answer = note.block(place)
        if answer.role == "assistant" and is_done(
            request, answer.plain_text, is_next=is_worded, is_worded=is_worded
        ):
            return True
    return any(is_called_off(request, note.block(place).plain_text) for place in users)


def _tell_requests(note: _NoteBuilder, room: int) -> None:
    """What the user asked for, each with what came of it: without it, what is done would look as
    if it were still to do."""
    scope = note.scope
    for request, *last in scope.history.requests(scope.upto, scope.held):
        places = (request, *(_outcome(note, request, end) for end in last))
        untold = [at for at in places if note.forms.get(at) in UNTOLD]
        room -= sum(note.more(at, "line") for at in untold)
        if room < 0:
            return
        for at in untold:
            note.put(at, "line")


def _outcome(note: _NoteBuilder, request: int, last: int) -> int:
    """Of what the assistant said in a turn the line that names most of what was asked for, the
    newest of these, else the last: an agent that goes on with other work does not end a turn with
    what came of its request."""

    def names(at: int) -> tuple[int, int]:
        text = note.words(at, "line")
        return len(things & {*identifiers(text)}), len(words & {*content_words(text)})

    line = note.words(request, "line")
    things, words = {*identifiers(line)}, {*content_words(line)}
    turn = range(request + 1, last + 1)
    ends = {*turn[:OUTCOMES], *turn[-OUTCOMES:]} - note.scope.held
    answers = {at for at in ends if note.block(at).role == "assistant"}
    return max({last} | answers, key=lambda at: (names(at), at))


def _tell_files(note: _NoteBuilder, room: int) -> list[tuple[ToldFile, str]]:
    """What the files hold by now that the agent edits, those first that were touched last."""
    pairs: list[tuple[ToldFile, str]] = []
    scope, count = note.scope, note.scope.inputs.count
    for state in _files(scope):
        most = room * FILE_SHARE // 100
        if most < LEAST_FILE:
            break
        file = ToldFile(state.at, state.call, most)
        if text := told_file(state, most, count):
            pairs.append((file, text))
            tokens = count(text) + 1
            room, note.left = room - tokens, note.left - tokens
            note.in_files |= state.sources
    return pairs


def _files(scope: NoteScope) -> list[FileState]:
    """Files as the note's exchanges leave them, if the agent edits any."""
    states = file_states(scope.blocks, scope.upto)
    return states if any(state.edited for state in states) else []


def _tell_in_few_words(note: _NoteBuilder) -> None:
    """As many as go into a part of the room."""

    def form_of(at: int) -> str:
        return "bare" if note.block(at).results and at not in note.in_files else "line"

    least = note.left * (100 - BARE) // 100
    for at in note.fitting("few words", lambda at: note.entry(at, form_of(at)).tokens):
        if note.left <= least:
            break
        if note.forms.get(at) in UNTOLD:
            note.put(at, form_of(at))


def _tell_results(note: _NoteBuilder) -> None:
    """Results in more words, and more exchanges, while there is room."""

    def least(at: int) -> int:
        forms = ("line",) if note.block(at).results else _forms(note.block(at))
        return min(note.entry(at, form).tokens for form in forms)

    for at in note.fitting("any words", least):
        if note.forms.get(at) == "whole":
            continue
        for form in ("line",) if note.is_told_elsewhere(at) else _forms(note.block(at)):
            if note.forms.get(at) == form or note.put(at, form):
                break
    for _, _, at in note.in_order():
        if note.forms[at] == "short" and not note.is_told_elsewhere(at):
            if not _is_json(note.block(at)):
                note.put(at, "whole")


def _tell_words(note: _NoteBuilder) -> None:
    """A talk is told in more than its first sentences. Where tools work, only up to a note that
    says something: room that nothing needs puts off the next step."""
    if any(note.block(at).results for at in note.forms):
        taken = sum(note.entry(at, form).tokens for at, form in note.forms.items())
        note.left = min(note.left, SPOKEN - taken)
    for form in WORDS:

        def size(at: int, form: str = form) -> int:
            return NEVER if note.is_told_elsewhere(at) else note.entry(at, form).tokens

        for at in note.fitting(form, size):
            if note.left <= 0:
                return
            if note.forms.get(at) != "whole" and not note.is_told_elsewhere(at):
                note.put(at, form)


def _index(scope: NoteScope, shown: ShownText, room: int) -> tuple[tuple[str, int], ...]:
    """Identifiers of what has no room in a note, those first that were used most and latest.

    Args:
        shown: what the request says anyway.
        room: tokens.
    """
    weights, tokens = scope.history.weights, scope.history.word_tokens
    weights.move(scope.blocks, scope.upto)
    index: list[tuple[str, int]] = []
    for word in weights.ranked():
        if shown.says(word):
            continue
        if word not in tokens:
            tokens[word] = scope.inputs.count(" " + word)
        room -= tokens[word]
        if room < 0:
            break
        index.append((word, weights.first(word)))
    return tuple(index)


def _forms(block: Block) -> tuple[str, ...]:
    """What is tried, the most words first."""
    if not block.results:
        return ("whole", "line") if block.role == "user" else ("line",)
    return tuple(reversed(CALLS))


def _is_json(block: Block) -> bool:
    return all(loaded(result.text) is not None for result in block.results)
