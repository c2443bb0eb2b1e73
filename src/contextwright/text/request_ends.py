"""Whether what was asked for in the words of a rule is over: a task ("don't forget the notes") that
was done holds no more, nor does what was called off."""

from contextwright.memo.ownership import cached_text
from contextwright.text.directive_wordings import DECISIONS
from contextwright.text.search_terms import content_words
from contextwright.text.sentences import sentences
from contextwright.text.wordings import any_of, small_text

LOOKED_AT = 400
"""Characters of what came behind it that are looked at."""
LEAST_SHARED, LEAST_NUMBER = 2, 4
"""Words of a request without a name that tell which one it is, and digits of a number that names
something."""
NEXT = 3
"""What a user said next, so many times, that may call it off."""
_OVER = (
    r"\b(?:done|finished|completed?|fixed|cancell?ed|stopped|dropped|removed|reverted|aborted"
    r"|ready|passed|passes|pass|merged|deployed|sent|booked|shipped|no longer)\b"
)
_DONE = any_of((_OVER,))
_PERFECT = any_of((
    r"\b(?:is|are|was|were|been|got|now|i|we|i've|have|has|already|just|successfully) (\w{3,}ed)\b",
    r"^(?:ok(?:ay)?, |done[:,] )?(\w{3,}ed)\b",
))  # fmt: skip
"""That something was done, by whatever word."""
_NOT_YET = any_of((
    rf"\b(?:not|never|cannot|can|could|will|would|shall|to|must|should)\b[^,;:.]{{0,40}}{_OVER}",
    rf"\b(?:until|once|when|after|before|if|unless|wants?|needs?)\b[^,;:.]{{0,40}}{_OVER}",
    rf"(?:n't|'ll|\b(?:almost|nearly|partly|half))\b[^,;:.]{{0,40}}{_OVER}|\?\W*$",
))  # fmt: skip
"""That something is to be done, or is not done: no end."""
_ALL_DONE = any_of((r"^(?:all |ok(?:ay)?, |it is |it's |that's )?(?:done|finished|completed)\b",))
"""An answer that needs no name of what it is about."""
_ANYTHING = frozenset({
    "ahead", "day", "do", "get", "keep", "make", "need", "new", "now", "please", "run", "start",
    "sure", "time", "today", "use", "want",
})  # fmt: skip
"""Words that name nothing."""
_GO_AHEAD = any_of((r"STARTgo ahead\b",))
_BEGUN = any_of((
    r"\b(?:started|starting|began|begun|beginning|on it|working on|looking into|in progress)\b",
    r"\b(?:i'll|i will|i'm going to|let me|next in line|in (?:my|the) queue|to (?:my|the) list)\b",
))  # fmt: skip
_CALLED_OFF = any_of((
    r"\b(?:cancel|forget about|never mind|no longer needed|not needed any ?more|scratch|drop)\b",
    r"\b(?:not|don't) .* after all\b|\blet's not do\b",
    r"\b(?:forget (?:it|that)|call(?:ed|ing)? off|don't need|no need|skip|is off)\b",
))  # fmt: skip
_LASTS = any_of((
    r"\b(?:never|always|not|no|nobody|nothing|only|every|each|any|whenever|unless|until|avoid)\b",
    r"\b(?:from now on|at most|at least|at all costs|going forward|rule|rest of)\b",
    r"n't (?!forget)|\bdont (?!forget)|:",
))  # fmt: skip
"""What has such a word holds on whatever was done."""
_TASK = any_of((
    r"START(?:remember to|don't forget|dont forget|go ahead|keep (?:working|going))\b",
    r"\b(?:must|has to|have to|needs? to|should|ought to) be (?:done|finished|completed?|fixed)\b",
    r"\b(?:must|has to|have to|needs? to|should|ought to) be (?:ready|merged|sent|deployed)\b",
    r"\b(?:gets?|is|are) (?:done|finished|completed|fixed|merged|sent|deployed|booked)\b",
))  # fmt: skip
"""A task. "Use tabs" and "make sure that it is valid YAML" are none: they hold when it is done."""


