"""How much of a presupposition a sentence covers, and of whom the sentence speaks.

What somebody says with `I` is of the speaker, with `you` of who is spoken to; what names somebody
is of that one. Between a user and an assistant anybody may speak of anything.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from contextwright.memo.ownership import cached_text
from contextwright.retrieval.context_rerank import CHAT, is_turn
from contextwright.retrieval.item import Item
from contextwright.retrieval.plain_forms import plain_stems
from contextwright.text.sentences import sentences

SAME_MESSAGE = 0.6
"""Share that a term counts that stands in another sentence of the same message. False alarms at
facts asked for in a chat (BEAM, information extraction): 50 % without it."""
INDIRECT = 0.3
"""Share that a sentence counts for a speaker who asks, or speaks of the other one."""
MAX_MESSAGES = 40
"""Messages of a speaker that are read sentence by sentence: those that cover most."""
MAX_TEXT = 6_000
"""Characters of a message that are looked at: more is pasted text, or a tool's."""
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
_SECOND_PERSON = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")


class CoveringSentence(msgspec.Struct, frozen=True):
    """A sentence of the item at a place that has words of a presupposition.

    Args:
        person: of whom it speaks; empty where that is open.
        coverage: share of the presupposition's terms that it has, rare ones counting most, 0 to 1.
    """

    item: Item
    place: int
    text: str
    person: str
    coverage: float


class Corpus(msgspec.Struct, frozen=True, eq=False):
    """The items that presuppositions are held against, the oldest first.

    Args:
        matches: place to the wanted terms of the item, where it has any.
        weights: term to its weight: the rarer, the more.
        speakers: names of those who speak, without users and assistants.
        first_names: the first word of a name to those who bear it.
    """

    items: Sequence[Item]
    matches: Mapping[int, frozenset[str]]
    weights: Mapping[str, float]
    speakers: frozenset[str]
    first_names: Mapping[str, list[str]]

    def people_in(self, text: str) -> set[str]:
        """The speakers whose names stand in a text."""
        return {who for word in _WORD.findall(text) for who in self.first_names.get(word, ())}

    def weight(self, terms: Sequence[str]) -> float:
        """The weight of all terms together; 1 where they weigh nothing."""
        return sum(self.weights[term] for term in terms) or 1.0


def corpus_of(items: Sequence[Item], terms: Collection[str]) -> Corpus:
    """Items prepared for presuppositions of these terms."""
    wanted = frozenset(terms)
    every = ((place, _terms(_stated(item)) & wanted) for place, item in enumerate(items))
    matches = {place: shared for place, shared in every if shared}
    counts = {term: sum(term in shared for shared in matches.values()) for term in terms}
    weights = {
        term: math.log(1 + (len(items) - count + 0.5) / (count + 0.5))
        for term, count in counts.items()
    }
    speakers = frozenset(item.role for item in items if is_turn(item) and item.role.strip()) - CHAT
    first_names: dict[str, list[str]] = {}
    for who in sorted(speakers):
        first_names.setdefault(next(iter(_WORD.findall(who)), ""), []).append(who)
    return Corpus(items, matches, weights, speakers, first_names)


def covering_sentences(terms: Sequence[str], corpus: Corpus) -> list[CoveringSentence]:
    """The sentences that cover some of the terms, once for each person they speak of; those that
    cover most first, of equals the newest."""
    total = corpus.weight(terms)
    rows: list[CoveringSentence] = []
    for place in _nearest(terms, corpus):
        item = corpus.items[place]
        for text in _sentences(_stated(item)):
            here, matched = _terms(text), corpus.matches[place]
            counted = (
                corpus.weights[term] * (1.0 if term in here else SAME_MESSAGE)
                for term in terms
                if term in matched
            )
            coverage = sum(counted) / total
            for person, share in _people(item, text, corpus):
                rows.append(CoveringSentence(item, place, text, person, share * coverage))
    return sorted(rows, key=lambda each: (-each.coverage, -each.place))


def _nearest(terms: Sequence[str], corpus: Corpus) -> Iterator[int]:
    """Places of the messages that cover most, so many of each speaker."""
    scores = {
        place: sum(corpus.weights[term] for term in terms if term in matched)
        for place, matched in corpus.matches.items()
    }
    taken: dict[str, int] = {}
    for place in sorted(scores, key=lambda place: (-scores[place], -place)):
        role = corpus.items[place].role
        taken[role] = taken.get(role, 0) + 1
        if scores[place] and taken[role] <= MAX_MESSAGES:
            yield place


def _people(item: Item, text: str, corpus: Corpus) -> Iterator[tuple[str, float]]:
    """Of whom a sentence speaks, and how surely."""
    asks = text.endswith("?")
    others = set[str]() if asks else corpus.people_in(text) - {item.role}
    if item.role not in corpus.speakers:
        yield from ((who, 1.0) for who in sorted(others) or [""])
        return
    you = bool(_SECOND_PERSON.search(text))
    if you and len(corpus.speakers) == 2:
        others |= corpus.speakers - {item.role}
    yield from ((who, 1.0) for who in sorted(others))
    # `Congrats on the promotion!` is about who was promoted
    indirect = (you or asks or text.endswith("!")) and not _FIRST_PERSON.search(text)
    yield item.role, INDIRECT if indirect else 1.0


def _stated(item: Item) -> str:
    """An item without questions of users and assistants: else a question would be the proof of
    the next one. Among equals, `how was your trip?` says that there was one."""
    text = item.text[:MAX_TEXT]
    return _without_questions(text) if item.role in CHAT and "?" in text else text


@cached_text
def _terms(text: str) -> frozenset[str]:
    return frozenset(plain_stems(text))


@cached_text
def _without_questions(text: str) -> str:
    return "\n".join(each for each in sentences(text) if not each.endswith("?"))


@cached_text
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(sentences(text)) or (text,)
