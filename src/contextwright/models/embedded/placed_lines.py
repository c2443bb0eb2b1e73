"""The lines that a summary is chosen from, as they come one behind another: of what later ones say
anew only these, and with what a user asked for, corrected or laid down what came of it."""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain, compress, islice, pairwise

import msgspec

from contextwright.blocks.block import SCORE_ONE, Block
from contextwright.models.embedded.call_lines import is_call_line, old_calls
from contextwright.models.embedded.summary_lines import (
    ALONE,
    CHOICES,
    CORRECTIONS,
    LAID_DOWN,
    MESSAGES,
    SHORT,
    Kind,
    SummaryLine,
    choice_line,
    lines_before,
    lines_of,
    old_statements,
    question_line,
)
from contextwright.spec.task import Task
from contextwright.text.acknowledgement import acknowledges, is_passed_over, may_hold
from contextwright.text.choices import question_gist
from contextwright.text.end_messages import EndMessages
from contextwright.text.end_sentences import is_begun, names_in
from contextwright.text.request_ends import is_called_off, is_done, may_end
from contextwright.text.speakers import NAMED_ASSISTANT, UNNAMED

USERS_LOOKED_AT = 12
"""Lines of a user's behind a request that may call it off."""
CALLS_LOOKED_AT = 1_024
"""Calls, from the last on, that are looked at for what became of a task."""
ANSWERS_LOOKED_AT = 8
"""Lines behind what a user said that tell whether anything came of it."""
_NAMED_BEFORE = re.compile(rf"^{NAMED_ASSISTANT}: ", re.MULTILINE)
NONE, LATER = -1, -2
"""No place; one that is looked for once somebody asks: a summary has room for few lines."""
HOLDING: frozenset[Kind] = frozenset({*LAID_DOWN, "statement"})
"""Kinds of a user's lines that the user may tell anew."""
REPLACES = 0.5
"""Weight of what says anew what was otherwise before: it is what is so by now."""


class PlacedLine(msgspec.Struct, frozen=True):
    """A line, what it weighs where it stands, the place of the answer without which it would look
    like something to do, and whether it is all that a user said, and may be a task."""

    line: SummaryLine
    bonus: float
    answer: int = NONE
    may_be_task: bool = False


class PlacedLines(list[PlacedLine]):
    """Lines one behind another, and what came of each, which is looked for once, where somebody
    asks.

    Args:
        messages: what they say, by their places.
    """

    def __init__(self, lines: Iterable[PlacedLine], messages: EndMessages) -> None:
        super().__init__(lines)
        self._messages = messages
        self._ends: dict[int, int] = {}
        self._news: dict[int, int] = {}

    def answer_to(self, place: int) -> int:
        """The place of the answer without which a line would look like something to do."""
        each = self[place]
        if each.answer != LATER:
            return each.answer
        end = self._ends.get(place)
        if end is None:
            end = self._ends[place] = _end_of(each.line, place, len(self), self._messages)
        return end

    def stands_alone(self, place: int) -> bool:
        """Whether a line may stand by itself: not what a user said of something that is over, nor
        what an agent had only begun."""
        line = self[place].line
        return line.kind in ALONE and self.answer_to(place) == NONE

    def news_of(self, place: int) -> int:
        """The place of what the user said later of a line that says what holds, or of what a tool
        said last of one that may be a task."""
        news = self._news.get(place)
        if news is None:
            news = self._news[place] = self._newest_of(self[place].line, place)
        return news

    def _newest_of(self, line: SummaryLine, place: int) -> int:
        where = place + 1, len(self)
        if line.kind == "choice" and (at := self.answer_to(place)) != NONE:
            question = self[at].line.bare
            ends = self._messages.news_of(question, *where), self._messages.end_of(question, *where)
            return max(NONE if end is None else end for end in ends)
        if line.is_users and line.kind in HOLDING and not self._is_over(place):
            news = self._messages.news_of(line.bare, *where)
            if news is not None and self[news].line.kind != "request" and not self._is_over(news):
                return news
        return self._status_of(place)

    def _is_over(self, place: int) -> bool:
        """Whether a message that was no request as it was worded is over, as only one can be."""
        return self[place].line.kind == "statement" and not self.stands_alone(place)

    def _status_of(self, place: int) -> int:
        """The place of what a call gave last, in a later turn, that has a name of a task's."""
        each = self[place]
        if not each.may_be_task or (each.answer == LATER and self.answer_to(place) != NONE):
            return NONE
        turn = bisect_right(self._turns, place)
        if turn == len(self._turns) or not (names := names_in(each.line.bare)):
            return NONE
        for at in islice(reversed(self._calls), CALLS_LOOKED_AT):
            if at < self._turns[turn]:
                break
            text = self[at].line.bare
            small = text.casefold()
            if any(map(small.__contains__, names)) and not names.isdisjoint(names_in(text)):
                return at
        return NONE

    @cached_property
    def _turns(self) -> list[int]:
        """Where users' messages begin."""
        users = [each.line.is_users for each in self]
        return [at for at, (before, now) in enumerate(pairwise((False, *users))) if now > before]

    @cached_property
    def _calls(self) -> list[int]:
        """Places of what calls gave."""
        return [
            at
            for at, each in enumerate(self)
            if each.line.kind in {"said", "condition"}
            and not each.line.is_users
            and is_call_line(each.line.bare)
        ]


