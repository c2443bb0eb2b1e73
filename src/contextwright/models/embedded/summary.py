"""An extractive summary: what holds from there on, what was asked for with what came of it, and the
lines with the most frequent words, none twice.

Word probability (SumBasic), a position prior, and a choice against repetition (MMR), under a
token budget. Measured on documentation pages: such a choice with a position prior recalls .20
of a reference's words, without the prior .16, random .16.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from heapq import nsmallest
from itertools import chain, compress

import msgspec

from contextwright.blocks.block import SCORE_ONE, Block
from contextwright.models.embedded.call_lines import old_calls
from contextwright.models.embedded.summary_lines import (
    AGENTS,
    ALONE,
    LASTING,
    MESSAGES,
    PAIRS,
    REMARKS,
    RULE,
    SHORT,
    Kind,
    SummaryLine,
    lines_before,
    lines_of,
    old_statements,
    with_newest_todos,
)
from contextwright.spec.task import Task
from contextwright.text.acknowledgement import acknowledges, begins_so, may_hold
from contextwright.text.directives import MAX_SENTENCE
from contextwright.text.end_messages import EndMessages
from contextwright.text.end_sentences import is_begun
from contextwright.text.foreign_wordings import sounds_lasting
from contextwright.text.request_ends import is_called_off, is_done, may_end
from contextwright.text.search_terms import content_words
from contextwright.text.speakers import NAMED_ASSISTANT, UNNAMED

READ, FIRST_READ = 240_000, 16
"""Characters of the newest blocks that a summary is chosen from, as many as a language model reads
in one question (60,000 tokens), and how many of the first are read beside them. A summary is
brought up to date as its session grows, so more comes only where a long one is compiled first."""
DEFAULT_TOKENS = 200
"""Tokens of a summary where a task names none."""
RULES = 65
"""Percent of a summary for what holds from where it was said on, the newest first."""
FOREIGN = 180
"""Characters of what is said in another language than English, where all of a message is told."""
REQUESTS = 10
"""Percent for what was asked for and what came of it, the newest first. With 30, they had .42."""
TODOS = 30
"""Percent for a to-do list that an agent keeps by calls, in its newest state: what is to be done is
what it goes on from."""
USERS_LOOKED_AT = 12
"""Lines of a user's behind a request that may call it off."""
_NAMED_BEFORE = re.compile(rf"^{NAMED_ASSISTANT}: ", re.MULTILINE)
NONE = -1
"""No place."""
WIDEST = 400
"""Lines that are weighed against each other, the most telling ones; more where more fit."""
MAX_WIDEST = 1_500
REPLACES = 0.5
"""Weight of what says anew what was otherwise before: it is what is so by now."""
SCALE = 1_000_000
SPEAKER = len(f"\n{AGENTS}")
SENTENCE = 6
"""Tokens of a short sentence."""


class _Weighed(msgspec.Struct, frozen=True):
    line: SummaryLine
    order: int
    weight: float
    tokens: int


def blocks_read(blocks: Sequence[Block]) -> Sequence[Block]:
    """The blocks that a summary is chosen from: all, or the first and the newest."""
    left, start = READ, len(blocks)
    while left > 0 and start > 0:
        start -= 1
        left -= len(blocks[start].plain_text)
    return blocks if start <= FIRST_READ else (*blocks[:FIRST_READ], *blocks[start:])


