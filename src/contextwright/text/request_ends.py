"""Whether what was asked for is over: what sounds like a rule ("make sure that the tests pass") and
was done, or called off, holds no more."""

from contextwright.text.directive_wordings import DECISIONS
from contextwright.text.search_terms import content_words
from contextwright.text.wordings import any_of, small_text

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
_ANYTHING = frozenset({
    "ahead", "day", "do", "get", "keep", "make", "need", "new", "now", "please", "run", "start",
    "sure", "time", "today", "use", "want",
})  # fmt: skip
"""Words that name nothing."""
_GO_AHEAD = any_of((r"STARTgo ahead\b",))
_CALLED_OFF = any_of((
    r"\b(?:cancel|forget about|never mind|no longer needed|not needed any ?more|scratch|drop)\b",
    r"\b(?:not|don't) .* after all\b|\blet's not do\b",
))  # fmt: skip
_LASTS = any_of((
    r"\b(?:never|always|not|no|nobody|nothing|only|every|each|any|whenever|unless|until|avoid)\b",
    r"\b(?:from now on|at most|at least|at all costs|going forward|rule|rest of|n't)\b",
    r"n't (?!forget)|\bdont (?!forget)|:",
))  # fmt: skip
"""What has such a word holds on whatever was done."""


def may_end(request: str) -> bool:
    """Whether it may be a task: no decision, nor a rule that holds on whatever is done."""
    if _LASTS.search(request) is not None:
        return False
    return _GO_AHEAD.search(request) is not None or not DECISIONS.is_in(
        request, small_text(request)
    )


def is_done(request: str, answer: str, *, is_next: bool) -> bool:
    """Whether an answer says so of a request: "done", with a word of the request's beside it.

    Args:
        is_next: whether it surely answers this request: then it needs no such word.
    """
    answer = answer[:LOOKED_AT]
    if _DONE.search(answer) is None:
        return False
    is_all_done = is_next and _ALL_DONE.search(answer) is not None
    return is_all_done or _shares_a_word(request, _DONE.sub("", answer))


def is_called_off(request: str, words: str) -> bool:
    """Whether a user calls it off, naming it."""
    words = words[:LOOKED_AT]
    if _CALLED_OFF.search(words) is None:
        return False
    return _shares_a_word(request, _CALLED_OFF.sub("", words))


def _shares_a_word(one: str, other: str) -> bool:
    return not ({*content_words(one)} - _ANYTHING).isdisjoint(content_words(other))
