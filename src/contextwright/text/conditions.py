"""What an agent or a tool lays down for those who go on: until when something is closed, what may
not be done, whose consent it takes
(docs/adr/0202-what-an-agent-or-a-tool-lays-down-holds.md).

Agents tell much in the words of a rule: advice, plans, what a program needs. So what is taken from
them is less than from a user: what says when, or what forbids in nobody's name.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from contextwright.memo.ownership import cached_text
from contextwright.text.directive_wordings import NO_RULE, RULES
from contextwright.text.directives import MAX_SENTENCE
from contextwright.text.json_rows import leaves, loaded
from contextwright.text.sentences import sentences
from contextwright.text.wordings import Phrasing, Wordings, small_text

MAX_CONDITIONS, MOST = 400, 6
"""Characters of what one message or result lays down, and how much a result may: one with more is a
manual or a table, whatever it says."""
READ = 8_000
"""Characters of a text that are looked at: what is longer is a page or a program."""
FENCES = ("```", "~~~")
OFTEN = 2
"""Times that a field may stand in a result that lays something down: more are a column."""
_WHEN = (
    r"(?:\d{1,2}[:.]\d\d|\d{4}-\d\d-\d\d|\d{1,2}(?:st|nd|rd|th)? [a-z]{3,9}\b"
    r"|\d{1,2}\.(?:\d{1,2}\.)?|t-\d|noon|midnight|tomorrow|tonight|next \w+|further notice"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tue|wed|thu|fri|sat|sun)\b"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d)"
)
_BY = r"(?:until|till|before|from|between|through|by|to|at|after|on|as of)"
_SHUT = r"(?:blocked|frozen?|freeze|closed|locked|paused|suspended|reserved|embargo(?:ed)?|on hold)"
_LIMITED = r"(?:refused|denied|unavailable|allowed|permitted|valid)"
_TURNS = r"(?:expires?|runs? out|ends|opens|closes|falls to|rises to)"
_CONSENT = r"(?:approval|sign-?off|consent|permission)"
_NEXT = r"(?:and|or|to|by|for|of|from|in|after|before|until|while|without)"
"""What may stand behind: "may not be parsed correctly" is a guess, "the approval column" none."""
_CONDITIONS = Wordings(rf"""
= blocked froze frozen freeze closed locked paused suspended reserved embargo embargoed on_hold
\b{_SHUT}:? .{{0,9}}{_WHEN}
\b{_SHUT}\b.{{0,60}}\b(?:{_BY}\b.{{0,24}}{_WHEN}|(?:until|till|unless)\b)
= refused denied unavailable allowed permitted valid
\b{_LIMITED}\b.{{0,60}}\b(?:{_BY}\b.{{0,24}}{_WHEN}|(?:until|till|unless)\b)
= read-only rejects
\b(?:read-only|rejects)\b.{{0,60}}\b(?:until|till|unless)\b
= expires expire runs_out run_out ends opens closes falls_to rises_to
\b{_TURNS}:? .{{0,9}}{_WHEN}
\b{_TURNS}\b.{{0,60}}\b{_BY}\b.{{0,24}}{_WHEN}
= only condition
\b\w+ed only (?:after|once|if|with)\b|\bon (?:the )?condition that\b
= no not nothing never only
(?:START|[,;:] |\band )(?:no|not|nothing|never|only)\b.{{0,60}}\b{_BY}\b.{{0,24}}{_WHEN}
= must may shall mustn't
\bnothing\b.{{0,30}}\bmay\b
\b(?:must|shall) (?:not|never|only)\b|\bmustn't\b|\bonly [^.;:?]{{3,60}} (?:may|must) [a-z]
\bmay (?:not|only) be \w+(?:ed|en|ld|nt)(?:$|[.,;:]| {_NEXT}\b)
= cannot can't can
\b(?:cannot|can't|can only) be \w+(?:ed|en|ld|nt) .*\b(?:before|until|without|unless)\b
= never
\b(?:is|are) never (?:to be )?\w+(?:ed|en|ld|nt)\b
= do don't no leave
(?:COMMAND|: )(?:do not|don't) (?!worry|know|think|see|need|have|hesitate|forget|be)\w+
STARTno \w+(?: \w+){{0,4}} (?:before|until|without|after|during|while)\b|STARTno changes? to\b
(?:COMMAND|\bbut )leave (?:\S+ ){{1,10}}?alone\b
= has have needs need
\b(?:has|have|needs?) to \w+ (?:within|before|below|under|by|at most)\b .*\d
= approval sign signoff consent permission people person
\b(?:needs?|requires?|takes?|without)\b.{{0,40}}\b{_CONSENT}(?:$|[.,;:]| {_NEXT}\b)
\b(?:needs?|requires?|takes?) (?:two|three|both|a second)\b.{{0,20}}\b(?:people|person)
""")
_PERSON = Phrasing((r"\b(?:i|me|my|you|your|let's|let me|would|could|might)\b(?!'s)",))
"""An agent that speaks of itself tells what it does, and to a user it gives advice."""
_ADDRESS = re.compile(r"^[A-Z][\w-]*[,:] (?:please,? )?")
"""Whom an agent speaks to."""
_NAMES = (
    r"(?:until|expir\w*|deadline|valid_?\w*|not_before|frozen|freeze\w*|blocked|embargo\w*"
    r"|conditions?|restrictions?|constraints?|exceptions?)"
)
_FIELD = re.compile(rf"(?:^|_){_NAMES}(?:_|$)", re.IGNORECASE)
_FIELD_FIRST = re.compile(rf"(?:\w+_)?{_NAMES}(?:_\w+)? ", re.IGNORECASE)
"""A field that says so, by itself or in front of what it holds."""
_APART = re.compile(r" \u2192 |; | \| |, ")
"""What stands between the fields of a line."""
_TELLS = re.compile(rf"{_WHEN}|\w+\W+\w+\W+\w", re.IGNORECASE)
"""A time, or three words: of a field `conditions` that tells the weather there are two."""


_WORDS = _CONDITIONS.words
_WORDS_TO_OTHERS = _WORDS | RULES.words
"""What of the words of a sentence is asked for."""


@cached_text
def said_conditions(text: str, to_others: bool) -> tuple[str, ...]:
    """The sentences of an agent's message that lay something down.

    Args:
        to_others: whether it is said to another agent, whose rules these are, in whatever words.
    """
    return tuple(_within_room(_terms(text, to_others))) if len(text) <= READ else ()


@cached_text
def told_conditions(result: str) -> tuple[str, ...]:
    """What a result lays down: sentences, and fields that say until when or on what condition."""
    if len(result) > READ:
        return ()
    value = loaded(result)
    terms = _terms(result) if value is None else [*_in_fields(value)]
    return tuple(_within_room(terms)) if len(terms) <= MOST else ()


def lays_down(line: str) -> bool:
    """Whether a line that tells of a call says what it laid down."""
    parts = _APART.split(line)
    return any(_lays_down(one) or (_FIELD_FIRST.match(one) and _TELLS.search(one)) for one in parts)


def _in_fields(value: Any) -> Iterator[str]:
    pairs = leaves(value)
    often = Counter(key for key, _ in pairs)
    for key, one in pairs:
        if not isinstance(one, str) or len(one) > MAX_CONDITIONS:
            continue
        name = key.rpartition(".")[2] or key
        if often[key] <= MOST and _FIELD.search(name) and _TELLS.search(one):
            yield f"{name} {one}"
        elif " " in one and often[key] <= OFTEN:  # one word lays nothing down
            yield from _terms(one)


def _terms(text: str, to_others: bool = False) -> list[str]:
    """The sentences of a text that lay something down: most values have none of the words."""
    small = small_text(text, _WORDS_TO_OTHERS if to_others else _WORDS)
    if not _CONDITIONS.may_be_in(small) and not (to_others and RULES.may_be_in(small)):
        return []
    return [one for one in sentences(text) if _lays_down(one, to_others)]


def _within_room(terms: Iterable[str]) -> Iterator[str]:
    left = MAX_CONDITIONS
    for one in dict.fromkeys(terms):
        if len(one) <= left:
            left -= len(one)
            yield one


def _lays_down(sentence: str, to_others: bool = False) -> bool:
    if len(sentence) > MAX_SENTENCE or sentence.endswith(("?", ":")) or sentence[:3] in FENCES:
        return False
    words = _ADDRESS.sub("", sentence)
    small = small_text(words, _WORDS_TO_OTHERS if to_others else _WORDS)
    if to_others and RULES.is_in(words, small, NO_RULE):
        return True
    near = _CONDITIONS.near(small)
    if not near or _PERSON.is_in(sentence, small.text if words is sentence else None):
        return False
    return _CONDITIONS.is_in_part(words, small.text, near, NO_RULE)