def placed_lines(
    task: Task, newest: Callable[[Sequence[SummaryLine]], list[SummaryLine | None]]
) -> PlacedLines:
    """All lines, those of the summary before first, each with a bonus for users' words, for what
    begins a message, and for the first and last messages.

    Args:
        newest: gives the lines with None in the place of those that later ones replace.
    """
    before = [PlacedLine(line, line.bonus) for line in lines_before(task.previous)]
    named = _are_several(task)
    by_block = [lines_of(block, SHORT, named) for block in task.blocks]
    if not any(by_block):
        by_block = [lines_of(block, 0, named) for block in task.blocks]
    by_block = [*_with_choices(before, task.blocks, by_block, named)]
    last = max((place for place, one in enumerate(by_block) if one), default=0) or 1

    def placed(place: int, lines: tuple[SummaryLine, ...]) -> Iterator[PlacedLine]:
        edge = 0.2 * (1 - 2 * (min(place, last - place) / last))
        score = max(0, task.blocks[place].score) / SCORE_ONE
        return (PlacedLine(line, line.bonus + edge + score) for line in lines)

    lines = [*before, *chain.from_iterable(placed(*one) for one in enumerate(by_block))]
    shown = newest([each.line for each in lines])
    replaced = old_statements([each.line for each in lines])
    old = {*old_calls([each.line.text for each in lines]), *replaced}
    for place in set(replaced.values()):
        each = lines[place]
        lines[place] = msgspec.structs.replace(each, bonus=each.bonus + REPLACES)
    is_shown = [line is not None and place not in old for place, line in enumerate(shown)]
    pairs = compress(zip(lines, shown, strict=True), is_shown)
    lines = [msgspec.structs.replace(each, line=line) for each, line in pairs]
    lines = _with_late_ends(lines)
    newest_first = [*_newest_first(lines, sum(is_shown[: len(before)]))]
    lines[:] = reversed(newest_first)
    return lines


def _with_choices(
    before: list[PlacedLine],
    blocks: Sequence[Block],
    by_block: Iterable[tuple[SummaryLine, ...]],
    named: bool,
) -> Iterator[tuple[SummaryLine, ...]]:
    """The lines of blocks, with what users only chose, and what was asked, in the place of theirs.
    What is asked at the end, also of the summary before, may be answered by what comes."""
    question = before[-1].line if before and _asks(before[-1].line) else None
    if question is not None:
        before[-1] = _of_kind("question", before[-1])
    acts = [*(block.has_calls for block in blocks[1:]), False, False]
    for place, (lines, block) in enumerate(zip(by_block, blocks, strict=True)):
        choice = choice_line(block, question.bare, acts[place]) if question is not None else None
        question = question_line(block, named)
        if question is None and place + 1 < len(blocks) and blocks[place + 1].role == "user":
            question = question_line(block, named, reports=True)
            if question and not choice_line(blocks[place + 1], question.bare, acts[place + 1]):
                question = None  # nobody said what they think of it
        shown = lines if choice is None else (choice,)
        yield shown if question is None else (*shown, question)


def _asks(line: SummaryLine) -> bool:
    return not line.is_users and line.kind in {"said", "end"} and bool(question_gist(line.bare))


def _with_late_ends(lines: Sequence[PlacedLine]) -> PlacedLines:
    """The lines, with what a user asked for as a request beside what says, anywhere behind it, that
    it is over, naming it; and what an agent only began by then as what stands in no summary."""
    messages = EndMessages()
    for place, each in enumerate(lines):
        messages.add(place, each.line.bare, "user" if each.line.is_users else "assistant")
    return PlacedLines(
        [_with_late_end(each, at, len(lines), messages) for at, each in enumerate(lines)], messages
    )


def _with_late_end(each: PlacedLine, place: int, stop: int, messages: EndMessages) -> PlacedLine:
    line = each.line
    # these are what they are for whoever does not choose them
    if line.kind in (MESSAGES if line.is_users else {"said"}):
        return msgspec.structs.replace(each, answer=LATER, may_be_task=line.is_users)
    if not line.is_users and _end_of(line, place, stop, messages) != NONE:
        return PlacedLine(msgspec.structs.replace(line, kind="begun"), each.bonus)
    return each


def _end_of(line: SummaryLine, place: int, stop: int, messages: EndMessages) -> int:
    """The place behind that of a line where it is told that what a user said is over, or what an
    agent had begun."""
    if not (line.is_users or is_begun(line.bare)):
        return NONE
    is_foreign = line.is_users and line.kind == "foreign"
    look = messages.last_word_on if is_foreign else messages.end_of
    over = look(line.bare, place + 1, stop)
    return NONE if over is None else over


def _are_several(task: Task) -> bool:
    """Whether several agents speak: then each is named."""
    authors = {block.author for block in task.blocks if block.role == "assistant"}
    return len(authors - UNNAMED) > 1 or _NAMED_BEFORE.search(task.previous) is not None


