"""Sentences that say, however much later, that what was asked for is over: by what they name, in
English."""

import re
from collections.abc import Set
from itertools import pairwise
from typing import NamedTuple

from contextwright.memo.ownership import cached_in_passing, cached_text
from contextwright.text.remarks import asks, parts_of
from contextwright.text.request_ends import ANYTHING, LOOKED_AT
from contextwright.text.search_terms import content_words
from contextwright.text.sentences import sentences
from contextwright.text.unspaced_scripts import word_flags
from contextwright.text.wordings import (
    Near,
    Phrasing,
    SmallText,
    Wordings,
    small_letters,
    small_text,
)

LEAST_SHARED = 2
"""Words that tell which request without a name is meant."""
_OVER = frozenset({
    "done", "finished", "complete", "fixed", "cancelled", "canceled", "ready", "passes", "merged",
    "deployed", "sent", "paid", "bought", "built", "written", "rewritten", "sold", "live", "solved",
    "sorted",
})  # fmt: skip
_NO_PARTICIPLES = frozenset({
    "indeed", "speed", "exceed", "proceed", "succeed", "embed", "hundred",
    "unmarked", "blocked", "failed", "delayed", "needed", "required", "expected", "planned",
    "scheduled", "paused", "started", "assigned", "rejected", "reopened", "raised", "stopped",
    "reported", "noted", "noticed", "tried", "looked", "asked", "based", "related",
    "supposed", "allowed", "wanted", "limited", "seemed", "queued", "postponed", "stalled",
    "opened", "waited", "worked", "mixed", "talked", "called", "attached", "mentioned", "proposed",
    "suggested", "discussed", "interested", "worried", "confused", "tired", "created", "placed",
    "issued",
})  # fmt: skip
"""Words that end with `ed` and say of nothing that it is done; all others may."""
_EED = frozenset({"agreed", "decreed", "freed", "guaranteed"})
"""Of the words that end so the few that do: "weed" and "feed" are none."""
PARTICIPLE = 5
"""Letters of a word that does, at least."""
_PHRASES = Wordings(r"""
= no_longer taken_care all_set good_to in_place on_its on_their
\b(?:no longer|taken care of|all set|good to go|in place|on (?:its|their) way)\b
= went_out went_through here_is here_are here's
\b(?:went (?:out|through)|here (?:is|are)|here's)\b
= work_again work_now work_fine works_again works_now works_fine working_again
\b(?:works? (?:again|now|fine)|working again)\b
= is_now is_in is_up is_out is_made is_found is_drawn is_cut is_split is_set is_gone is_back
\bis (?:now )?(?:in|up|out|made|found|drawn|cut|split|set up|gone|back)\b
= are_now are_in are_up are_out are_made are_found are_drawn are_cut are_split are_set are_gone
\bare (?:now )?(?:in|up|out|made|found|drawn|cut|split|set up|gone|back)\b
= are_back
\bare back\b
= found got took put gave made set wrote built ran did cut
(?:^|\b(?:i|we|i've|we've) )(?:found|got|took|put|gave|made|set|wrote|built|ran|did|cut)\b
""")
_WORD = re.compile(r"[a-z]+")
_UNLESS = Phrasing((
    r"\b(?:not|never|cannot|can|could|will|would|shall|must|should|may|until|once|when|after)\b",
    r"\b(?:before|if|unless|wants?|needs?|let|almost|nearly|partly|half|nothing|none)\b",
    r"n't\b|'ll\b|\bwont\b|\bno\b(?!-)|\bto (?:be|get|have|see)\b|\bto $",
    r"\b(?:gets?|being) (?:\w+ly )?$",
))  # fmt: skip
"""What stands in front of it, in the same clause, where it is to be done, or is not done."""
_CLAUSE = re.compile(r"[,;:.]")
_NOT_YET = Phrasing((
    r"\?\W*$|\b(?:still|yet|waiting|pending|blocked|stuck|in progress|so far|tomorrow|stays)\b",
    r"\b(?:failed|fails|failing|to go|left to|to do|half(?:way)?|another|rejected|postponed)\b",
    r"\b(?:remaining|conflicts?|errors?|waits?|needs|(?:has|have) to|(?:have|has|is|are|did)n't)\b",
))  # fmt: skip
"""What stands anywhere where something goes on."""
_CALLED_OFF = Wordings(r"""
= cancel forget_about forget_it forget_that forget_the never_mind nevermind nvm scratch scrap
\b(?:cancel|forget (?:about|it|that|the)|never ?mind|nvm|scratch|scrap)\b
= disregard revoke revoked void withdrawn withdraw wontfix won't_fix forget
\b(?:disregard|revoked?|void|withdrawn?|wontfix|won't fix)\b|STARTforget\b
= drop skip ignore already myself instead
\b(?:drop|skip|ignore|already|myself|instead)\b
= no_need no_longer needn't is_off don't dont won't wont do_not
\b(?:no need|no longer|needn't|(?:don'?t|won'?t|do not) (?:need|bother|want)|is off)\b
= needed please after_all anymore any_more call_off called_off calling_off
\b(?:not needed|no (?:\w+ ){1,3}(?:needed|please)|after all|any ?more|call(?:ed|ing)? off)\b
= let's_not leave_it leave_that leave_the off_the_table sorted solved
\b(?:let's not|leave (?:it|that|the)|off the table|sorted|solved)\b
= from_the off_the from_my off_my from_our off_our on_ice out_of moot obsolete hold_off
\b(?:remove|take|strike) .* (?:from|off) (?:the|my|our) (?:\w+ )?(?:list|backlog|plan|agenda)\b
\b(?:on ice|out of scope|hold off)\b|\b(?:is|are|it's|that's) (?:now )?(?:moot|obsolete)\b
= happening
\b(?:isn't|aren't|not) (?:\w+ )?happening\b
= doesn't_need doesnt_need that's_that thats_that did_it did_them stop not_going cross
\b(?:doesn'?t need|that'?s that|did (?:it|them)|stop \w+ing|not going|cross \w+ off)\b
""")
_STILL = Phrasing((
    r"\?\W*$|\b(?:still|yet|don't (?:cancel|drop|skip|forget)|dont (?:cancel|drop|skip|forget))\b",
))  # fmt: skip
"""That it goes on."""
_BEGUN = Wordings(r"""
= started starting began begun beginning on_it working_on looking_into in_progress
\b(?:started|starting|began|begun|beginning|on it|working on|looking into|in progress)\b
= i'll i_will i'm_going let_me next_in
\b(?:i'll|i will|i'm going to|let me|next in line)\b
= queue list
\b(?:in (?:my|the) queue|to (?:my|the) list)\b
""")
_AT_WORK = re.compile(
    r"(?:ok(?:ay)?, |sure, )?(?:i['\u2019]m (?:already )?|i am )?"
    r"(?!every|any|some|no)[a-z]{2,}ing\b|will\b|i can (?:do|take|have|look|try)\b",
    re.IGNORECASE,
)
"""What an answer begins with that says what an agent does now."""
_WORDS_OF_BEGINNINGS = _BEGUN.words | _OVER
_ANYTHING = ANYTHING | {"can", "could", "pls"}
"""Words that name nothing."""
QUESTION = ("?", "\uff1f", "\u037e", "\u061f")
"""Marks behind a question: of Latin letters, Chinese and Japanese, Greek, Arabic."""
_TOKEN = {flag: re.compile(r"[A-Za-z0-9#][\w./#-]*\w", flag) for flag in (re.NOFLAG, re.ASCII)}
_NAMES = re.compile(
    r"\w[_/]\w|\w-[A-Z]|[A-Za-z]\.[A-Za-z]|[a-z][A-Z]|[A-Za-z].*\d|\d.*[A-Za-z]|\d{4}"
)
"""What a token has that names one thing: marks inside, a capital inside, letters and digits."""
_LABEL = re.compile(
    r"(?:[-*\u2022]\s+(?:\[.?\]\s+)?|\[)?([a-z]+(?: [a-z]+)?[ #_-]{0,2}\(?#?\d{1,4})\)?\]?"
    r"(?:[:.|]| -|$| [|\u2013\u2014])",
    re.IGNORECASE,
)
"""What a statement is called by its first words: `Task 4:`, `ACTION ITEM 14:`, `Rule #5 -`."""
_CAPITAL = re.compile(
    r" (?=[\"'(]?[A-Z])(?:(?<=[a-z\d,] )|(?<=Mr\. )|(?<=Ms\. )|(?<=Mrs\. )|(?<=Dr\. )|(?<=Prof\. ))"
    r"[\"'(]?([A-Z][^\W\d_]\w*)(?!\.)"
)
_DOER = re.compile(r"\bby (?!the\b|now\b)\w+", re.IGNORECASE)
"""Who did it, which is not what it was done to."""
_HYPHEN = re.compile(r"\b[a-z]{2,}-[a-z]{2,}\b")
"""What names something, be it not one thing: with a capital within a sentence, or of two words."""
_MARKS = re.compile("[\u2705\u2611\u2713\u2714\u274c\u2717\u2718]")
_BOXES = ("[x] ", "[X] ", "[~] ", "[-] ")
"""Signs that say that something is over: check marks and crosses, a box with something in it."""
_DATES = frozenset({
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january",
    "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december", "english",
})  # fmt: skip
SAME = 80
"""Percent of the words of two sentences which both have where they say the same."""
FEW_WORDS = 12
"""Words of a sentence that speaks of little else than what it names, at most."""
BARE_END = 2
"""Words of an end that names nothing, at most: the next sentence says what it is of."""


