"""Scores of items beyond their own words: their neighbours, their speaker, their length.

The same rule for every collection; what it does follows from what the items are. Passages stand
alone. In talk among equals an answer often has none of the question's words: what is said around
a hit is worth part of it, and a stretch that is all about the question more than a single line;
what a question wants to know of one who speaks there, that one mostly said; and a session opens
with what is new. In a chat with an assistant it is mostly the user who tells things, in few words.
Weights were searched for on one half of LoCoMo, QMSum and BEAM; `benchmarks/retrieval.py` shows
both halves.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import compress, count, pairwise
from operator import mul, not_

from contextwright.retrieval.item import Item
from contextwright.retrieval.said_once import date_of
from contextwright.retrieval.stems import stems

CHAT = frozenset({"user", "assistant", "system", "developer", "tool", "model", "human", "ai"})
ASKS = frozenset({"user", "human"})

BEFORE = 0.7
"""Share of the line before it that a line is worth among equals: after a question its answer."""
AFTER = 0.7
SECOND = 0.5
"""Share of the lines two away."""
STRETCH = 8.0
"""Weight of the mean score around a line, the nearest counting most."""
REACH_PART = 10
REACH_LEAST = 3
REACH_MOST = 15
"""Lines over which that mean fades to a third: a tenth of the thread, within these limits."""
THREAD = 0.1
"""Share of a thread's best line that each of its lines is worth."""
OTHERS = 0.8
"""What the lines of others lose in a talk with the speaker that a question names, divided by how
many take part: of two, one's own lines are the evidence 24 times in 25, of a meeting they are the
beginning of it. Evidence within 500 tokens of one half of LoCoMo: .718 without, .750 with."""
ANSWER = 0.2
"""Share of the message after it that a message of a chat is worth besides its own words."""
CHAT_POWER = 0.8
"""Flattens scores in a chat: a middling hit in few words is worth more than room for one more
long answer."""
USER = 2.0
"""How much more a user's message is worth than an assistant's equally good one."""
ADVICE = re.compile(
    r"\b(?:did|had|have) you\b|\byou (?:said|told|recommended|suggested|advised|explained|"
    r"mentioned|gave|proposed)\b|\byour (?:advice|recommendations?|suggestions?|answers?|"
    r"explanations?)\b"
    r"|^(?:how(?! (?:many|much|long|often|old|far|soon)\b)"
    r"|(?:what|which) (?:steps|approach|plan|strategy|advice))\b.*\b(?:did|have) I\b",
    re.IGNORECASE,
)
"""A question about what the assistant said, or about how something was done, and not how often: the
long answers are worth as much then. Evidence in 8,000 tokens of BEAM: .878 without, .882 with."""
STANDING = re.compile(
    r"(?:^|[.!?:] |\n)[ \t]{0,8}(?:please )?"
    r"(?:always|never|from now on|(?:whenever|every time|each time) I)\b",
    re.IGNORECASE,
)
"""What a user wants of every answer from there on."""
HOLDS = 0.15
"""What such a message is worth whatever is asked. Evidence in 2,000 tokens of BEAM: .716 without,
.731 with, the same from .1 to .3; `I prefer` beside these gave some questions what it took from
others."""
SUMMARY = re.compile(r"\b(?:summar\w+|overview|recap)\b", re.IGNORECASE)
"""A question about all that was said of something, by whomever."""
ORDER = re.compile(r"\bthe order in which\b|\bin (?:\w+ )?order\b(?! to\b)", re.IGNORECASE)
"""A question about what was brought up when."""
OPENS_TALK = 0.1
"""What a session's first line is worth more in talk among equals."""
OPENS_CHAT = 1.0
"""The same in a chat, for a summary or an order: one comes back with what is new, and then asks on
about it. For other questions it is worth nothing there."""
OPENING = 1 / 3
"""Part of a session over which that fades to a third."""
UNMATCHED = 0.1
"""What a line is worth without any of the words, so that room left over goes to short ones."""
SPARSE = 0.5
"""How far worth goes down with length: by its power of this. Where lengths differ, the evidence
for a token matters, not for a line."""
EVEN = 0.4
"""Up to this deviation of lengths, in means, they are alike and do not count."""
PASSAGE_SPARSE = 0.2


def rerank(items: Sequence[Item], scores: Mapping[str, int], query: str = "") -> list[float]:
    """The items' scores in their context, any scale; 0 for a passage without a word of the query.

    Args:
        items: all items, those of a thread in their order.
        scores: id to score in millionths.
    """
    user = _user_weight(query)
    opens = OPENS_CHAT if SUMMARY.search(query) or ORDER.search(query) else 0.0
    own = [scores.get(item.id, 0) / 1_000_000 for item in items]
    reranked = [0.0] * len(items)
    are_turns = [*map(is_turn, items)]
    turns, passages = [*compress(count(), are_turns)], [*compress(count(), map(not_, are_turns))]
    lengths = _lengths(items, passages, PASSAGE_SPARSE)
    _fill(reranked, own, passages, lengths, [own[place] for place in passages])
    threads: dict[str, list[int]] = {}
    for place in turns:
        threads.setdefault(items[place].thread, []).append(place)
    around = dict.fromkeys(turns, 0.0)
    named = _named({items[place].role for place in turns}, query)
    for places in threads.values():
        line = [own[place] for place in places]
        if {items[place].role for place in places} <= CHAT:
            asks = [items[place].role in ASKS for place in places]
            holds = [
                HOLDS if asker and STANDING.search(items[place].text) else 0.0
                for place, asker in zip(places, asks, strict=True)
            ]
            values = _chat(line, [user if asker else 1.0 for asker in asks], holds)
            values = _opened(values, items, places, opens)
        else:
            values = _opened(_talk(line), items, places, OPENS_TALK)
            if named:
                roles = [items[place].role for place in places]
                values = _of_speakers(values, roles, named)
        around.update(zip(places, values, strict=True))
    _fill(reranked, own, turns, _lengths(items, turns, SPARSE), [around[place] for place in turns])
    return reranked


