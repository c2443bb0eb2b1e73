"""Sentences that hold from where they are said on: what must be, what must not, what was decided.

By wordings: those of English, and the plain ones of ten other languages. A sentence of another
language is none.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from contextwright.memo.ownership import cached_text
from contextwright.text import foreign_wordings
from contextwright.text.corrections import ASKS, SIGNS, corrections, corrects, may_correct
from contextwright.text.directive_wordings import DECISIONS, NO_RULE, RULES
from contextwright.text.pasted_text import own_words
from contextwright.text.remarks import asks, halves_of
from contextwright.text.sentences import FENCES, sentences
from contextwright.text.wordings import Near, SmallText, any_of, small_letters, small_text

MAX_SENTENCE = 300
"""Characters of a sentence that may be one: what is longer is a text that somebody pasted."""
BARE = 3
"""Words of a sentence that only names something, at most."""
MAX_DIRECTIVES = 900
"""Characters that one message's may have together."""
_PASTED = re.compile(
    r"^[ \t]*(?:\d{2,}[:|]|\d[:|](?! [A-Z])|[{}]|\"[^\"\n]*\"\s*:|<!--|//|/\*|\*/).*$",
    re.MULTILINE,
)
"""A line of a program, of its output or of a page: what it says is no rule of who pasted it."""


_WORDS = DECISIONS.words | foreign_wordings.WORDS
_WORDS_OF_USERS = _WORDS | RULES.words | SIGNS
"""What of a message's words is asked for."""


_BIDS = (
    "(?:could|can|would|will) (?:you|we)", "i(?: would|'d)? (?:need|want|like) you to",
    "you(?:'ll| will)? (?:need|want|have) to", "try (?:and|to)", "would it be possible to",
)  # fmt: skip
_LEAD = any_of((rf"START(?:{'|'.join(_BIDS)})(?: (?:please|kindly|maybe|also|perhaps))* ",))
"""What stands in front of what somebody is asked politely to go by."""
_DUTY = any_of((rf"START(?:{'|'.join(_BIDS)}|you (?:must|should|ought to)) ",))
"""The same, or what obliges somebody."""
_FOR_GOOD = any_of((
    r"\b(?:always|never|only|every|each|whenever|from (?:now|here) on|habit)\b",
    r"\b(?:in (?:the )?future|going forward|any ?more|any longer)\b",
))  # fmt: skip


_SMALL_BEGINNING = re.compile(r"(?<=\w{3}[.!?])(?<!etc\.) +(?=[a-z`])")
"""Where a sentence ends before a small letter, and not what is cut short, as "e.g."."""


class RuleWords(NamedTuple):
    """What a message has of the words of rules and decisions, in English and in other languages."""

    rules: Near = ()
    decisions: Near = ()
    is_foreign: bool = False


def directives(text: str, role: str = "user") -> tuple[str, ...]:
    """The sentences of a message that hold from there on, in their order, while they are few; all
    of a short one of a user that corrects what was said before.

    Args:
        role: who says it: a user's wishes are rules, of an assistant only decisions are told.
    """
    # most messages hold neither, and are not worth an entry in what is remembered
    if not text:
        return ()
    by_user = role == "user"
    small = small_text(text, _WORDS_OF_USERS if by_user else _WORDS)
    rules, decisions = RULES.near(small) if by_user else (), DECISIONS.near(small)
    is_foreign, is_changed = _may_be_foreign(small), False
    if by_user:
        own = own_words(text)
        is_changed = may_correct(own, small if own is text else None)
    if not (rules or decisions or is_foreign or is_changed):
        return ()
    return _lasting(text, role, RuleWords(rules, decisions, is_foreign), is_changed)


def is_rule(sentence: str) -> bool:
    """Whether a user's sentence has the words of a rule or a decision, whatever it corrects."""
    small = small_text(sentence, _WORDS_OF_USERS)
    near = RuleWords(RULES.near(small), DECISIONS.near(small), _may_be_foreign(small))
    return _holds(sentence, "user", near)


def obliges_to_do(sentence: str) -> bool:
    """Whether a user asks for a task in the words of a rule: "You must send the parcel"."""
    lead = _DUTY.match(sentence)
    return lead is not None and asks(sentence[lead.end() :])