def says_end(request: str, text: str, role: str) -> bool:
    """Whether the beginning of a message says that what was asked for is over: one of its sentences
    speaks of it, and says that something is done, or a user calls something off in it."""
    ends = _ends_in(text[:LOOKED_AT], role)
    return any(_is_about(one, request) or (role == "user" and _names(one, request)) for one in ends)


def ends_something(text: str, role: str) -> bool:
    """Whether the beginning of a message says of anything that it is over."""
    return bool(_ends_in(text[:LOOKED_AT], role))


def tells_of(request: str, text: str, role: str) -> bool:
    """Whether the beginning of a message, whoever's, tells something of what was asked for, in
    whatever language: one of its sentences speaks of it, and is no question."""
    return any(_is_about(one, request) for one in _statements_in(text[:LOOKED_AT]))


def is_news_of(statement: str, text: str) -> bool:
    """Whether the beginning of a user's message tells something of what was said before, and asks
    for nothing there: what holds may have been lifted, or be over, in whatever words."""
    about = (one for one in _statements_in(text[:LOOKED_AT]) if _is_about(one, statement))
    return any(_is_news(one, statement) for one in about)


def tells_news_with(words: Set[str], statement: str, text: str, *, in_few: bool) -> bool:
    """Whether the beginning of a message tells something new in a sentence that has one of some
    words of a statement.

    Args:
        in_few: whether in few words: of more, the word may be what it is said by the way of.
    """
    having = (
        one for one in _statements_in(text[:LOOKED_AT]) if not words.isdisjoint(_words_in(one))
    )
    if in_few:
        few = (one for one in having if len(one.split()) <= FEW_WORDS)
        before = {*statement.casefold().split()}  # "you can" is news behind "never"
        return any(not asks(one) and not {*one.casefold().split()} <= before for one in few)
    return any(_is_news(one, statement) for one in having)


