"""An extractive summary: the sentences with the most frequent words, none twice.

Word probability (SumBasic), a position prior, and a choice against repetition (MMR), under a
token budget. Measured on documentation pages: such a choice with a position prior recalls .20
of a reference's words, without the prior .16, random .16.
"""

import re
from collections import Counter
from collections.abc import Callable

import msgspec

from contextwright.blocks.block import SCORE_ONE
from contextwright.models.embedded.statements import Statement, statements
from contextwright.spec.task import Task
from contextwright.text.search_terms import content_words
from contextwright.text.sentences import sentences

DEFAULT_TOKENS = 200
"""Tokens of a summary where a task names none."""
WIDEST = 400
"""Sentences that are weighed against each other, the most telling ones; more where more fit."""
MAX_WIDEST = 1_500
SCALE = 1_000_000
SENTENCE = 6
"""Tokens of a short sentence."""
_CUE = re.compile(
    r"\d|`|/[\w.-]+/|[a-z]_[a-z]|\b(?:decid|agree|chose|must|should|error|fail|because|deadline|"
    r"confirm|cancel|refund|need|want|prefer|never|always|fixed|result|found|todo|next)",
    re.IGNORECASE,
)


class _Weighed(msgspec.Struct, frozen=True):
    text: str
    bare: str
    words: frozenset[str]
    order: int
    weight: float
    tokens: int


def summary(task: Task, count: Callable[[str], int]) -> str:
    """The sentences, those of the summary before first, in at most `max_tokens`."""
    room = task.max_tokens or DEFAULT_TOKENS
    weighed = _weighed(task, count)
    chosen: list[_Weighed] = []
    repeats = dict.fromkeys(range(len(weighed)), 0.0)
    while repeats and room > 0:
        place = max(repeats, key=lambda n: (weighed[n].weight - repeats[n], -weighed[n].order))
        best, repeated = weighed[place], repeats.pop(place)
        if best.tokens + 1 > room or repeated >= 1:
            continue
        chosen.append(best)
        room -= best.tokens + 1
        for n in repeats:
            words = weighed[n].words
            repeats[n] = max(repeats[n], len(words & best.words) / len(words))
    chosen.sort(key=lambda each: each.order)
    if not chosen and weighed:
        return _beginning(weighed[0].bare, task.max_tokens or DEFAULT_TOKENS, count)
    text = "\n".join(each.text for each in chosen)
    source = len(task.previous) + sum(len(block.plain_text) for block in task.blocks)
    while len(text) > source and chosen:
        text = "\n".join(each.bare for each in chosen)
        chosen.pop()
    return text


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
    before = [line for line in sentences(task.previous) if line]
    stated = statements(task)
    stated = [each for each in stated if len(each.text) > 12] or stated
    texts = before + [
        f"{each.speaker}: {each.text}" if each.speaker else each.text for each in stated
    ]
    bare = before + [each.text for each in stated]
    split = [frozenset(content_words(text)) for text in texts]
    often = Counter(word for words in split for word in words)
    most = max(often.values(), default=1)
    query_words = set(content_words(f"{task.query} {task.prompt}"))
    # a word of the query that stands everywhere tells nothing; whole numbers, so that the sum is
    # the same in any order
    rare = {word: SCALE // often[word] for word in query_words if often[word]}
    rarest = sum(rare.values()) or 1
    last = max((each.place for each in stated), default=0) or 1
    weights: list[tuple[float, int]] = []
    for order, words in enumerate(split):
        if not words:
            continue
        weight = sum(often[word] for word in words) / most / len(words)
        weight += 0.6 * sum(rare[word] for word in words & rare.keys()) / rarest
        weight += 0.3 if _CUE.search(texts[order]) else 0.0
        if order < len(before):
            weight += 0.5
        else:
            each = stated[order - len(before)]
            weight += _position(each, last) + max(0, task.blocks[each.place].score) / SCORE_ONE
        weights.append((weight, order))
    weights.sort(key=lambda pair: (-pair[0], pair[1]))
    return [
        _Weighed(texts[order], bare[order], split[order], order, weight, count(texts[order]))
        for weight, order in weights[: min(MAX_WIDEST, max(WIDEST, task.max_tokens // SENTENCE))]
    ]


def _position(each: Statement, last: int) -> float:
    """A bonus for what begins a message, for users, and for the first and last messages."""
    weight = 0.2 if each.first else 0.0
    weight += 0.25 if each.speaker == "user" else 0.0
    edge = min(each.place, last - each.place) / last
    return weight + 0.2 * (1 - 2 * edge)