@cached_text
def ends_in(text: str, role: str) -> tuple[str, ...]:
    """The sentences at the beginning of a message that may say that something is done, or by which
    a user calls something off."""
    head = text[:LOOKED_AT]
    patterns = (_DONE, _CALLED_OFF, _PERFECT) if role == "user" else (_DONE, _PERFECT)
    if not any(pattern.search(head) for pattern in patterns):
        return ()
    return tuple(one for one in sentences(head) if _is_end(one, role))


def _is_end(sentence: str, role: str) -> bool:
    if role == "user" and _CALLED_OFF.search(sentence) is not None:
        return True
    is_said = _DONE.search(sentence) or _PERFECT.search(sentence)
    return is_said is not None and _NOT_YET.search(sentence) is None


def is_end_of(request: str, sentence: str) -> bool:
    """Whether a sentence of `ends_in` speaks of a request: it names it, and says that it is over,
    or that what was asked for was done in the request's own word ("migrate", "migrated")."""
    if not _surely_names(request, sentence):
        return False
    if _DONE.search(sentence) is not None or _CALLED_OFF.search(sentence) is not None:
        return True
    verbs = " ".join(next(filter(None, one)) for one in _PERFECT.findall(sentence))
    return not request_words(request).isdisjoint(content_words(verbs))


def is_begun(sentence: str) -> bool:
    """Whether an agent says that it begins something, or will."""
    return _BEGUN.search(sentence) is not None and _DONE.search(sentence) is None


def _surely_names(request: str, sentence: str) -> bool:
    """Whether a sentence speaks of a request, wherever it stands: by a name such as `item7x` or
    `4711`, or, where the request has none, by most of its words, beside what is to be done."""
    words, others = request_words(request), {*content_words(sentence)}
    names = {word for word in words if is_name(word)}
    if names:
        return not names.isdisjoint(others)
    things = words - {*content_words(request.partition(" ")[0])}
    shared = len(things & others)
    return shared >= LEAST_SHARED and 3 * shared >= 2 * len(things)


def request_words(request: str) -> set[str]:
    """The words that say what a request is about."""
    return {*content_words(request)} - _ANYTHING


def is_name(word: str) -> bool:
    """Whether a word names one thing: it has a digit, and is no small number."""
    return any(map(str.isdigit, word)) and (not word.isdigit() or len(word) >= LEAST_NUMBER)


def may_end(request: str) -> bool:
    """Whether it may be over one day: no decision, nor a rule that always holds."""
    if _LASTS.search(request) is not None:
        return False
    return _GO_AHEAD.search(request) is not None or not DECISIONS.is_in(
        request, small_text(request)
    )


def is_done(request: str, answer: str, *, is_next: bool, is_worded: bool = True) -> bool:
    """Whether an answer says so of a task: "done", with a word of the request's beside it.

    Args:
        is_next: whether it surely answers this request: then it needs no such word.
        is_worded: whether the request has a rule's words: then it is a task only by its wording.
    """
    answer = answer[:LOOKED_AT]
    if is_worded and _TASK.search(request) is None:
        return False
    if _DONE.search(answer) is None:
        return False
    if not is_worded:  # it may be no task at all
        return _names(request, answer)
    is_all_done = is_next and _ALL_DONE.search(answer) is not None
    return is_all_done or _shares_a_word(request, _DONE.sub("", answer))


def is_called_off(request: str, words: str) -> bool:
    """Whether a user calls it off, naming it."""
    words = words[:LOOKED_AT]
    if _CALLED_OFF.search(words) is None:
        return False
    return _shares_a_word(request, _CALLED_OFF.sub("", words))


def _names(request: str, answer: str) -> bool:
    """Whether an answer surely speaks of a request: it has a word of its own such as `item7x`, or,
    where it has none, half of its words."""
    words = {*content_words(request)} - _ANYTHING
    marked = {word for word in words if any(map(str.isdigit, word))}
    shared = words & {*content_words(answer)}
    return not marked.isdisjoint(shared) if marked else 0 < len(words) <= 2 * len(shared)


def _shares_a_word(one: str, other: str) -> bool:
    return not ({*content_words(one)} - _ANYTHING).isdisjoint(content_words(other))