def _is_news(sentence: str, statement: str) -> bool:
    if _repeats(sentence, statement):
        return False
    if not asks(sentence) or _is_end(sentence, _end_words(sentence, "user")):
        return True
    label = label_of(statement)
    return bool(label) and _has_label(label, sentence)


def _repeats(sentence: str, statement: str) -> bool:
    """Whether a sentence says what was said before, and hardly anything else."""
    words, before = _words_in(sentence), _words_in(statement)
    return 100 * len(words & before) >= SAME * len(words | before)


def is_asked_in(text: str, request: str) -> bool:
    """Whether the beginning of a user's message asks for what a text speaks of."""
    return _is_about(text, request) and any(map(asks, parts_of(request)))


@cached_text
def _statements_in(head: str) -> tuple[str, ...]:
    return tuple(one for one in sentences(head) if not one.endswith(QUESTION))


@cached_text
def _ends_in(head: str, role: str) -> tuple[str, ...]:
    """The sentences that say that something is over: looked for once, whatever is asked of them,
    and not in a message that has none of the words, as most have."""
    near = _end_words(head, role)
    if not any(near):
        return ()
    parts = sentences(head)
    return tuple(
        f"{one} {behind}" if len(content_words(one)) <= BARE_END else one
        for one, behind in pairwise((*parts, ""))
        if _is_end(one, near)
    )


class EndWords(NamedTuple):
    """What a message has of the words and signs that say that something is over."""

    words: frozenset[str]
    phrases: Near
    called_off: Near
    has_sign: bool


def _end_words(text: str, role: str) -> EndWords:
    small = small_text(text)
    return EndWords(
        frozenset(_words_of_ends(small)),
        _PHRASES.near(small),
        _CALLED_OFF.near(small) if role == "user" else (),
        _has_sign(text),
    )


