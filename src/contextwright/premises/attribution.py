"""Of whom something was told, and how much of a premise it covers.

What somebody says with `I` is told of the speaker, with `you` of who is spoken to; what names
somebody is told of that one. Between a user and an assistant anybody may tell anything.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence

import msgspec

from contextwright.retrieval.context_rerank import CHAT, is_said
from contextwright.retrieval.item import Item
from contextwright.retrieval.stems import stems
from contextwright.retrieval.synonyms import synonyms
from contextwright.text.search_terms import STOP
from contextwright.text.sentences import sentences
from contextwright.text_cache import cached_text

REMEMBERED = 20_000
"""Texts whose words are remembered: a session's, from turn to turn."""
SPLIT = 4_000
"""Texts whose sentences are remembered: those that were near a premise."""
SYNONYM = 0.4
"""What a synonym counts beside the word itself."""
AROUND = 0.6
"""What a word counts that stands in another sentence of the same message."""
ASIDE = 0.3
"""What a sentence counts for its speaker that is about who is spoken to, or asks."""
NEAREST = 40
"""Messages of a speaker that are read sentence by sentence: those that cover most."""
READ = 200
"""The same of all together: in a large group few say anything of a premise."""
CIRCLE = 8
"""People among whom `you` may be any other one; in larger groups nobody knows who."""
LONGEST = 6_000
"""Characters of a message that are looked at: more is pasted text, or a tool's."""
_ME = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_LEADS = re.compile(r"^([A-Z][a-z\u00df-\u024f]+)(?=['\u2019]s?\s|\s+[a-z])")
"""Whom a note is about: the name that it begins with."""
_WORD = re.compile(r"\w+")
_CALLED = r"(?:(?:hey|hi|hello|thanks|thank you|wow|yeah|yes|no|sure|okay|oh|,)\s*{0}|{0}\s*[,!.?])"
NOBODY = ""


class Told(msgspec.Struct, frozen=True):
    """A sentence beside a premise.

    Args:
        item: what it is from.
        place: the item's place among all.
        text: the sentence.
        whose: of whom it was told; empty where that is open.
        cover: how much of the premise's words it has, the rare ones counting most, 0 to 1.
    """

    item: Item
    place: int
    text: str
    whose: str
    cover: float


class Known(msgspec.Struct, frozen=True, eq=False):
    """What there is to hold premises against.

    Args:
        items: all of it, in the order it was said.
        near: place to the words that a premise asks for, of the items that have any.
        rarity: word to its weight.
        speakers: who speaks, but for users and assistants.
        people: they, and whom notes begin with.
        firsts: the first word of a name to those who bear it.
    """

    items: Sequence[Item]
    near: Mapping[int, frozenset[str]]
    rarity: Mapping[str, float]
    speakers: frozenset[str]
    people: frozenset[str]
    firsts: Mapping[str, list[str]]

    def named_in(self, text: str) -> set[str]:
        """The people whose names stand in a text."""
        return {who for word in _WORD.findall(text) for who in self.firsts.get(word, ())}


def known(items: Sequence[Item], asked: Collection[str]) -> Known:
    """What items have of some words; a text is split into words once."""
    wanted = frozenset(asked)
    wanted |= {other for word in wanted for other in synonyms(word)}
    near: dict[int, frozenset[str]] = {}
    often = dict.fromkeys(asked, 0)
    speakers: set[str] = set()
    people: set[str] = set()
    for place, item in enumerate(items):
        if is_said(item):
            speakers.add(item.role)
        elif item.kind != "tool" and (leads := _LEADS.match(item.text)):
            if leads[1].casefold() not in STOP:
                people.add(leads[1])
        have = _roots(_stated(item)) & wanted
        if have:
            near[place] = have
            for word in have:
                if word in often:
                    often[word] += 1
    rarity = {
        word: math.log(1 + (len(items) - times + 0.5) / (times + 0.5))
        for word, times in often.items()
    }
    named = frozenset(speakers) - CHAT - {NOBODY}
    firsts: dict[str, list[str]] = {}
    for who in sorted(named | people):
        firsts.setdefault(_first(who), []).append(who)
    return Known(items, near, rarity, named, named | people, firsts)


def told(what: Sequence[str], base: Known) -> list[Told]:
    """The sentences that have most of some words, a row for each of whom they are told."""
    total = sum(base.rarity[word] for word in what) or 1.0
    covers: dict[int, float] = {}
    for place, have in base.near.items():
        cover = sum(_share(word, have) * base.rarity[word] for word in what)
        if cover > 0:
            covers[place] = cover / total
    found: list[Told] = []
    for place in _best(covers, base):
        item = base.items[place]
        for text in _sentences(_stated(item)):
            have = _roots(text)
            cover = 0.0
            for word in what:
                whole = _share(word, base.near[place])
                here = _share(word, have)
                cover += base.rarity[word] * max(here, whole * AROUND)
            for whose, share in _whose(item, text, base).items():
                if share:
                    found.append(Told(item, place, text, whose, share * cover / total))
    found.sort(key=lambda one: (-one.cover, -one.place))
    return found


def _best(covers: Mapping[int, float], base: Known) -> list[int]:
    """Places of the messages that cover most, so many of each speaker."""
    taken: dict[str, int] = {}
    found: list[int] = []
    for place in sorted(covers, key=lambda place: (-covers[place], -place)):
        who = base.items[place].role
        taken[who] = taken.get(who, 0) + 1
        if taken[who] <= NEAREST:
            found.append(place)
    return found[:READ]


def _stated(item: Item) -> str:
    """What an item tells. What a user asks, or an assistant asks back, tells nothing, or a
    question would be the proof of the next one. Among equals `how was your trip?` tells of one."""
    text = item.text[:LONGEST]
    return _without_questions(text) if item.role in CHAT and "?" in text else text


def _share(word: str, have: Collection[str]) -> float:
    if word in have:
        return 1.0
    return SYNONYM if any(other in have for other in synonyms(word)) else 0.0


def _whose(item: Item, text: str, base: Known) -> dict[str, float]:
    """Of whom a sentence is told, and how surely."""
    asks = text.endswith("?")
    found: dict[str, float] = {}
    if not asks:
        spoken_of = (who for who in base.named_in(text) if who != item.role)
        found = {who: 1.0 for who in spoken_of if not _only_called(text, who)}
    if item.role not in base.people or not is_said(item):
        return found or {NOBODY: 1.0}
    me, you = bool(_ME.search(text)), bool(_YOU.search(text))
    # `Congrats on the promotion!` is about who was promoted
    aside = you or asks or text.endswith("!")
    if you and len(base.people) > CIRCLE:
        found[NOBODY] = 1.0
    elif you:
        found.update((who, 1.0) for who in base.people if who != item.role)
    found[item.role] = 1.0 if me or not aside else ASIDE
    return found


def _only_called(text: str, who: str) -> bool:
    """Whether a text only calls somebody by his name, and does not speak of him."""
    first = rf"\b{_first(who)}\b"
    plain = re.sub(_CALLED.format(first), " ", text, flags=re.IGNORECASE)
    return not re.search(first, plain)


def _first(who: str) -> str:
    """The first word of a name; empty where it has none."""
    return next(iter(_WORD.findall(who)), "")


@cached_text(REMEMBERED)
def _roots(text: str) -> frozenset[str]:
    return frozenset(stems(text))


@cached_text(SPLIT)
def _without_questions(text: str) -> str:
    return "\n".join(one for one in sentences(text) if not one.endswith("?"))


@cached_text(SPLIT)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(sentences(text)) or (text,)