def _may_be_foreign(small: SmallText) -> bool:
    return not small.text.isascii() or not foreign_wordings.WORDS.isdisjoint(small.words)


@cached_text
def _lasting(text: str, role: str, near: RuleWords, is_changed: bool) -> tuple[str, ...]:
    """The same of a message that has words of rules and decisions, or of corrections."""
    lasting: list[str] = []
    left, own = MAX_DIRECTIVES, own_words(text)
    for sentence in _sentences(text, own, role, near) if any(near) else ():
        if len(sentence) > MAX_SENTENCE or sentence.startswith(("```", "~~~")):  # a program
            continue
        for one in _which_hold(sentence, role, near):
            if len(one) <= left:
                lasting.append(one)
                left -= len(one)
    changes = corrections(own) if is_changed else ()
    if changes == (own,) and (_takes_back_alone(own, lasting) or not any(map(corrects, lasting))):
        return changes
    more = [one for one in changes if one != own and not any(one in rule for rule in lasting)]
    return tuple(sorted((*lasting, *more), key=text.find)) if more else tuple(lasting)


def _sentences(text: str, own: str, role: str, near: RuleWords) -> Iterable[str]:
    """Those of its sentences that have the words. None goes on in the next line, but a program."""
    spoken = _PASTED.sub("", own) if role == "user" else text
    phrases = {phrase for phrase, _ in (*near.rules, *near.decisions)}

    def may_hold(part: str) -> bool:
        return any(map(small_letters(part).__contains__, phrases))

    if near.is_foreign:
        every = sentences(spoken)
    elif "\n" in spoken and not any(map(spoken.__contains__, FENCES)):
        lines = filter(may_hold, spoken.split("\n"))
        every = filter(may_hold, chain.from_iterable(map(sentences, lines)))
    else:
        every = filter(may_hold, sentences(spoken))
    return chain.from_iterable(map(_in_halves, every)) if role == "user" else every


def _which_hold(sentence: str, role: str, near: RuleWords) -> Sequence[str]:
    """A sentence that holds; of others what does of a user who writes no capitals: "draft it. pls
    keep Ida off the list"."""

    def holds(part: str) -> bool:
        if role == "user" and _holds_politely(part, near):
            return True
        return not part.endswith(ASKS) and _holds(part, role, near)

    if holds(sentence):
        return (sentence,)
    if role != "user" or near.is_foreign:
        return ()
    first, *behind = _SMALL_BEGINNING.split(sentence)
    return [part for part in (first, *behind) if holds(part)] if behind else ()


def _in_halves(sentence: str) -> list[str]:
    """A user's sentence. Who writes no capitals ends each at the same mark: a question behind
    others is one by itself, and so is each where together they would be too long, or one begins
    with a name of code."""
    if sentence.endswith(ASKS) or len(sentence) > MAX_SENTENCE or ". `" in sentence:
        return halves_of(sentence)
    return [sentence]


def _takes_back_alone(own: str, lasting: list[str]) -> bool:
    """Whether only what is no more is among what lasts, and a name or two behind it say what is:
    "Scratch that, somebody has it. Bittern"."""
    *_, before, last = ("", *sentences(own))
    is_bare = len(last.split()) <= BARE and not last.endswith(ASKS)
    return is_bare and before in lasting and corrects(before)


def _holds_politely(sentence: str, near: RuleWords) -> bool:
    """Whether a user asks that somebody goes by a rule: "I need you to keep it confidential"; what
    is a question as well has a word of what is for good, else it may be a task."""
    lead = _LEAD.match(sentence)
    if lead is None or (sentence.endswith(ASKS) and _FOR_GOOD.search(sentence) is None):
        return False
    rest = sentence[lead.end() :]
    small = small_letters(rest)
    return bool(near.rules) and RULES.is_in_part(rest, small, near.rules, NO_RULE)


def _holds(sentence: str, role: str, near: RuleWords) -> bool:
    small = small_letters(sentence)
    if near.rules and RULES.is_in_part(sentence, small, near.rules, NO_RULE):
        return True
    if near.decisions and DECISIONS.is_in_part(sentence, small, near.decisions):
        return True
    if not near.is_foreign or not _may_be_foreign(small_text(sentence, foreign_wordings.WORDS)):
        return False
    if role == "user" and foreign_wordings.says_rule(sentence):
        return True
    return foreign_wordings.says_decision(sentence)