def _is_end(sentence: str, near: EndWords) -> bool:
    if near.has_sign and _has_sign(sentence):
        return True
    small = small_letters(sentence)
    if near.called_off and _CALLED_OFF.is_in_part(sentence, small, near.called_off):
        return not _STILL.is_in(sentence, small)
    places = _PHRASES.places(sentence, small, near.phrases) if near.phrases else []
    if any(map(small.__contains__, near.words)):
        words = near.words
        places += [match.start() for match in _WORD.finditer(small) if match[0] in words]
    if not places or _NOT_YET.is_in(sentence, small) or is_begun(sentence):
        return False
    return not all(_UNLESS.is_in(_CLAUSE.split(sentence[:at])[-1]) for at in places)


def _has_sign(text: str) -> bool:
    if "] " in text and any(map(text.__contains__, _BOXES)):
        return True
    return not text.isascii() and _MARKS.search(text) is not None


def _words_of_ends(small: SmallText) -> set[str]:
    """The words that say by themselves that something is done."""
    over = {*small.words & _OVER}
    if "ed" in small.text:
        participles = {one for one in small.words if one.endswith("ed") and len(one) >= PARTICIPLE}
        participles = {one for one in participles if not one.endswith("eed") or one in _EED}
        over |= participles - _NO_PARTICIPLES
    return over


def is_begun(sentence: str) -> bool:
    """Whether an agent says that it begins something, or will."""
    small = small_text(sentence, _WORDS_OF_BEGINNINGS)
    return _BEGUN.is_in(sentence, small) and _OVER.isdisjoint(small.words)


def begins_work(answer: str) -> bool:
    """Whether an agent's answer begins by saying that it goes to work: "On it", "Drafting it."."""
    first = next(iter(sentences(answer[:LOOKED_AT])), "")
    return is_begun(first) or _AT_WORK.match(first) is not None


def _is_about(sentence: str, request: str) -> bool:
    """Whether a sentence speaks of a request, wherever it stands: by a name such as `item7x` or
    `app.cfg`, or by half of its words, beside what is to be done."""
    if not names_in(request).isdisjoint(names_in(sentence)):
        return True
    if (label := label_of(request)) and _has_label(label, sentence):
        return True
    things = things_of(request)
    shared = len(things & _words_in(sentence))
    named = _names(sentence, request)
    if shared + named < LEAST_SHARED:
        return False
    return 2 * shared >= len(things) or (named and shared >= LEAST_SHARED)


def _names(sentence: str, request: str) -> bool:
    """Whether a sentence has a name that a request has, be it not one thing's."""
    named = words_of_names(request)
    return bool(named) and any(map(_words_in(_DOER.sub("", sentence)).issuperset, named))


@cached_text
def words_of_names(text: str) -> tuple[frozenset[str], ...]:
    """The words of each of its names that are not one thing's."""
    return tuple(map(_words_in, proper_names(text)))


@cached_in_passing
def _words_in(text: str) -> frozenset[str]:
    """The words that say what a sentence is about: it is held against many requests."""
    return frozenset(content_words(text))


@cached_text
def label_of(text: str) -> str:
    """What a statement is called by its first words, in small letters; empty where it is not."""
    label = _LABEL.match(text)
    return label[1].casefold() if label is not None else ""


def _has_label(label: str, sentence: str) -> bool:
    small = sentence.casefold()
    at = small.find(label)
    while at >= 0:
        if not small[at + len(label) : at + len(label) + 1].isdigit():
            return not small[at - 1 : at].isalnum()
        at = small.find(label, at + 1)
    return False


@cached_text
def proper_names(text: str) -> frozenset[str]:
    """What a text names, as far as its letters tell, in small letters; days and months name
    nothing."""
    names = _CAPITAL.findall(text)
    if "-" in text:
        names += _HYPHEN.findall(text)
    return frozenset(map(str.casefold, names)) - _DATES


@cached_text
def things_of(request: str) -> frozenset[str]:
    """The words that say what a request is about, beside the first, which says what to do."""
    first = content_words(request.partition(" ")[0])
    return frozenset({*content_words(request)} - _ANYTHING - {*first})


@cached_text
def names_in(text: str) -> frozenset[str]:
    """What a text calls by a name of its own, in small letters; of a path its last part as well."""
    tokens = _TOKEN[word_flags(text)].findall(text)
    names = [one for one in tokens if not _is_plain(one) and _NAMES.search(one)]
    small = [name.casefold() for name in names]
    return frozenset((*small, *(name.rpartition("/")[2] for name in small)))


def _is_plain(token: str) -> bool:
    """Whether it is a word of letters without a capital inside, as most are: no name."""
    return token.isalpha() and token[1:].islower()
