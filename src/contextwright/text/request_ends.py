"""Whether what was asked for in the words of a rule is over: a task ("don't forget the notes") that
was done holds no more, nor does what was called off."""

from contextwright.text.directive_wordings import DECISIONS
from contextwright.text.search_terms import content_words
from contextwright.text.sentences import sentences
from contextwright.text.wordings import Phrasing, any_of, small_text

NAMES_ONE = 4
"""Digits of a number that names one thing, at least."""
LOOKED_AT = 400
"""Characters of what came behind it that are looked at."""
NEXT = 3
"""What a user said next, so many times, that may call it off."""
_DONE = any_of((
    r"\b(?:done|finished|completed?|fixed|cancell?ed|stopped|dropped|removed|reverted|aborted)\b",
    r"\b(?:ready|passed|passes|pass|merged|deployed|sent|booked|shipped|no longer)\b",
))  # fmt: skip
_ALL_DONE = any_of((r"^(?:all |ok(?:ay)?, |it is |it's |that's )?(?:done|finished|completed)\b",))
"""An answer that needs no name of what it is about."""
ANYTHING = frozenset({
    "ahead", "day", "do", "get", "keep", "make", "need", "new", "now", "please", "run", "start",
    "sure", "time", "today", "use", "want",
})  # fmt: skip
"""Words that name nothing."""
_GO_AHEAD = Phrasing((r"STARTgo ahead\b",))
_CALLED_OFF = any_of((
    r"\b(?:cancel|forget about|never mind|no longer needed|not needed any ?more|scratch|drop)\b",
    r"\b(?:not|don't) .* after all\b|\blet's not do\b",
))  # fmt: skip
_NO_TASK = any_of((
    r"\b(?:cancel|forget (?:about|the)|never ?mind|nvm|no need|no longer needed)\b",
    r"\b(?:not needed|don't bother|don't worry)\b",
))  # fmt: skip
"""The same, where nothing is chosen instead."""
_LASTS = Phrasing((
    r"\b(?:never|always|not|no|nobody|nothing|only|every|each|any|whenever|unless|until|avoid)\b",
    r"\b(?:from now on|at most|at least|at all costs|going forward|rule|rest of)\b",
    r"n't (?!forget)|\bdont (?!forget)|:",
))  # fmt: skip
"""What has such a word holds on whatever was done."""
_TASK = Phrasing((
    r"START(?:remember to|don't forget|dont forget|go ahead|keep (?:working|going))\b",
    r"\b(?:must|has to|have to|needs? to|should|ought to) be (?:done|finished|completed?|fixed)\b",
    r"\b(?:must|has to|have to|needs? to|should|ought to) be (?:ready|merged|sent|deployed)\b",
    r"\b(?:gets?|is|are) (?:done|finished|completed|fixed|merged|sent|deployed|booked)\b",
))  # fmt: skip
"""A task. "Use tabs" and "make sure that it is valid YAML" are none: they hold when it is done."""


def may_end(request: str) -> bool:
    """Whether it may be over one day: no decision, nor a rule that always holds."""
    small = small_text(request, DECISIONS.words)
    if _LASTS.is_in(request, small.text):
        return False
    return _GO_AHEAD.is_in(request, small.text) or not DECISIONS.is_in(request, small)


def is_done(request: str, answer: str, *, is_next: bool, is_worded: bool = True) -> bool:
    """Whether an answer says so of a task: "done", with a word of the request's beside it.

    Args:
        is_next: whether it surely answers this request: then it needs no such word.
        is_worded: whether the request has a rule's words: then it is a task only by its wording.
    """
    answer = answer[:LOOKED_AT]
    if is_worded and not _TASK.is_in(request):
        return False
    if _DONE.search(answer) is None:
        return False
    if not is_worded:  # it may be no task at all
        return _names(request, answer)
    is_all_done = is_next and _ALL_DONE.search(answer) is not None
    return is_all_done or _shares_a_word(request, _DONE.sub("", answer))


def calls_off(sentence: str) -> bool:
    """Whether a user's sentence takes a task back, and chooses nothing."""
    return _NO_TASK.search(sentence) is not None


def is_called_off(request: str, words: str) -> bool:
    """Whether a user calls it off, naming it: of the words of the sentence that does half are the
    request's."""
    words = words[:LOOKED_AT]
    if _CALLED_OFF.search(words) is None:
        return False
    return any(_calls_off(one, request) for one in sentences(words) if _CALLED_OFF.search(one))


def _calls_off(sentence: str, request: str) -> bool:
    rest = {*content_words(_CALLED_OFF.sub("", sentence))} - ANYTHING
    shared = rest.intersection(content_words(request))
    return 0 < len(rest) <= 2 * len(shared)


def _names(request: str, answer: str) -> bool:
    """Whether an answer surely speaks of a request: it has a word of its own such as `item7x`, or,
    where it has none, half of its words."""
    words = {*content_words(request)} - ANYTHING
    marked = {word for word in words if any(map(str.isdigit, word)) and not _is_count(word)}
    shared = words & {*content_words(answer)}
    return not marked.isdisjoint(shared) if marked else 0 < len(words) <= 2 * len(shared)


def _is_count(word: str) -> bool:
    """Whether it says how many, and names nothing: "Two replicas", "replica 3", "4 MB"."""
    return word.isdigit() and len(word) < NAMES_ONE


def _shares_a_word(one: str, other: str) -> bool:
    return not ({*content_words(one)} - ANYTHING).isdisjoint(content_words(other))