def summary(task: Task, count: Callable[[str], int]) -> str:
    """The lines, those of the summary before first, in at most `max_tokens`, and what still holds
    in `rule_tokens` beside."""
    task = msgspec.structs.replace(task, blocks=blocks_read(task.blocks))
    room = task.max_tokens or DEFAULT_TOKENS
    todos = partial(with_newest_todos, most=room * TODOS // 100, count=count)
    choice = _Choice(_lines(task, todos), room, count)
    choice.put_todos()
    choice.put_rules(task.rule_tokens)
    choice.put_requests()
    weighed = _weighed(task, choice)
    choice.put_heaviest(weighed)
    choice.put_requests(filling=True)
    lines = choice.in_order()
    if not lines:
        heaviest = weighed[0].line if weighed else choice.newest
        return _beginning(heaviest.bare, choice.room, count) if heaviest else ""
    while _is_longer(text := "\n".join(line.text for line in lines), task):
        if len(choice.units) < 2:
            first = lines[0]
            is_shorter = first.kind in ALONE and not _is_longer(first.bare, task)
            return first.bare if is_shorter else ""
        choice.units.pop()
        lines = choice.in_order()
    return text


class _PlacedLine(msgspec.Struct, frozen=True):
    """A line, what it weighs where it stands, and the place of the answer without which it would
    look like something to do."""

    line: SummaryLine
    bonus: float
    answer: int = NONE


def _lines(
    task: Task, newest: Callable[[Sequence[SummaryLine]], list[SummaryLine | None]]
) -> list[_PlacedLine]:
    """All lines, those of the summary before first, each with a bonus for users' words, for what
    begins a message, and for the first and last messages.

    Args:
        newest: gives the lines with None in the place of those that later ones replace.
    """
    before = [_PlacedLine(line, line.bonus) for line in lines_before(task.previous)]
    named = _are_several(task)
    by_block = [lines_of(block, SHORT, named) for block in task.blocks]
    if not any(by_block):
        by_block = [lines_of(block, 0, named) for block in task.blocks]
    last = max((place for place, one in enumerate(by_block) if one), default=0) or 1

    def placed(place: int, lines: tuple[SummaryLine, ...]) -> Iterator[_PlacedLine]:
        edge = 0.2 * (1 - 2 * (min(place, last - place) / last))
        score = max(0, task.blocks[place].score) / SCORE_ONE
        return (_PlacedLine(line, line.bonus + edge + score) for line in lines)

    lines = [*before, *chain.from_iterable(placed(*one) for one in enumerate(by_block))]
    shown = newest([each.line for each in lines])
    replaced = old_statements([each.line for each in lines])
    old = {*old_calls([each.line.text for each in lines]), *replaced}
    for place in set(replaced.values()):
        each = lines[place]
        lines[place] = msgspec.structs.replace(each, bonus=each.bonus + REPLACES)
    is_shown = [line is not None and place not in old for place, line in enumerate(shown)]
    pairs = compress(zip(lines, shown, strict=True), is_shown)
    lines = _with_late_ends([msgspec.structs.replace(each, line=line) for each, line in pairs])
    return [*reversed([*_newest_first(lines, sum(is_shown[: len(before)]))])]


def _with_late_ends(lines: list[_PlacedLine]) -> list[_PlacedLine]:
    """The lines, with what a user asked for as a request beside what says, anywhere behind it, that
    it is over, naming it; and what an agent only began by then as what stands in no summary."""
    ends, made = EndMessages(), list[_PlacedLine]()
    for place in reversed(range(len(lines))):
        each = lines[place]
        line, role = each.line, "user" if each.line.is_users else "assistant"
        begun = role == "assistant" and is_begun(line.bare)
        if begun or (line.is_users and line.kind in MESSAGES):
            foreign = line.kind == "foreign"
            look = ends.last_word_on if foreign else ends.end_of
            over = look(line.bare, place + 1, len(lines))
            if over is not None:
                kind = "begun" if begun else line.kind if foreign else "request"
                line = msgspec.structs.replace(line, kind=kind)
                each = _PlacedLine(line, each.bonus, NONE if begun else over)
        ends.add(place, line.bare, role)
        made.append(each)
    return [*reversed(made)]


def _are_several(task: Task) -> bool:
    """Whether several agents speak: then each is named."""
    authors = {block.author for block in task.blocks if block.role == "assistant"}
    return len(authors - UNNAMED) > 1 or _NAMED_BEFORE.search(task.previous) is not None


def _newest_first(lines: list[_PlacedLine], before: int) -> Iterator[_PlacedLine]:
    """The lines, with what a user asked for in the words of a rule as a request where an answer in
    its turn says that it was done, or the user called it off soon after; and with what was only
    heard as what holds.

    Args:
        before: lines of the summary before, in which neighbours may be of other turns.
    """
    users, is_users = deque[SummaryLine](maxlen=USERS_LOOKED_AT), False
    ends = deque[SummaryLine](maxlen=USERS_LOOKED_AT)  # of later turns, too
    end = nearest = None  # of the turn's answers, and the one next to it
    answers_at = list[int]()  # of the turn, the last first
    next_to = NONE
    for place in reversed(range(len(lines))):
        each = lines[place]
        line = each.line
        if not line.is_users:
            if is_users:  # of the turn before
                end, answers_at = None, []
            end, nearest = end or (line if line.kind == "end" else None), line
            next_to = place
            if line.kind == "end":
                ends.append(line)
                answers_at.append(place)
        elif line.kind == "correction":
            of_it = [at for at in answers_at if line.words & lines[at].line.words]
            answer = max(of_it, key=partial(_shared, lines, line), default=NONE)
            each = msgspec.structs.replace(each, answer=answer)
        elif line.kind == "rule" and may_end(line.bare):
            answers = (one for one in (nearest, end) if one is not None)
            is_over = any(
                is_done(line.bare, one.bare, is_next=one.kind == "end" and place >= before)
                for one in answers
            )
            if is_over or _is_called_off(line, users):
                each = _PlacedLine(msgspec.structs.replace(line, kind="request"), each.bonus)
        elif (
            nearest
            and each.answer == NONE
            and _is_heard(line, nearest, place < before, next_to - place)
        ):
            is_over = any(
                is_done(line.bare, one.bare, is_next=False, is_worded=False) for one in ends
            )
            if not (is_over or _is_called_off(line, users)):
                heard = msgspec.structs.replace(line, kind="heard")
                each = _PlacedLine(heard, each.bonus, next_to)
        if is_users := line.is_users:
            users.append(line)
        yield each


def _shared(lines: Sequence[_PlacedLine], line: SummaryLine, at: int) -> int:
    """Words that a line shares with the one at a place."""
    return len(line.words & lines[at].line.words)


def _is_called_off(line: SummaryLine, users: Iterable[SummaryLine]) -> bool:
    return any(is_called_off(line.bare, one.bare) for one in users)


def _is_heard(line: SummaryLine, answer: SummaryLine, is_before: bool, distance: int) -> bool:
    """Whether all that came of a user's words is that they were heard.

    Args:
        answer: the next line that is not the user's, so many lines behind it.
        is_before: whether the line is of the summary before, in which there is one for each.
    """
    is_answer = distance == 1 if is_before else answer.kind == "end" and line.kind in MESSAGES
    return is_answer and may_hold(line.bare) and acknowledges(answer.bare, line.bare)


class _Choice:
    """Lines of a summary while there is room: units of one line, or of a request with what came of
    it, those first that are worth most."""

    def __init__(self, lines: list[_PlacedLine], room: int, count: Callable[[str], int]) -> None:
        self.lines, self.room, self.count = lines, room, count
        self.units: list[list[int]] = []
        self._left = room

    def in_order(self) -> list[SummaryLine]:
        """What was chosen, as it was said."""
        return [self.lines[place].line for place in sorted(self.places)]

    @property
    def newest(self) -> SummaryLine | None:
        """The line that was said last."""
        return next((each.line for each in reversed(self.lines) if each.line.words), None)

    @property
    def places(self) -> set[int]:
        """Places of what was chosen."""
        return {*chain.from_iterable(self.units)}

    def _put(self, unit: list[int], most: int) -> int:
        """The tokens of a unit that has room, and then stands; 0 where it has none."""
        taken = sum(self.count(self.lines[place].line.text) + 1 for place in unit)
        if taken > min(most, self._left):
            return 0
        self.units.append(unit)
        self._left -= taken
        return taken

    def put_todos(self) -> None:
        """The to-do lists, the one that was changed last first."""
        left = self.room * TODOS // 100
        for place in reversed(range(len(self.lines))):
            if self.lines[place].line.kind == "todo":
                left -= self._put([place], left)

    def put_rules(self, more: int) -> None:
        """What holds from where it was said on, the newest first, then what else may.

        Args:
            more: tokens that it may have beside its share of the room, and remarks alone.
        """
        share = self.room * RULES // 100
        left, self._left = share + more, self.room + more
        left -= self._put_newest(LASTING, left)
        left -= self._put_foreign(True, min(more, left))
        left -= self._put_newest(LASTING, min(more, left), MAX_SENTENCE)
        left -= self._put_newest(REMARKS, min(more, left))
        left -= self._put_foreign(False, min(more, left))
        self._left = self.room - min(share, share + more - left)

    def _put_newest(self, kinds: frozenset[Kind], most: int, longest: int = RULE) -> int:
        """The tokens of lines of some kinds with so many characters at most, the newest first."""
        known, left = {self.lines[place].line.bare for place in self.places}, most
        for place in reversed(range(len(self.lines))):
            line = self.lines[place].line
            if line.kind in kinds and len(line.bare) <= longest and line.bare not in known:
                known.add(line.bare)
                answer = self.lines[place].answer
                left -= self._put([place] if answer == NONE else [place, answer], left)
        return most - left

    def _put_foreign(self, worded: bool, most: int) -> int:
        """The tokens of what a user said in another language than English, the newest first, each
        with what came of it.

        Args:
            worded: whether it has words of a rule or a decision. Where an answer says that it was
                heard, that tells no more.
        """
        known, left = self.places, most
        for place, outcome in self._with_outcomes():
            line = self.lines[place].line
            if line.kind != "foreign" or len(line.bare) > FOREIGN or place in known:
                continue
            if sounds_lasting(line.bare) == worded:
                is_heard = worded and any(begins_so(self.lines[at].line.bare) for at in outcome)
                left -= self._put([place] if is_heard else [place, *outcome], left)
        return most - left

    def put_requests(self, *, filling: bool = False) -> None:
        """What was asked for, the newest first, each with what came of it: without, what is done
        would look as if it were still to do. The newest has all the room that is left.

        Args:
            filling: whether the others have it too, for nothing else fits.
        """
        left, most, chosen = self.room * REQUESTS // 100, self._left, self.places
        for place, outcome in self._with_outcomes():
            if place in chosen:
                continue
            unit = [place, *(one for one in outcome if one not in chosen)]
            taken = self._put(unit, most)
            if not (taken or filling):
                return
            if taken:
                self._without_parts_of(place)
            left -= taken
            most = self._left if filling else left

    def _without_parts_of(self, place: int) -> None:
        """Take out what was told of a message by itself that now stands in the whole of it."""
        whole = self.lines[place].line.bare
        parts = set[int]()
        for at in range(place + 1, len(self.lines)):
            line = self.lines[at].line
            if not line.is_users or line.kind not in REMARKS or line.bare not in whole:
                break
            parts.add(at)
        for unit in [unit for unit in self.units if parts.issuperset(unit)]:
            self.units.remove(unit)
            self._left += sum(self.count(self.lines[at].line.text) + 1 for at in unit)

    def _with_outcomes(self) -> Iterator[tuple[int, list[int]]]:
        """Places of what was asked for, the newest first, and of what came of it."""
        ends: list[int] = []  # of a turn, the last first
        for place in reversed(range(len(self.lines))):
            each = self.lines[place]
            if each.line.kind == "end":
                ends.append(place)
            elif each.line.kind in PAIRS:
                outcome = self._outcome(each.line, ends) if each.answer == NONE else [each.answer]
                yield place, outcome
                ends = []
            elif each.line.is_users:
                ends = []

    def _outcome(self, request: SummaryLine, ends: list[int]) -> list[int]:
        """The end of a turn's that says most of what was asked for, of these the last: an agent
        that goes on with other work does not end a turn with what came of its request."""
        words = request.words
        return [max(ends, key=lambda at: len(words & self.lines[at].line.words))] if ends else []

    def put_heaviest(self, weighed: list[_Weighed]) -> None:
        """The heaviest that say what is not chosen yet."""
        chosen = [self.lines[place].line.words for place in self.places]
        repeats = {
            n: max((_repeated(each.line.words, words) for words in chosen), default=0.0)
            for n, each in enumerate(weighed)
            if each.tokens < self._left
        }
        while repeats := {n: share for n, share in repeats.items() if share < 1}:
            place = max(repeats, key=lambda n: (weighed[n].weight - repeats[n], -weighed[n].order))
            best = weighed[place]
            del repeats[place]
            self.units.append([best.order])
            self._left -= best.tokens + 1
            repeats = {
                n: max(before, _repeated(weighed[n].line.words, best.line.words))
                for n, before in repeats.items()
                if weighed[n].tokens < self._left
            }


def _repeated(words: frozenset[str], others: frozenset[str]) -> float:
    return len(words & others) / len(words)


def _is_longer(text: str, task: Task) -> bool:
    """Whether it has more characters than what it is a summary of. Of what is added to a summary,
    who said it counts, as it does in a message."""
    speaker = SPEAKER if task.previous else 0
    left = len(text) - len(task.previous)
    for block in task.blocks:
        if left <= 0:
            return False
        left -= len(block.plain_text) + speaker
    return left > 0


def _beginning(text: str, room: int, count: Callable[[str], int]) -> str:
    """As many of a sentence's first words as there is room for, where no sentence fits."""
    split = text.split(" ")
    low, high = 0, len(split)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count(" ".join(split[:middle])) <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    return " ".join(split[:low])


def _weighed(task: Task, choice: _Choice) -> list[_Weighed]:
    """What else may stand, with its weight, the best `WIDEST` lines."""
    often = Counter(chain.from_iterable([each.line.words for each in choice.lines]))
    most = max(often.values(), default=1)
    query_words = set(content_words(f"{task.query} {task.prompt}"))
    # a word of the query that stands everywhere tells nothing; whole numbers, so that the sum is
    # the same in any order
    rare = {word: SCALE // often[word] for word in query_words if often[word]}
    rarest = sum(rare.values()) or 1
    heavy: list[tuple[float, int]] = []
    chosen = choice.places
    for order, each in enumerate(choice.lines):
        words = each.line.words
        if not words or order in chosen or each.line.kind not in ALONE:
            continue
        weight = sum(map(often.__getitem__, words)) / most / len(words)
        if not words.isdisjoint(rare):
            weight += 0.6 * sum(rare[word] for word in words & rare.keys()) / rarest
        heavy.append((-(weight + each.line.cue + each.bonus), order))
    widest = min(MAX_WIDEST, max(WIDEST, task.max_tokens // SENTENCE))
    return [
        _Weighed(line := choice.lines[order].line, order, -weight, choice.count(line.text))
        for weight, order in nsmallest(widest, heavy)
    ]
