"""An extractive summary: the sentences with the most frequent words, none twice.

Word probability (SumBasic), a position prior, and a choice against repetition (MMR), under a
token budget. Measured on documentation pages: such a choice with a position prior recalls .20
of a reference's words, without the prior .16, random .16.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from heapq import nsmallest
from itertools import chain, repeat

import msgspec

from contextwright.blocks.block import SCORE_ONE, Block, Blocks
from contextwright.memo.ownership import cached_text, table_of
from contextwright.models.embedded.statements import statements_in
from contextwright.spec.task import Task
from contextwright.text.search_terms import WORD_RUN, content_words, stems_of
from contextwright.text.sentences import sentences

READ, FIRST_READ = 240_000, 16
"""Characters of the newest blocks that a summary is chosen from, as many as a language model reads
in one question (60,000 tokens), and how many of the first are read beside them. A summary is
brought up to date as its session grows, so more comes only where a long one is compiled first."""
DEFAULT_TOKENS = 200
"""Tokens of a summary where a task names none."""
WIDEST = 400
"""Sentences that are weighed against each other, the most telling ones; more where more fit."""
MAX_WIDEST = 1_500
SCALE = 1_000_000
SENTENCE = 6
"""Tokens of a short sentence."""
SHORT = 12
"""Characters of a sentence that says nothing, where others say more."""
_CUE = re.compile(
    r"\d|`|/[\w.-]+/|[a-z]_[a-z]|\b(?:decid|agree|chose|must|should|error|fail|because|deadline|"
    r"confirm|cancel|refund|need|want|prefer|never|always|fixed|result|found|todo|next)",
    re.IGNORECASE,
)


CUE = 0.3
"""Weight of a sentence with a number, an address, a name of code or such a word."""


class _Sentence(msgspec.Struct, frozen=True):
    """What a sentence is by itself, whatever it is weighed against."""

    text: str
    bare: str
    words: frozenset[str]
    cue: float
    bonus: float = 0.0


class _Weighed(msgspec.Struct, frozen=True):
    text: str
    bare: str
    words: frozenset[str]
    order: int
    weight: float
    tokens: int


def blocks_read(blocks: Blocks) -> Blocks:
    """The blocks that a summary is chosen from: all, or the first and the newest."""
    left, start = READ, len(blocks)
    while left > 0 and start > 0:
        start -= 1
        left -= len(blocks[start].plain_text)
    return blocks if start <= FIRST_READ else (*blocks[:FIRST_READ], *blocks[start:])


def summary(task: Task, count: Callable[[str], int]) -> str:
    """The sentences, those of the summary before first, in at most `max_tokens`."""
    task = msgspec.structs.replace(task, blocks=blocks_read(task.blocks))
    room = task.max_tokens or DEFAULT_TOKENS
    weighed = _weighed(task, count)
    chosen = _chosen(weighed, room)
    if not chosen and weighed:
        return _beginning(weighed[0].bare, room, count)
    text = "\n".join(each.text for each in chosen)
    while chosen and _is_longer(text, task):
        text = "\n".join(each.bare for each in chosen)
        chosen.pop()
    return text


def _chosen(weighed: list[_Weighed], room: int) -> list[_Weighed]:
    """The heaviest that say what those before do not, while there is room, as they were said."""
    chosen: list[_Weighed] = []
    repeats: dict[int, float] = {n: 0.0 for n, each in enumerate(weighed) if each.tokens < room}
    while repeats:
        place = max(repeats, key=lambda n: (weighed[n].weight - repeats[n], -weighed[n].order))
        best = weighed[place]
        del repeats[place]
        chosen.append(best)
        room -= best.tokens + 1
        shares = {
            n: max(before, _repeated(weighed[n].words, best.words))
            for n, before in repeats.items()
            if weighed[n].tokens < room
        }
        repeats = {n: share for n, share in shares.items() if share < 1}
    return sorted(chosen, key=lambda each: each.order)


def _repeated(words: frozenset[str], others: frozenset[str]) -> float:
    return len(words & others) / len(words)


def _is_longer(text: str, task: Task) -> bool:
    """Whether it has more characters than what it is a summary of."""
    left = len(text) - len(task.previous)
    for block in task.blocks:
        if left <= 0:
            return False
        left -= len(block.plain_text)
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


def _weighed(task: Task, count: Callable[[str], int]) -> list[_Weighed]:
    """The candidates with their weights, the best `WIDEST` of them."""
    before = [_sentence(line, line, 0.0) for line in sentences(task.previous) if line]
    by_block = [_sentences_of(block, SHORT) for block in task.blocks]
    if not any(by_block):
        by_block = [_sentences_of(block, 0) for block in task.blocks]
    every = [*before, *chain.from_iterable(by_block)]
    often = Counter(chain.from_iterable([each.words for each in every]))
    most = max(often.values(), default=1)
    query_words = set(content_words(f"{task.query} {task.prompt}"))
    # a word of the query that stands everywhere tells nothing; whole numbers, so that the sum is
    # the same in any order
    rare = {word: SCALE // often[word] for word in query_words if often[word]}
    rarest = sum(rare.values()) or 1
    heavy: list[tuple[float, int]] = []
    for order, (each, bonus) in enumerate(
        zip(every, _bonuses(task, before, by_block), strict=True)
    ):
        words = each.words
        if not words:
            continue
        weight = sum(map(often.__getitem__, words)) / most / len(words)
        if not words.isdisjoint(rare):
            weight += 0.6 * sum(rare[word] for word in words & rare.keys()) / rarest
        heavy.append((-(weight + each.cue + bonus), order))
    widest = min(MAX_WIDEST, max(WIDEST, task.max_tokens // SENTENCE))
    return [
        _weighed_as(every[order], order, -weight, count)
        for weight, order in nsmallest(widest, heavy)
    ]


def _weighed_as(one: _Sentence, order: int, weight: float, count: Callable[[str], int]) -> _Weighed:
    return _Weighed(one.text, one.bare, one.words, order, weight, count(one.text))


@cached_text
def _sentences_of(block: Block, short: int) -> tuple[_Sentence, ...]:
    """The sentences of a block that have more characters than `short`."""
    return tuple(
        _sentence(
            f"{each.speaker}: {each.text}" if each.speaker else each.text,
            each.text,
            (0.2 if each.first else 0.0) + (0.25 if each.speaker == "user" else 0.0),
        )
        for each in statements_in(block, 0)
        if len(each.text) > short
    )


def _sentence(text: str, bare: str, bonus: float) -> _Sentence:
    if text.isascii() and "_" not in text:
        # a cue stands within a word then, at its beginning, or has a mark: words come again
        runs = WORD_RUN.findall(text)
        words = frozenset(stems_of(runs) or content_words(text))
        is_cue = "`" in text or any(map(table_of(_has_cue), runs))
        is_cue = is_cue or ("/" in text and _has_cue(text))
    else:
        words, is_cue = frozenset(content_words(text)), _has_cue(text)
    return _Sentence(text, bare, words, CUE if is_cue else 0.0, bonus)


def _has_cue(text: str) -> bool:
    return _CUE.search(text) is not None


def _bonuses(
    task: Task, before: list[_Sentence], by_block: list[tuple[_Sentence, ...]]
) -> Iterator[float]:
    """For what stood in the summary before; for what begins a message, for users, and for the
    first and last messages."""
    yield from repeat(0.5, len(before))
    last = max((place for place, one in enumerate(by_block) if one), default=0) or 1
    for place, one in enumerate(by_block):
        edge = 0.2 * (1 - 2 * (min(place, last - place) / last))
        score = max(0, task.blocks[place].score) / SCORE_ONE
        for each in one:
            yield each.bonus + edge + score
