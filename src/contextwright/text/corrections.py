"""Whether a user's words change what was said before: another value, another choice, or what is out
by now. What they change stands elsewhere with its old value, and would be taken for what is so."""

import re
from itertools import pairwise

from contextwright.text.remarks import parts_of
from contextwright.text.search_terms import STOP, content_words
from contextwright.text.wordings import Near, SmallText, Wordings, small_letters, small_text

TERSE, MAX_CORRECTION = 110, 240
"""Characters of a message that is told whole where it corrects something, and of one that is looked
at: of a longer one each sentence stands alone."""
ASKS = ("?", "\uff1f")
"""Ends of a question."""
_OPENING = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|oh|hm+|uh|ah|well|damn|ugh|ouch)\b[,!. ]*)*"
    r"(?:(?:no|nope|wait|sorry|oops|correction|wrong|hang on|hold on|my (?:mistake|bad))(?: wait)?"
    r"(?: ?[,:;.!]| -| [\u2013\u2014]|\u2014)|no (?:wait|way)\b|(?:scratch|strike) that\b"
    r"|actually\b"
    r"|on (?:second thou?ghts?|reflection)\b|come to think of it\b|change of plans?\b|typo\b"
    r"|that(?:'s| is|s) wrong\b)[\s,:;.!\u2013\u2014-]*",
    re.IGNORECASE,
)
"""How one takes back what was said."""
_NOTHING = re.compile(
    r"^(?:thanks?|thank you|that(?:'s| is|s)? (?:all|it|everything|fine|ok(?:ay)?|good|alright)"
    r"|i think|problem"
    r"|worries|need|idea|rush|hurry|more|other|further|nothing|none|not (?:yet|really|now|at all)"
    r"|i (?:don't|do not|am|was|can't|couldn't)|i'm|it (?:is|was|works?|does|did)|it's (?!the|a|\d)"
    r"|let me|for|about|to|until|what|why|how|where|can|could|is|are|do|does|did|will|would)\b",
    re.IGNORECASE,
)
"""What stands behind such a word and takes nothing back: "no, thanks", "sorry, I was away"."""
_NUMBER = (
    r"(?:\S*\d\S*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty"
    r"|half|twice|double)"
)
_CHANGES = Wordings(rf"""
= actually after_all sorry
(?<!^)\bactually[,.!]*$|(?<!n't )(?<!not )\bactually,? \S*\d|\bafter all\b|\d\S* sorry\b
= instead rather
\binstead of\b|\binstead[.!]*$|\brather than\b
= mind minds meant misread mistyped misspoke
\bchanged? (?:my|her|his|their|our) minds?\b|\b(?:i|we) (?:meant|misread|mistyped|misspoke)\b
= ignore forget disregard should_read
\b(?:ignore|forget|disregard) (?:what i|my (?:last|previous))\b|\bshould read\b
= not
\b{_NUMBER}\b,? (?:and )?not \S+[,.;!]*(?: |$)|^not [\w-]+[,;:] [\w-]+[.!]*$
(?:^|[,;:.!] )(?:so |then )*not (?:them|him|her|that one|those|it)[.!]*$
= make
\bmake (?:it|that|this|them|her|him|those) (?:\w+ ){{0,2}}{_NUMBER}(?: |[,.!]|$)
\bmake the \w+ (?!(?:for|of|from|about|with) [a-z])(?:\w+ ){{0,2}}{_NUMBER}(?: |[,.!]|$)
= moved changed pushed postponed extended brought go we're we_are i'm
(?<!\bi )(?<!\bwe )\b(?:moved|changed|pushed|postponed|extended) (?:\w+ ){{0,4}}to \S
(?:^|[,;:.] )(?:so |then |let's )?(?:go|we're|we are|i'm) (?:back |up |down )?to {_NUMBER}\b
= wrong
\bwrong (?:\w+ ){{0,4}}\w+[,:] \S
""")
"""How one changes it. Without a number "make the tests pass" is a task like others."""
_OPENS = frozenset({
    "no", "nope", "wait", "sorry", "oops", "correction", "wrong", "scratch", "strike", "actually",
    "mistake", "bad", "second", "reflection", "come", "plan", "plans", "hang", "hold", "typo",
})  # fmt: skip
"""Words of which an opening has one."""


SIGNS = _OPENS | _CHANGES.words
"""Words of which a message that corrects something has one."""


def may_correct(message: str, small: SmallText | None = None) -> bool:
    """Whether a message may: most have none of the words, or are too long.

    Args:
        small: the message, where somebody has it, with its words or with those of `SIGNS`.
    """
    if len(message) > MAX_CORRECTION:
        return False
    small = small or small_text(message, SIGNS)
    return not _OPENS.isdisjoint(small.words) or _CHANGES.may_be_in(small)


def corrects(message: str) -> bool:
    """Whether a short message of a user changes what was said before."""
    return bool(corrections(message))


def corrections(message: str) -> tuple[str, ...]:
    """What a short message of a user says that changes what was said before: all of a terse one;
    of others the parts that do, each with what stands in front of it, unless that asks."""
    if len(message) > MAX_CORRECTION:
        return ()
    small = small_text(message, SIGNS)
    may_open, near = not _OPENS.isdisjoint(small.words), _CHANGES.near(small)
    if not may_open and not near:
        return ()
    parts = parts_of(message)
    pairs = enumerate(pairwise((*parts, "")))
    places = [
        n
        for n, pair in pairs
        if (may_open and _takes_back(*pair)) or (near and _changes(pair[0], near))
    ]
    if not places or len(message) <= TERSE:
        return (message,) if places else ()
    chosen = sorted({*places, *(n - 1 for n in places if n and not parts[n - 1].endswith(ASKS))})
    return tuple(parts[n] for n in chosen)


def _takes_back(part: str, behind: str) -> bool:
    """Whether it begins as one takes something back, and does."""
    opening = _OPENING.match(part)
    if opening is None or part.endswith(ASKS):
        return False
    rest = part[opening.end() :] or behind
    return _NOTHING.match(rest) is None and not {*content_words(rest)} <= STOP


def _changes(part: str, near: Near) -> bool:
    return not part.endswith(ASKS) and _CHANGES.is_in_part(part, small_letters(part), near)
