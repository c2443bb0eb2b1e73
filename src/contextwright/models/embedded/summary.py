"""An extractive summary: what holds from there on, what was asked for with what came of it, and the
lines with the most frequent words, none twice.

Word probability (SumBasic), a position prior, and a choice against repetition (MMR), under a
token budget. Measured on documentation pages: such a choice with a position prior recalls .20
of a reference's words, without the prior .16, random .16.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice

import msgspec

from contextwright.blocks.block import Block
from contextwright.models.embedded.placed_lines import NONE, PlacedLines, placed_lines
from contextwright.models.embedded.summary_lines import (
    AGENTS,
    ALONE,
    CHOICES,
    CONDITIONS,
    CORRECTIONS,
    LAID_DOWN,
    LASTING,
    PAIRS,
    REMARKS,
    RULE,
    Kind,
    SummaryLine,
    with_newest_todos,
)
from contextwright.spec.task import Task
from contextwright.text.acknowledgement import begins_so
from contextwright.text.choices import offers_several
from contextwright.text.directives import MAX_SENTENCE
from contextwright.text.end_sentences import ends_something
from contextwright.text.foreign_statements import lasting_words
from contextwright.text.foreign_wordings import sounds_lasting
from contextwright.text.languages import is_english, is_foreign
from contextwright.text.remarks import is_remark
from contextwright.text.request_ends import calls_off
from contextwright.text.search_terms import content_words

READ, FIRST_READ = 240_000, 16
"""Characters of the newest blocks that a summary is chosen from, as many as a language model reads
in one question (60,000 tokens), and how many of the first are read beside them. A summary is
brought up to date as its session grows, so more comes only where a long one is compiled first."""
DEFAULT_TOKENS = 200
"""Tokens of a summary where a task names none."""
RULES = 65
"""Percent of a summary for what holds from where it was said on, the newest first."""
MOST_RULES, RULES_NEED = 90, 1_500
"""Percent that these may have where there is little room beside, up to so many tokens with it."""
ROOMY = 1_000
"""Tokens beside, for what holds alone, with which all of it has room in a session of many days:
then what was heard may stand without its answer, and be told again as what may hold. With less,
of twenty such statements in a recorded session ten were left, with their answers twenty."""
LONG_CONDITION = 600
"""Characters of what an agent or a tool laid down, beside the call that gave it."""
FOREIGN = 180
"""Characters of what is said in another language than English, where all of a message is told."""
UNWORDED = 2_000
"""Tokens beside of which all may go to what is said in another language without words of a rule: it
may be a request that ended in words of which it has none. With 2,600, of 264 that ended fourteen
stood as open, where two did."""
REQUESTS = 10
"""Percent for what was asked for and what came of it, the newest first. With 30, they had .42."""
TODOS = 30
"""Percent for a to-do list that an agent keeps by calls, in its newest state: what is to be done is
what it goes on from."""
WIDEST = 400
"""Lines that are weighed against each other, the most telling ones; more where more fit."""
MAX_WIDEST = 1_500
SCALE = 1_000_000
SPEAKER = len(f"\n{AGENTS}")
NEAR, NEARLY = 8, 70
"""Lines next to one in which the others of its message stand, and percent of a message of which
what is left says nothing: "ugh. ok so c at half past two"."""
SENTENCE = 6
"""Tokens of a short sentence."""


class _Weighed(msgspec.Struct, eq=False):
    """A line that may stand, and the part of it that one of the first chosen ones says."""

    line: SummaryLine
    order: int
    weight: float
    share: float = 0.0
    compared: int = 0

    @property
    def rank(self) -> tuple[float, int]:
        """What it weighs beside what is chosen; of equals the first is worth more."""
        return self.weight - self.share, -self.order

    def compare(self, chosen: Sequence[frozenset[str]]) -> float:
        """The part of it that one of all chosen ones says."""
        for words in chosen[self.compared :]:
            self.share = max(self.share, len(self.line.words & words) / len(self.line.words))
        self.compared = len(chosen)
        return self.share


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
    choice = _Choice(placed_lines(task, todos), room, count)
    choice.put_todos()
    choice.put_rules(task.rule_tokens)
    choice.put_requests()
    choice.put_heaviest(_weighed(task, choice))
    choice.put_requests(filling=True)
    lines = choice.in_order()
    if not lines:
        alone = (each for each in _weighed(task, choice) if choice.lines.stands_alone(each.order))
        line = next((each.line for each in alone), choice.newest)
        return _beginning(line.bare, choice.room, count) if line else ""
    while _is_longer(text := "\n".join(line.text for line in lines), task):
        if len(choice.units) < 2:
            first, is_alone = lines[0], choice.lines.stands_alone(min(choice.places))
            return first.bare if is_alone and not _is_longer(first.bare, task) else ""
        choice.units.pop()
        lines = choice.in_order()
    return text


class _Choice:
    """Lines of a summary while there is room: units of one line, or of a request with what came of
    it, those first that are worth most."""

    def __init__(self, lines: PlacedLines, room: int, count: Callable[[str], int]) -> None:
        self.lines, self.room, self.count = lines, room, count
        self.units: list[list[int]] = []
        self._left = room
        self._is_roomy = False

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
        taken = sum(map(self._tokens, unit))
        if taken > min(most, self._left):
            return 0
        self.units.append(unit)
        self._left -= taken
        return taken

    def _tokens(self, place: int) -> int:
        return self.count(self.lines[place].line.text) + 1

    def has_room(self, place: int, most: int | None = None) -> bool:
        """Whether a line has room, here of `most` tokens; if not, nobody looks for what stands with
        it."""
        return self._tokens(place) <= (self._left if most is None else min(most, self._left))

    def _is_told(self, place: int, chosen: set[int]) -> bool:
        """Whether a line is chosen, or nearly all of its message is, as a remark."""
        if place in chosen:
            return True
        bare = self.lines[place].line.bare
        near = range(max(0, place - NEAR), min(len(self.lines), place + NEAR))
        remarks = (self.lines[at].line for at in near if at in chosen)
        return any(
            one.kind == "remark" and one.bare in bare and len(one.bare) * 100 >= NEARLY * len(bare)
            for one in remarks
        )

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
        share = max(share, min(self.room * MOST_RULES // 100, RULES_NEED - more))
        left, self._left, self._is_roomy = share + more, self.room + more, more >= ROOMY
        # a correction may be of a task: what was laid down goes before it
        left -= self._put_newest(LAID_DOWN, left, but=self._is_of_a_task)
        left -= self._put_newest(CHOICES, left)
        left -= self._put_newest(LAID_DOWN, min(more, left), MAX_SENTENCE, but=self._is_of_a_task)
        left -= self._put_newest(CORRECTIONS, left)
        left -= self._put_foreign(True, min(more, left))
        left -= self._put_newest(REMARKS, min(more, left))
        left -= self._put_newest(REMARKS, min(more, left), MAX_SENTENCE)
        left -= self._put_newest(LASTING, left)
        left -= self._put_newest(LASTING, min(more, left), MAX_SENTENCE)
        left -= self._put_newest(CONDITIONS, min(more, left), LONG_CONDITION)
        left -= self._put_answers(CORRECTIONS, min(more, left))
        left -= self._put_foreign(False, min(more, left) - max(0, more - UNWORDED))
        left -= self._put_answers(LAID_DOWN, left)
        if self.lines and _is_open_choice(self.lines[-1].line):
            self._put([len(self.lines) - 1], left)  # beside all else: it goes once it is answered
        self._left = self.room - min(share, share + more - left)

    def _put_newest(
        self,
        kinds: frozenset[Kind],
        most: int,
        longest: int = RULE,
        but: Callable[[SummaryLine], bool] | None = None,
    ) -> int:
        """The tokens of lines of some kinds with so many characters at most, the newest first.

        Args:
            but: which lines are none of them.
        """
        known, left = {self.lines[place].line.bare for place in self.places}, most
        for place in reversed(range(len(self.lines))):
            line = self.lines[place].line
            if line.kind not in kinds or len(line.bare) > longest or line.bare in known:
                continue
            if but is None or not but(line):
                if not self.has_room(place, left):
                    continue
                if line.kind == "statement" and not self.lines.stands_alone(place):
                    continue
                if line.kind != "choice":  # of each the question is another one
                    known.add(line.bare)
                chosen = self.places
                is_later = line.kind == "correction" or self._needs_no_answer(line)
                answer = NONE if is_later else self.lines.answer_to(place)
                others = answer, self.lines.news_of(place)
                with_it = [at for at in others if at != NONE and at not in chosen]
                left -= self._put([place, *with_it], left)
        return most - left

    def _needs_no_answer(self, line: SummaryLine) -> bool:
        return self._is_roomy and line.kind == "heard" and _is_known_alone(line.bare)

    def _is_of_a_task(self, line: SummaryLine) -> bool:
        """Whether it says that a task is over: that holds on as well, but nobody needs it to go
        on."""
        if calls_off(line.bare):
            return True
        return self._is_roomy and line.kind == "heard" and ends_something(line.bare, "user")

    def _put_answers(self, kinds: frozenset[Kind], most: int) -> int:
        """The tokens of what came of what a user corrected, or of what was heard, the newest
        first."""
        known, left = self.places, most
        for place in sorted(known, reverse=True):
            if self.lines[place].line.kind not in kinds:
                continue
            if (answer := self.lines.answer_to(place)) not in {NONE, *known}:
                left -= self._put([answer], left)
        return most - left

    def _put_foreign(self, worded: bool, most: int) -> int:
        """The tokens of what a user said in another language than English, the newest first, each
        with what came of it.

        Args:
            worded: whether it has words of a rule or a decision. Where an answer says that it was
                heard, that tells no more.
        """
        known, left = self.places, most
        for place, ends in self._with_ends():
            line = self.lines[place].line
            if line.kind != "foreign" or len(line.bare) > FOREIGN or place in known:
                continue
            if sounds_lasting(line.bare) == worded and self.has_room(place, left):
                outcome = self._outcome(place, ends)
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
        for place, ends in self._with_ends():
            if self._is_told(place, chosen):
                continue
            taken = 0
            if self.has_room(place, most):
                outcome = self._outcome(place, ends)
                taken = self._put([place, *(one for one in outcome if one not in chosen)], most)
            if not (taken or filling):
                return
            left -= taken
            most = self._left if filling else left

    def _with_ends(self) -> Iterator[tuple[int, list[int]]]:
        """Places of what was asked for, the newest first, and of the ends of its turn."""
        ends: list[int] = []  # of a turn, the last first
        for place in reversed(range(len(self.lines))):
            line = self.lines[place].line
            if line.kind == "end":
                ends.append(place)
            elif line.kind in PAIRS:
                yield place, ends
                ends = []
            elif line.is_users:
                ends = []

    def _outcome(self, place: int, ends: list[int]) -> list[int]:
        """What came of what was asked for: what says that it is over, else the end of its turn that
        says most of it, of these the last, for an agent that goes on with other work does not end a
        turn with what came of its request; and what was told of it later."""
        answer, words = self.lines.answer_to(place), self.lines[place].line.words
        if answer == NONE and ends:
            answer = max(ends, key=lambda at: len(words & self.lines[at].line.words))
        both = dict.fromkeys((answer, self.lines.news_of(place)))
        return [at for at in both if at != NONE]

    def put_heaviest(self, weighed: Iterator[_Weighed]) -> None:
        """The heaviest that say what is not chosen yet.

        Args:
            weighed: the heaviest first.
        """
        chosen = [self.lines[place].line.words for place in self.places]
        left = list[_Weighed]()
        while (best := self._heaviest(left, weighed, chosen)) is not None:
            left.remove(best)
            self.units.append([best.order])
            self._left -= self._tokens(best.order)
            chosen.append(best.line.words)

    def _heaviest(
        self, left: list[_Weighed], more: Iterator[_Weighed], chosen: Sequence[frozenset[str]]
    ) -> _Weighed | None:
        """The one that is worth most, of those that are left and of more, which are lighter. What
        is chosen only makes lighter, so what is lighter by itself is not looked at; what says
        nothing new, or has no room, never will."""
        best, at = None, 0
        while True:
            if at == len(left):
                left += islice(more, 1)
            if at == len(left) or (best is not None and left[at].weight < best.rank[0]):
                return best
            each = left[at]
            if not self.has_room(each.order) or each.compare(chosen) >= 1:
                del left[at]
            elif best is not None and each.rank < best.rank:
                at += 1
            elif not self.lines.stands_alone(each.order):
                del left[at]
            else:
                best = each
                at += 1


def _is_known_alone(statement: str) -> bool:
    """Whether the next summary knows what was only heard as what holds, also without the answer."""
    if is_foreign(statement):
        return bool(lasting_words(statement)) and sounds_lasting(statement)
    return is_english(statement) and is_remark(statement)


def _is_open_choice(line: SummaryLine) -> bool:
    """Whether it asks what to choose, and nobody did yet."""
    return line.kind == "question" and offers_several(line.bare)


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


def _weighed(task: Task, choice: _Choice) -> Iterator[_Weighed]:
    """What else may stand, if it stands alone, with its weight, the heaviest first: the best
    `WIDEST` of those that do, which is told of the lines that have room alone."""
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
    heavy.sort()
    widest = min(MAX_WIDEST, max(WIDEST, task.max_tokens // SENTENCE))
    for place, (weight, order) in enumerate(heavy):
        if place >= widest:
            if not choice.has_room(order):
                continue
            if sum(choice.lines.stands_alone(at) for _, at in heavy[:place]) >= widest:
                return
        yield _Weighed(choice.lines[order].line, order, -weight)