def _newest_first(lines: PlacedLines, before: int) -> Iterator[PlacedLine]:
    """The lines, with what a user asked for in the words of a rule as a request where an answer in
    its turn says that it was done, or the user called it off soon after; and with what was only
    heard as what holds.

    Args:
        before: lines of the summary before, in which neighbours may be of other turns.
    """
    users, is_users = deque[SummaryLine](maxlen=USERS_LOOKED_AT), False
    is_apart = False
    ends = deque[SummaryLine](maxlen=USERS_LOOKED_AT)  # of later turns, too
    end = nearest = None  # of the turn's answers, and the one next to it
    answers_at = list[int]()  # of the turn, the last first
    behind = deque[str](maxlen=ANSWERS_LOOKED_AT)  # of the turn as well, and calls
    next_to = NONE
    for place in reversed(range(len(lines))):
        each = lines[place]
        line = each.line
        if not line.is_users:
            if is_users:  # of the turn before
                end, answers_at = None, []
                behind.clear()
            behind.append(line.bare)
            end, nearest = end or (line if line.kind == "end" else None), line
            next_to = place
            if line.kind == "end":
                ends.append(line)
                answers_at.append(place)
        elif line.kind in CORRECTIONS | CHOICES:
            each = msgspec.structs.replace(each, answer=_partner_of(place, lines, answers_at))
        elif line.kind == "rule" and may_end(line.bare):
            if _is_rule_done(line, (nearest, end), place >= before) or _is_called_off(line, users):
                each = _of_kind("request", each)
        elif (
            nearest
            and _is_heard(line, nearest, place < before, next_to - place)
            and lines.answer_to(place) == NONE
        ):
            if not (_is_done(line, ends) or _is_called_off(line, users)):
                each = _of_kind("heard", each, next_to)
        elif (
            _is_passed_over(line, behind, place >= before - 1 or is_apart, place < before)
            and lines.answer_to(place) == NONE
        ):
            each = _of_kind("heard", each)
        is_apart = line.is_users or line.kind == "question"
        if is_users := line.is_users:
            users.append(line)
        yield each


def _partner_of(place: int, lines: Sequence[PlacedLine], answers: Iterable[int]) -> int:
    """The place of what a choice answers, next to it, or of what came of a correction."""
    line = lines[place].line
    if line.kind == "correction":
        return _answer_to(line, lines, answers)
    is_behind_one = place > 0 and lines[place - 1].line.kind == "question"
    return place - 1 if is_behind_one else NONE


def _is_passed_over(
    line: SummaryLine, behind: Iterable[str], is_alone: bool, is_before: bool
) -> bool:
    """Whether a line is all that a user said, and nothing came of it in its turn.

    Args:
        behind: the turn's other lines. is_alone: whether none of them stands next to it, where it
            is of the summary before: there what was asked for has its answer behind it.
    """
    if not is_alone or line.kind not in {"request", "statement"}:
        return False
    if is_before:
        return line.kind == "request" and is_passed_over(line.bare, ())
    return is_passed_over(line.bare, behind)


def _answer_to(line: SummaryLine, lines: Sequence[PlacedLine], places: Iterable[int]) -> int:
    """Of the places of a turn's answers the one that shares most words with a line."""
    of_it = (at for at in places if line.words & lines[at].line.words)
    return max(of_it, key=partial(_shared, lines, line), default=NONE)


def _shared(lines: Sequence[PlacedLine], line: SummaryLine, at: int) -> int:
    """Words that a line shares with the one at a place."""
    return len(line.words & lines[at].line.words)


def _is_rule_done(line: SummaryLine, answers: Iterable[SummaryLine | None], is_new: bool) -> bool:
    """Whether an answer says that what was asked for in a rule's words is done."""
    return any(
        is_done(line.bare, one.bare, is_next=one.kind == "end" and is_new)
        for one in answers
        if one is not None
    )


def _is_done(line: SummaryLine, ends: Iterable[SummaryLine]) -> bool:
    """Whether an answer says that what no wording tells is done."""
    return any(is_done(line.bare, one.bare, is_next=False, is_worded=False) for one in ends)


def _is_called_off(line: SummaryLine, users: Iterable[SummaryLine]) -> bool:
    return any(is_called_off(line.bare, one.bare) for one in users)


def _is_heard(line: SummaryLine, answer: SummaryLine, is_before: bool, distance: int) -> bool:
    """Whether all that came of a user's words in their turn is that they were heard.

    Args:
        answer: the next line that is not the user's, so many lines behind it.
        is_before: whether the line is of the summary before, in which there is one for each.
    """
    is_answer = distance == 1 if is_before else answer.kind == "end" and line.kind in MESSAGES
    return is_answer and may_hold(line.bare) and acknowledges(answer.bare, line.bare)


def _of_kind(kind: Kind, each: PlacedLine, answer: int = NONE) -> PlacedLine:
    line = msgspec.structs.replace(each.line, kind=kind)
    return msgspec.structs.replace(each, line=line, answer=answer)