def is_chat(items: Sequence[Item]) -> bool:
    """Whether what is said is said to an assistant or by one."""
    roles = {item.role for item in items if is_turn(item)}
    return bool(roles) and roles <= CHAT


def is_turn(item: Item) -> bool:
    """Whether an item is a line of a conversation."""
    return item.kind == "turn" or (item.kind == "passage" and bool(item.role))


def _user_weight(query: str) -> float:
    """How much more a user's message is worth in a chat."""
    return 1.0 if ADVICE.search(query) or SUMMARY.search(query) else USER


def _opened(
    values: list[float], items: Sequence[Item], places: Sequence[int], share: float
) -> list[float]:
    """A thread's values, more where a session begins: at the thread's first line, and where the
    date in brackets is another one. As they were in a thread without dates."""
    texts = [items[place].text for place in places] if share else []
    dates = [date_of(text) if text[:1] == "[" else "" for text in texts]
    starts, date = [0], ""
    for line, each in enumerate(dates):
        if each and date and each != date:
            starts.append(line)
        date = each or date
    if not date:
        return values
    opened: list[float] = []
    for start, end in pairwise([*starts, len(values)]):
        fade = -1 / (OPENING * (end - start))
        gains = (1 + share * math.exp(fade * line) for line in range(end - start))
        opened += map(mul, values[start:end], gains)
    return opened


def _fill(
    reranked: list[float],
    own: list[float],
    places: list[int],
    lengths: list[float],
    values: list[float],
) -> None:
    """Sets the scores of some items, the best as good as their best score: so that turns and
    passages in one collection stay comparable."""
    weighed = [each / length for each, length in zip(values, lengths, strict=True)]
    top = max(weighed, default=0.0)
    best = max(map(own.__getitem__, places), default=0.0)
    for place, each in zip(places, weighed, strict=True):
        reranked[place] = each / top * best if top > 0 else 0.0


def _talk(line: list[float]) -> list[float]:
    """Talk among equals."""
    n = len(line)
    reach = max(REACH_LEAST, min(REACH_MOST, n / REACH_PART))
    mean = _smooth(line, math.exp(-1 / reach))
    best = max(line, default=0.0)
    values: list[float] = []
    for place, score in enumerate(line):
        near = max(
            score,
            BEFORE * line[place - 1] if place > 0 else 0.0,
            AFTER * line[place + 1] if place + 1 < n else 0.0,
            SECOND * line[place - 2] if place > 1 else 0.0,
            SECOND * line[place + 2] if place + 2 < n else 0.0,
        )
        values.append(near + STRETCH * mean[place] + THREAD * best + UNMATCHED)
    return values


def _named(speakers: Collection[str], query: str) -> frozenset[str]:
    """The speakers whose whole name stands in a question; none where that is all of them."""
    wanted, names = set(stems(query)), {*speakers} - CHAT - {""}
    named = frozenset(name for name in names if wanted.issuperset(stems(name)))
    return named if len(named) < len(speakers) else frozenset()


def _of_speakers(values: list[float], roles: list[str], named: Collection[str]) -> list[float]:
    """Talk's values for a question that names speakers: the lines of others are worth less."""
    other = 1 - OTHERS / max(2, len(set(roles)))
    return [
        value * (1.0 if role in named else other) for value, role in zip(values, roles, strict=True)
    ]


def _chat(line: list[float], weights: list[float], holds: list[float]) -> list[float]:
    """A user and an assistant, each with a weight, and what a message is worth in any case."""
    values: list[float] = []
    for place, score in enumerate(line):
        after = line[place + 1] if place + 1 < len(line) else 0.0
        own = (score + ANSWER * after) ** CHAT_POWER + UNMATCHED + holds[place]
        values.append(own * weights[place])
    return values


def _smooth(line: list[float], fade: float) -> list[float]:
    """Means that fade to both sides, in two passes."""
    there: list[float] = []
    passed = 0.0
    for score in line:
        passed = score + fade * passed
        there.append(passed)
    values = there[:]
    passed = 0.0
    for place in range(len(line) - 1, -1, -1):
        values[place] += passed
        passed = fade * (line[place] + passed)
    share = (1 - fade) / (1 + fade)
    return [each * share for each in values]


def _lengths(items: Sequence[Item], places: list[int], power: float) -> list[float]:
    """The divisors of scores: characters in means, to a power that grows as they differ."""
    sizes = [len(items[place].text) + 1 for place in places]
    if not sizes:
        return []
    n, total = len(sizes), sum(sizes)
    mean = total / n
    # whole numbers up to the root, so that the order of the items does not show
    deviation = math.sqrt(n * sum(map(mul, sizes, sizes)) - total * total) / total
    grown = min(1.0, max(0.0, (deviation - EVEN) / (1 - EVEN)))
    return [(size / mean) ** (power * grown) for size in sizes]
